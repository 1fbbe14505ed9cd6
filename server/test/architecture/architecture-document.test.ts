// docs/ARCHITECTURE.md is compared with the code: the tree, the import table, the files that it names and the error table.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { statusOf } from '../../src/gatewayd/http/errors.ts'
import { withImportTable } from './import-table.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const document = readFileSync(join(repository, 'docs', 'ARCHITECTURE.md'), 'utf8')

/** The rows of the first table below a heading, without its head. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = document.split(`\n## ${heading}\n`)
  const [body = ''] = section.split('\n## ')
  const rows = body.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('docs/ARCHITECTURE.md', () => {
  it('shows the tree as it is', () => {
    const [, tree = ''] = document.split('\n## The tree\n')
    for (const [workspace, end] of [
      ['server', 'bench/'],
      ['web', 'deploy/'],
    ] as const) {
      const [, rest = ''] = tree.split(`\n${workspace}/`)
      const [own = ''] = rest.split(`\n${end}`)
      const named = [...own.matchAll(/^ {2}((?:src|test)\/[a-z0-9-]+(?:\.ts|\/))/gm)].map(([, path]) => path ?? '')
      const actual = ['src', 'test'].flatMap((folder) =>
        readdirSync(join(repository, workspace, folder), { withFileTypes: true })
          .filter((entry) => entry.isDirectory() || (folder === 'src' && workspace === 'server'))
          .map((entry) => `${folder}/${entry.name}${entry.isDirectory() ? '/' : ''}`),
      )
      assert.deepEqual(named.toSorted(), actual.toSorted(), workspace)
    }
  })

  it('shows the import table as it is enforced; npm run golden writes it', () => {
    assert.equal(withImportTable(document), document)
  })

  it('names files that are there', () => {
    const names = [
      ...document.matchAll(
        /`((?:shared|core|domain|engines|areas|gatewayd|applyd|portald|filterd|exporters|upgrade|tools)\/[\w./-]+\.(?:ts|pl))`/g,
      ),
    ]
    const missing = names
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(join(repository, 'server', 'src', name)))
    assert.ok(names.length > 30)
    assert.deepEqual(missing, [])
  })

  it('lists every error code with its status', () => {
    const listed = tableBelow('Errors').map(([code, status]) => [code, Number(status)])
    assert.deepEqual(Object.fromEntries(listed), statusOf)
  })
})
