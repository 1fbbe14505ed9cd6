// Edits of a declared list judge an item in its place, and know what it replaces.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { say } from '../../shared/said.ts'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { declareList } from './declarations.ts'
import { addTo, updateIn } from './lists.ts'
import { list, read } from './slots.ts'

const slot = list('sample.seats', strictObject({ id: Type.Integer(), room: Type.String(), isFull: Type.Boolean() }))
const maxSeats = 2

const seats = declareList({
  slot,
  ids: { kind: 'number' },
  noun: 'seat',
  defaults: { isFull: false },
  problemsOf: (config, { room }) =>
    read(config, slot).filter((other) => other.room === room).length > maxSeats
      ? [{ field: 'room', message: say`The room is full.` }]
      : [],
  conflictsOf: (_, { room, isFull }, current) =>
    isFull && room !== current?.room ? [{ field: 'room', message: say`A taken seat cannot be moved.` }] : [],
})

it('a limit over several items counts the new one', () => {
  const two = addTo(addTo({}, seats, 1, { room: 'a' }), seats, 2, { room: 'a' })
  assert.throws(() => addTo(two, seats, 3, { room: 'a' }), { code: 'invalid' })
  const three = addTo(two, seats, 3, { room: 'b' })
  assert.throws(() => updateIn(three, seats, 3, { room: 'a' }), { code: 'invalid' })
  assert.deepEqual(read(updateIn(three, seats, 2, { room: 'b' }), slot)[1], { id: 2, room: 'b', isFull: false })
})

it('a conflict can depend on the stored value', () => {
  const one = addTo({}, seats, 1, { room: 'a' })
  const taken = updateIn(one, seats, 1, { isFull: true })
  assert.throws(() => updateIn(taken, seats, 1, { room: 'b' }), { code: 'conflict' })
  assert.throws(() => addTo({}, seats, 1, { room: 'a', isFull: true }), { code: 'conflict' })
})
