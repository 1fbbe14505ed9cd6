// What a plan may write into a file, against a gatewayd that is not ours any more.
// Requirement 52.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsIn, formOf } from './forms.ts'

const unit = {
  files: {
    'a.conf': { lines: ['', 'fixed', /^port=[0-9]{1,5}$/], mostLineBytes: 10 },
    'secret.conf': { lines: ['fixed'], isSecret: true },
    'whole.json': { whole: /^\{"a":[0-9]\}\n$/, fault: 'Not so.' },
    'zone.*': { lines: ['fixed'] },
    'own.json': 'own program',
  },
} as const

test('each line is one of the forms, in any order', () => {
  assert.deepEqual(faultsIn(unit, 'a.conf', 'port=53\nfixed\n'), [])
  assert.deepEqual(faultsIn(unit, 'a.conf', 'fixed\nport=53\nport=x'), ['The line "port=x" is not allowed in a.conf.'])
  for (const line of ['fixed ', ' fixed', 'Fixed', 'fixed\r', 'port=53 #', 'include=/etc/x', 'port=5\u2028'])
    assert.equal(faultsIn(unit, 'a.conf', `fixed\n${line}\nfixed`).length, 1, line)
  assert.equal(faultsIn(unit, 'a.conf', 'x\n'.repeat(100_000)).length, 3)
})

test('a line is bounded in bytes, and a fault repeats little of it', () => {
  const long = { files: { 'b.conf': { lines: [/^é+$/u], mostLineBytes: 10 } } }
  assert.deepEqual(faultsIn(long, 'b.conf', 'é'.repeat(5)), [])
  assert.equal(faultsIn(long, 'b.conf', 'é'.repeat(6)).length, 1)
  assert.ok((faultsIn(unit, 'a.conf', 'x'.repeat(1_000_000))[0] ?? '').length < 200)
})

test('a fault of a file with secrets repeats nothing', () => {
  assert.deepEqual(faultsIn(unit, 'secret.conf', 'fixed\npassword'), ['Line 2 is not allowed in secret.conf.'])
})

test('a whole text is of its form', () => {
  assert.deepEqual(faultsIn(unit, 'whole.json', '{"a":1}\n'), [])
  for (const text of ['', '{"a":1}', '{"a":1}\n\n', 'x\n{"a":1}\n', '{"a":1}\n{"a":1}\n'])
    assert.deepEqual(faultsIn(unit, 'whole.json', text), ['Not so.'], text)
})

test('a file without a form may hold nothing, whatever it is called', () => {
  for (const name of ['b.conf', 'toString', 'constructor', '__proto__', 'zone', 'a.conf.x', ''])
    assert.deepEqual(faultsIn(unit, name, 'fixed'), [`The file ${name} is not known.`])
  assert.equal(formOf(unit, 'zone.b'), unit.files['zone.*'])
})

test('what only a program of ours reads is not read here', () => {
  assert.deepEqual(faultsIn(unit, 'own.json', 'anything'), [])
})
