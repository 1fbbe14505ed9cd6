// Units and tables as a status shows them.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { verbatim } from '../../shared/said.ts'
import type { Observation } from './artifacts.ts'
import { tableStatus, unitStatus } from './observed.ts'

const observation: Observation = {
  plane: 'lab',
  limitation: null,
  appliedRevision: 1,
  links: [],
  tables: [{ name: 'inet filter', present: true, asLoaded: true }],
  units: [{ name: 'resolver', state: 'failed', message: verbatim('Out of memory.'), pid: null }],
}
const seen = (more: Partial<Observation> = {}) => ({
  observation: { ...observation, ...more },
  unreachable: verbatim('applyd is away.'),
})

it('a unit has the state that applyd reports', () => {
  assert.deepEqual(unitStatus(seen(), 'resolver', verbatim('Not running.')), {
    status: 'failed',
    msg: ['Out of memory.'],
  })
  assert.deepEqual(unitStatus(seen(), 'other', verbatim('Not running.')), { status: 'failed', msg: ['Not running.'] })
})

it('a table is active while the kernel has it', () => {
  assert.equal(tableStatus(seen(), 'inet filter', verbatim('Missing.')).status, 'active')
  assert.deepEqual(tableStatus(seen({ tables: [] }), 'inet filter', verbatim('Missing.')), {
    status: 'failed',
    msg: ['Missing.'],
  })
})

it('without applyd, or where nothing is applied, the reason is the message', () => {
  for (const status of [unitStatus, tableStatus]) {
    const away = status({ observation: null, unreachable: verbatim('applyd is away.') }, 'resolver', verbatim('x'))
    assert.deepEqual(away, { status: 'failed', msg: ['applyd is away.'] })
    assert.equal(status(seen({ limitation: 'Nothing is applied.' }), 'resolver', verbatim('x')).status, 'inactive')
  }
})
