// The number of the state's format, by which a package refuses to install a version that could not read the state: it must rise
// with everything that an older version would refuse.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { migrations } from '../../src/core/database/migrations.ts'
import { stateFormat } from '../../src/core/database/state-format.ts'
import { versionOf } from '../../src/core/model/slots.ts'

/** What each format is made of. A new line for each; those that a release has written are never changed. */
const formats: Readonly<Record<number, { readonly migrations: number; readonly versions: Record<string, number> }>> = {
  1: { migrations: 9, versions: {} },
  2: { migrations: 10, versions: {} },
  3: { migrations: 10, versions: { 'portal.second_factor_providers': 2, 'health.webhooks': 2 } },
  4: { migrations: 11, versions: { 'portal.second_factor_providers': 2, 'health.webhooks': 2 } },
  5: { migrations: 12, versions: { 'portal.second_factor_providers': 2, 'health.webhooks': 2 } },
}

const slots = areas.flatMap((area) => area.slots)

describe('the format of the state', () => {
  it('rises with every migration and every upgrade step of a slot', () => {
    const upgraded = slots.filter((slot) => versionOf(slot) > 1).map((slot) => [slot.key, versionOf(slot)])
    const now = { migrations: migrations.length, versions: Object.fromEntries(upgraded) }
    assert.deepEqual(formats[stateFormat], now, 'raise stateFormat by one and add a line to this test')
  })

  it('is the newest of those that are listed', () => {
    assert.equal(stateFormat, Math.max(...Object.keys(formats).map(Number)))
  })
})
