// What is said in English, and what a client gets to say it in another language.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printSaid, say, sentencesOf } from './said.ts'

test('a sentence has the same text whatever its values are', () => {
  const load = (value: number) => say`The load is ${value} on ${2} processors.`
  assert.equal(load(1).text, 'The load is {0} on {1} processors.')
  assert.deepEqual(load(7), { text: load(1).text, values: ['7', '2'] })
  assert.equal(printSaid(load(7)), 'The load is 7 on 2 processors.')
})

test('values are never read as places of values, and what others said stands as it is', () => {
  assert.equal(printSaid(say`${'{1}'} and ${'b'}`), '{1} and b')
  const said = [say`It failed.`, '', ['exit {0}', say`Try again.`]]
  assert.deepEqual(sentencesOf(said), [
    { text: 'It failed.', values: [] },
    { text: '{0}', values: ['exit {0}'] },
    { text: 'Try again.', values: [] },
  ])
  assert.equal(printSaid(said), 'It failed. exit {0} Try again.')
})
