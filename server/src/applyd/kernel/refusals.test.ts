// The form of a script in which nft points at rules, and the words of a refusal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, composeScript, type ScriptLine } from '../nft-script.ts'
import { chain, forwardHead, map, plainNft, set } from '../stand-ins/harness.ts'
import { explain, type Refused, separateRules } from './refusals.ts'

const spec = plainNft
const script = composeScript(
  spec,
  [
    changeOf(spec.tables[0], null, [
      chain('entry', ['ip saddr @a drop comment "firewall.1"', 'accept'], forwardHead),
      chain('empty', []),
      chain('second', ['jump third comment "firewall.2"']),
      set('a', ['10.0.0.1']),
      map('m', ['10.0.0.1 : jump second']),
    ]),
    changeOf('inet extra', null, [chain('x', ['accept'])]),
  ],
  new Map(),
)

test('rules become commands behind the block of their table, with their objects', () => {
  const separate = separateRules(script)
  const rules = separate.filter(({ text }) => text.startsWith('add rule '))
  assert.deepEqual(rules, [
    { text: 'add rule inet portcullis entry ip saddr @a drop comment "firewall.1"', field: 'firewall.1' },
    { text: 'add rule inet portcullis entry accept', field: 'entry' },
    { text: 'add rule inet portcullis second jump third comment "firewall.2"', field: 'firewall.2' },
    { text: 'add rule inet extra x accept', field: 'x' },
  ])
  assert.equal(separate.length, script.length)
  const left = separate.filter((line) => !rules.includes(line))
  const moved = new Set(['ip saddr @a drop comment "firewall.1"', 'accept', 'jump third comment "firewall.2"'])
  assert.deepEqual(
    left,
    script.filter(({ text }) => !moved.has(text.trim())),
  )
  const end = separate.findIndex(({ text }) => text === '}')
  assert.deepEqual(separate.slice(end + 1, end + 4), rules.slice(0, 3))
})

const at = (line: number, words: string): string => `script:${line}:12-21: Error: ${words}\n  the line\n  ^^^\n`
const guess = "No such file or directory; did you mean table 'portcullis_boot' in family inet?"
const refusedBy = (stderr: string, lines: readonly ScriptLine[]): Refused => ({
  stderr,
  place: 'script',
  script: lines,
  fallback: 'inet portcullis',
})

test('only a guess is asked about again', async () => {
  const line = script.findIndex(({ field }) => field === 'firewall.2') + 1
  const verdict = await explain(refusedBy(at(line, 'Could not process rule: Device busy'), script), () => {
    throw new Error('must not be asked')
  })
  assert.deepEqual(verdict.problems, [{ field: 'firewall.2', message: 'Could not process rule: Device busy' }])
})

test('a guess about a table becomes the fault of the rule', async () => {
  const verdict = await explain(refusedBy(at(3, guess), script), async (separate) => {
    const line = separate.findIndex(({ field }) => field === 'firewall.2') + 1
    return refusedBy(at(line, guess), separate)
  })
  assert.deepEqual(verdict.problems, [
    { field: 'firewall.2', message: 'Could not process rule: No such file or directory' },
  ])
})

test('a guess that cannot be asked about again keeps the table, without the guess', async () => {
  const verdict = await explain(refusedBy(at(3, guess), script), async () => null)
  assert.deepEqual(verdict.problems, [
    { field: 'inet portcullis', message: 'Could not process rule: No such file or directory' },
  ])
})
