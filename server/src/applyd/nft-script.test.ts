// The text of a script; that nft reads it the same way is tested with the ruleset.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { NftPiece } from '../core/plan/artifacts.ts'
import { makePiece, printTable } from '../core/plan/nft-piece.ts'
import { ownApp } from '../shared/files/plain.ts'
import { changeOf, composeScript, elementChangesOf } from './nft-script.ts'
import { chain, set } from './stand-ins/harness.ts'

const spec = { command: ['nft'], tables: ['inet portcullis'], boot: 'inet boot' } as const

test('a count goes to the first rule of its origin that counts, and never into quotes', () => {
  const lines = [
    'iifname "counter" accept comment "r.1"',
    'iifname "my counter" counter accept comment "r.1"',
    'counter drop comment "r.1"',
    'tcp dport 80 counter',
  ]
  const piece = makePiece({ kind: 'chain', name: 'forward', head: '', lines, origin: '' })
  const counts = new Map([['r.1', { packets: 5, bytes: 70 }]])
  const script = composeScript(spec, [changeOf('inet portcullis', null, [piece])], counts)
  const texts = script.map(({ text }) => text)
  assert.deepEqual(texts.slice(texts.indexOf('  chain forward {') + 1).slice(0, lines.length), [
    `    ${lines[0]}`,
    '    iifname "my counter" counter packets 5 bytes 70 accept comment "r.1"',
    `    ${lines[2]}`,
    `    ${lines[3]}`,
  ])
  assert.equal(counts.size, 0)
})

test('a new table is loaded with the text that golden files and diffs show', () => {
  const pieces = [
    makePiece({ kind: 'set', name: 's', head: 'type ipv4_addr', lines: ['10.0.0.1', '10.0.0.2'], origin: 'objects.s' }),
    makePiece({ kind: 'chain', name: 'c', head: '', lines: ['ip saddr @s counter drop comment "r.1"'], origin: '' }),
  ]
  const script = composeScript(spec, [changeOf('inet extra', null, pieces)], new Map())
  const text = script.map((line) => `${line.text}\n`).join('')
  assert.equal(text, `table inet extra\ndelete table inet extra\n${printTable('inet extra', pieces)}`)
  const fields = Object.fromEntries(script.map((line) => [line.text.trim(), line.field]))
  assert.equal(fields['elements = { 10.0.0.1, 10.0.0.2 }'], 'objects.s')
  assert.equal(fields['ip saddr @s counter drop comment "r.1"'], 'r.1')
})

test('a change of elements of address sets alone is recognised, with what was removed and added', () => {
  const [kept, gone, fresh] = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
  const before = [chain('a', ['accept']), set('s', [kept, gone]), set('i', [kept], 'type ipv4_addr; flags interval;')]
  const change = (...wanted: readonly NftPiece[]) => elementChangesOf([changeOf('inet t', before, wanted)])
  const [a, , i] = before as [NftPiece, NftPiece, NftPiece]
  const common = { table: 'inet t', set: 's', kind: 'hash', field: 's' }
  assert.deepEqual(change(a, set('s', [kept, fresh]), i), [
    { ...common, verb: 'delete', elements: [gone] },
    { ...common, verb: 'add', elements: [fresh] },
  ])
  assert.equal(change(a, i, set('s', [kept]))?.[0]?.elements.length, 1)
  assert.equal(change(chain('a', ['drop']), set('s', [kept]), i), null)
  assert.equal(change(a, i), null)
  assert.equal(change(...before, set('more', [kept])), null)
  assert.equal(elementChangesOf([changeOf('inet t', null, before)]), null)
  const others = [set('p', ['80'], 'type inet_service'), set('m', [kept], 'type ipv4_addr; flags interval; auto-merge')]
  for (const one of others)
    assert.equal(elementChangesOf([changeOf('inet t', [one], [{ ...one, hash: 'other' }])]), null)
})

test('rules before the first plan are those that are loaded before the first card comes up', () => {
  const production = { ...spec, boot: 'inet portcullis_boot' }
  const texts = composeScript(production, [changeOf('inet portcullis', null, [])], new Map()).map(({ text }) => text)
  const lines = readFileSync(join(ownApp, 'deploy/boot.nft'), 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    texts.slice(texts.indexOf('table inet portcullis_boot')),
    lines.filter((line) => !line.startsWith('#')),
  )
})
