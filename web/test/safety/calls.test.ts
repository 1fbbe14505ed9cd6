// Every call of the interface has a page: the contract is walked, and a call that neither a page nor the shell uses fails. What a
// file uses is read from its text: the names it imports from the contract of an area, and their members.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areas } from '../../../server/src/areas/index.ts'
import { type Endpoint, nameOf } from '../../../server/src/core/contract/endpoint.ts'
import { exceptions } from '../../../server/test/support/exceptions.ts'
import { listSources, readSource, withoutComments } from './sources.ts'

/** Each with the call that the console uses instead. */
const others: Readonly<Record<string, string>> = {
  'GET /content-filter/users_categories/:category_id': 'GET /content-filter/users_categories: both show the whole list',
  'DELETE /content-filter/rules/before/move': 'DELETE with the id in the path',
  'DELETE /content-filter/rules/after/move': 'DELETE with the id in the path',
  'PUT /firewall/rules/forward/before/:rule_id': 'PATCH of the same path',
  'PUT /firewall/rules/forward/after/:rule_id': 'PATCH of the same path',
  'PUT /firewall/rules/input/before/:rule_id': 'PATCH of the same path',
  'PUT /firewall/rules/input/after/:rule_id': 'PATCH of the same path',
  'GET /netflow-export/state': 'the same below /api',
  'PATCH /netflow-export/state': 'the same below /api',
  'GET /netflow-export/settings': 'the same below /api',
  'PATCH /netflow-export/settings': 'the same below /api',
}
const synonyms = exceptions('calls that no page of the console uses', Object.keys(others))

const isEndpoint = (value: object): value is Endpoint => 'method' in value && 'path' in value && 'effect' in value

/** The endpoints inside an export: itself, or those of a group. */
function endpointsIn(value: unknown): readonly Endpoint[] {
  if (typeof value !== 'object' || value === null) return []
  return isEndpoint(value) ? [value] : Object.values(value).flatMap(endpointsIn)
}

const importForm = /^import (type )?\{([^}]*)\} from '@gateway\/server\/contract\/([a-z-]+)'/gm
const lazyForm = /import\('@gateway\/server\/contract\/([a-z-]+)'\)\)\.([\w.]+)/g

interface Imported {
  readonly area: string
  readonly name: string
  readonly local: string
}

function importsIn(text: string): readonly Imported[] {
  return [...text.matchAll(importForm)].flatMap(([, isType, names = '', area = '']) =>
    isType
      ? []
      : names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => {
            const [original = '', local = original] = name.split(/\s+as\s+/)
            return { area, name: original, local }
          }),
  )
}

/** What is used of an import: everything of a group that is handed on, otherwise the members that are named. */
function usedOf(value: unknown, local: string, text: string): readonly Endpoint[] {
  const uses = text.matchAll(new RegExp(String.raw`(?<![\w.'-])${local}((?:\.\w+)*)(?![\w'-])`, 'g'))
  return [...uses].flatMap(([, path = '']) => {
    let found: unknown = value
    for (const member of path.split('.').filter((name) => name !== '')) {
      const next = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[member] : undefined
      if (typeof next !== 'object' || next === null || (typeof found === 'object' && found && isEndpoint(found))) break
      found = next
    }
    return endpointsIn(found)
  })
}

async function callsOf(file: string): Promise<readonly string[]> {
  const text = withoutComments(readSource(file))
  const rest = text.replaceAll(/^import [\s\S]*?from '[^']+'$/gm, '')
  const used: Endpoint[] = []
  for (const { area, name, local } of importsIn(text)) {
    const contract = (await import(`@gateway/server/contract/${area}`)) as Record<string, unknown>
    used.push(...usedOf(contract[name], local, rest))
  }
  for (const [, area = '', path = ''] of rest.matchAll(lazyForm)) {
    const [name = '', ...members] = path.split('.')
    const contract = (await import(`@gateway/server/contract/${area}`)) as Record<string, unknown>
    used.push(...usedOf(contract[name], name, [name, ...members].join('.')))
  }
  return used.map(nameOf)
}

describe('every call of the interface', () => {
  const all = areas.flatMap(({ routes }) => routes.map(({ endpoint }) => nameOf(endpoint)))

  it('has a page', async (t) => {
    const files = [...listSources('{pages,app,api}/**/*.{ts,tsx}')]
    const used = new Set((await Promise.all(files.map(callsOf))).flat())
    const unused = all.filter((name) => !used.has(name))
    t.diagnostic(`${all.length - unused.length} of ${all.length} calls are used by ${files.length} files`)
    assert.deepEqual(unused.toSorted(), synonyms.toSorted())
  })

  it('is imported by name, so that its use can be read', () => {
    const wholes = listSources('**/*.{ts,tsx}').filter((file) =>
      /import \* as \w+ from '@gateway\/server\/contract\//.test(readSource(file)),
    )
    assert.deepEqual(wholes, [])
  })
})
