import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePolicy } from './compile.ts'
import { emptyPolicy } from './model.ts'

const chainsOf = (isClassifying: boolean) =>
  (compilePolicy({ ...emptyPolicy, isClassifying })[0]?.pieces ?? []).filter(({ name }) => name.startsWith('classify'))

test('the first packets of connections are copied only while something looks at them', () => {
  assert.deepEqual(chainsOf(false), [])
  const names = chainsOf(true).map(({ name }) => name)
  assert.deepEqual(names, ['classify', 'classify_forward', 'classify_input', 'classify_output'])
})

test('copies are bounded in number and length, for all hooks together', () => {
  const text = JSON.stringify(chainsOf(true))
  assert.equal(text.split('log group 7 snaplen 1500').length, 2)
  assert.match(text, /limit rate 10000\/second burst 10000 packets/)
  assert.equal(text.split('ct packets 1-24 jump classify').length, 7)
})
