// Commands are read by a real shell and by the reader of gw: what comes out is what went in, whatever is in it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { commandsOf, shellWord } from './commands.ts'

const hostile = [
  'plain',
  "it's",
  '$(id)',
  '`id`',
  'a b',
  'a"b',
  'a\\b',
  '!x',
  'two\nlines',
  '*',
  '',
  "'; rm -rf / #",
  'ключ',
  '-rf',
]

const throughShell = (word: string): string =>
  execFileSync('/bin/sh', ['-c', `printf '%s' ${word}`], { encoding: 'utf8', env: {} })

const endpoint = { method: 'PATCH', path: '/firewall/rules/:rule_id' } as const
const textOf = (name: 'curl' | 'gw', options: Parameters<typeof commandsOf>[1]): string =>
  commandsOf(endpoint, { origin: 'https://gw:8443', ...options }).find((one) => one.name === name)?.text ?? ''

describe('a call as a command', () => {
  for (const text of hostile) {
    it(`gives ${JSON.stringify(text)} to the shell as one word`, () =>
      assert.equal(throughShell(shellWord(text)), text))
  }

  it('has method, address, tag, reason, time and body', () => {
    const options = {
      params: { rule_id: 42 },
      body: { comment: "it's", enabled: true, ports: ['a'] },
      etag: '"firewall.forward-7"',
      reason: 'ticket 1',
      confirmWithin: 90,
      isCutting: true,
    }
    assert.equal(
      textOf('curl', options),
      `curl -b session.txt -X PATCH -H 'If-Match: "firewall.forward-7"' -H 'Portcullis-Reason: ticket 1' ` +
        `-H 'Portcullis-Confirm-Within: 90' 'https://gw:8443/firewall/rules/42?cut_connections=true' ` +
        `--data-raw '{"comment":"it'\\''s","enabled":true,"ports":["a"]}'`,
    )
    assert.equal(
      textOf('gw', options),
      `gw patch /firewall/rules/42 'comment=it'\\''s' enabled=true 'ports:=["a"]' --if-match '"firewall.forward-7"' ` +
        `--reason 'ticket 1' --confirm 90 --cut-connections`,
    )
  })

  it('writes text that looks like something else as JSON', () => {
    for (const text of ['null', 'true', '42', '[1]', '{}']) {
      assert.match(textOf('gw', { body: { a: text } }), /'?a:=/, text)
    }
    assert.match(textOf('gw', { body: { a: 'plain' } }), / a=plain$/)
  })

  it('writes a query, encoded', () => {
    assert.match(
      textOf('gw', { query: { columns: ['id', 'a b'], none: undefined } }),
      /columns=%5B%22id%22%2C%22a\+b%22%5D/,
    )
  })
})
