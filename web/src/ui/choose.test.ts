// Whatever there is to choose from, the exact one wins.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Choice, createValue, offered } from './choose.ts'

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text)
const labels = (choices: readonly Choice[]): string[] =>
  choices.map(({ value, label }) => (value === createValue ? `+${label}` : label))

test('a port that is typed is not the port that contains it', () => {
  const choices = [
    { value: 'port.id.1', label: '8080', kind: 'port' },
    { value: 'port.id.2', label: 'web', kind: '443' },
  ]
  const typed = (text: string) => labels(offered(choices, { text, canCreate: true, isValue: isPort }))
  assert.deepEqual(typed('80'), ['+80', '8080'])
  assert.deepEqual(typed('8080'), ['8080'])
  assert.deepEqual(typed('443'), ['web'], 'found by what it stands for')
  assert.deepEqual(typed('44'), ['+44', 'web'])
  assert.deepEqual(typed('we'), ['web', '+we'], 'the beginning of a name is not a value')
  assert.deepEqual(typed(''), ['8080', 'web'])
})

const word = fc.string({ unit: fc.constantFrom('8', '0', '1', 'a', 'A', 'b', ' ', '.'), maxLength: 4 })
const choice = fc.record({
  value: word,
  label: word,
  kind: fc.option(word, { nil: undefined }),
  hint: fc.option(word, { nil: undefined }),
})

test('the first choice is exactly what was typed whenever one is, or a new value when it is one', () => {
  fc.assert(
    fc.property(fc.array(choice, { maxLength: 12 }), word, fc.boolean(), (choices, text, canCreate) => {
      const wanted = text.trim()
      const found = offered(choices, { text, canCreate, isValue: isPort })
      const isExact = ({ value, label, kind }: Choice): boolean => [value, label, kind].includes(wanted)
      const [first] = found
      if (wanted === '') assert.deepEqual(found, choices)
      else if (choices.some(isExact)) assert.ok(first && first.value !== createValue && isExact(first))
      else if (canCreate && isPort(wanted))
        assert.ok(
          first &&
            (first.value === createValue ||
              [first.label, first.kind].some((one) => one?.toLocaleLowerCase() === wanted.toLocaleLowerCase())),
        )
      // Nothing that contains the text is left out, and nothing is offered twice.
      const whole = ({ label, kind = '', hint = '' }: Choice): string => `${label} ${kind} ${hint}`.toLocaleLowerCase()
      const listed = found.filter(({ value }) => value !== createValue)
      assert.equal(new Set(listed).size, listed.length)
      for (const one of choices) if (whole(one).includes(wanted.toLocaleLowerCase())) assert.ok(found.includes(one))
      assert.ok(
        found.filter(({ value }) => value === createValue).length <=
          (canCreate && !choices.some(isExact) && wanted !== '' ? 1 : 0),
      )
    }),
  )
})
