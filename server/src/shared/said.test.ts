// What is said in English, and what a client gets to say it in another language.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, printSaid, type Said, say, sentencesIn, verbatim } from './said.ts'
import { sayText, sentencesOf } from './said-texts.ts'

test('a sentence has the same code and text whatever its values are', () => {
  const load = (value: number) => say`The load is ${value} on ${2} processors.`
  assert.equal(load(7), 'The load is 7 on 2 processors.')
  assert.deepEqual(sentencesIn([load(7)]), [
    {
      message: 'The load is 7 on 2 processors.',
      code: 'the_load_is_x_on_x_processors',
      text: 'The load is {0} on {1} processors.',
      values: ['7', '2'],
    },
  ])
  assert.equal(sentencesIn([load(8)])[0]?.code, 'the_load_is_x_on_x_processors')
})

test('a text that is declared elsewhere has its values by name', () => {
  assert.equal(sayText('Must be at most {limit}.', { limit: 9 }), 'Must be at most 9.')
  assert.deepEqual(sentencesIn(['Must be at most 9.'])[0]?.values, ['9'])
})

test('sentences inside of sentences come with them', () => {
  const outer = say`The backup failed: ${say`The disk ${'sda'} is full.`}`
  assert.deepEqual(
    sentencesIn([outer, 'exit 1']).map(({ text }) => text),
    ['The backup failed: {0}', 'The disk {0} is full.'],
  )
})

test('values are never read as places of values, and what others said is given as it is', () => {
  assert.equal(say`${'{1}'} and ${'b'}`, '{1} and b')
  const said: Said = [say`It failed.`, '', [verbatim('exit {0}'), say`Try again.`]]
  assert.deepEqual(sentencesOf(said), [
    { text: 'It failed.', values: [] },
    { text: '{0}', values: ['exit {0}'] },
    { text: 'Try again.', values: [] },
  ])
  assert.equal(printSaid(said), 'It failed. exit {0} Try again.')
})

test('what is asked for stays, and what no one asks for is forgotten', () => {
  const kept = say`The number ${-1} stays.`
  for (let at = 0; at < 20_000; at++) {
    say`The number ${at} is counted.`
    if (at % 1_000 === 0) assert.equal(sentencesIn([kept]).length, 1)
  }
  assert.deepEqual(sentencesIn(['The number 0 is counted.']), [])
})

test('long values push out what was said before them, so that clients cannot fill the memory', () => {
  const long = (at: number) => say`The text ${`${at} ${'x'.repeat(7_000)}`} is too long.`
  const first = long(0)
  for (let at = 1; at < 200; at++) long(at)
  assert.deepEqual(sentencesIn([first]), [])
  assert.equal(sentencesIn([long(199)]).length, 1)
})

test('the code of a long text is short, and differs from that of a text with the same beginning', () => {
  const words = 'One two three four five six seven eight nine ten eleven twelve'
  const [first, second] = [codeOf(`${words} thirteen.`), codeOf(`${words} fourteen.`)]
  assert.match(first, /^one_two_three_[a-z_]+_[\da-f]{4}$/)
  assert.notEqual(first, second)
  assert.ok(first.length <= 56)
})
