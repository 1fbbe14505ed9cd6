// Every sentence of the gateway has a code of its own, which clients may rely on: the list of codes changes only on purpose. That
// each text is translated, with all of its values, is tested with the catalogs.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { listCodes, printCodes, readCodes, withoutComments } from '../support/catalogs.ts'

const server = join(import.meta.dirname, '..', '..', '..', 'server', 'src')

/** Messages of processes that only gatewayd and the log read, or of programs: the console shows them as they are. */
const shownAsTheyAre = ['filterd', 'portald', 'tools', 'exporters']

describe('sentences of the gateway', () => {
  it('have different codes', () => {
    // The names of values do not count: they are the same sentence.
    const texts = new Map(listCodes().map(({ code, text }) => [text.replaceAll(/\{\w+\}/g, '{}'), code]))
    const codes = [...texts.values()]
    assert.deepEqual(
      codes.filter((code, at) => codes.indexOf(code) !== at),
      [],
    )
    assert.ok(codes.length > 1_000)
  })

  it('have the codes of the list', () => {
    assert.equal(readCodes(), printCodes(), 'run npm run web:messages')
  })

  it('are said where a refusal is made: none is a plain text', () => {
    const plain = globSync('**/*.ts', { cwd: server })
      .filter((path) => !path.endsWith('.test.ts') && !shownAsTheyAre.includes(path.split('/')[0] ?? ''))
      .sort()
      .flatMap((path) => {
        const code = withoutComments(readFileSync(join(server, path), 'utf8'))
        const refusals = code.matchAll(
          /(?:new GatewayError\('\w+', |\binvalid\([^,()]+, |\bmessage: )['`]([A-Z][^'`]* [^'`]*)/g,
        )
        return [...refusals].map(([, text]) => `${path}: ${text}`)
      })
    assert.deepEqual(
      plain.filter((found) => !notAnswered.some((one) => found.startsWith(one))),
      [],
    )
  })

  // That no other text reaches an administrator is a matter of types: SaidText in said.ts.
  it('are not passed off as the words of another program', () => {
    const own = globSync('**/*.ts', { cwd: server })
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => {
        const code = withoutComments(readFileSync(join(server, path), 'utf8'))
        return [...code.matchAll(/\bverbatim\(\s*(?:'[^'\n]* |`[^`]*[a-z] )/g)].map(([text]) => `${path}: ${text}`)
      })
    assert.deepEqual(own, [])
  })
})

/** Those that no administrator gets: an agent, the reference of the API or the audit trail gets them. */
const notAnswered = [
  'areas/portal/runs/socket.ts: ',
  'core/contract/openapi-errors.ts: ',
  'gatewayd/app.ts: Revisions',
  'gatewayd/configuration.ts: ',
]
