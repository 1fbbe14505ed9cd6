// The firewall status tells what the machine holds, in each state it can be in.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Observation } from '../../plan/artifacts.ts'
import { snatOrigin, tableName } from './render.ts'
import { type FirewallView, firewallStatusItems } from './status.ts'

const loaded: Observation = {
  plane: 'lab',
  limitation: null,
  appliedRevision: 3,
  tables: [
    {
      name: tableName,
      present: true,
      asLoaded: true,
      rules: [{ chain: 'postrouting', comment: snatOrigin, packets: 0 }],
    },
  ],
  units: [],
}
const view: FirewallView = {
  settings: { automatic_snat_enabled: true, log_mode: 'nothing', log_actions: [] },
  observation: loaded,
  unreachable: '',
  facts: { interfaces: [], externalInterfaces: ['wan0'] },
  applyError: null,
}
const table = (change: object): Observation => ({
  ...loaded,
  tables: loaded.tables.map((one) => ({ ...one, ...change })),
})

describe('the firewall status', () => {
  const rows: [title: string, change: Partial<FirewallView>, rules: string, snat: string][] = [
    ['when all is loaded', {}, 'active', 'active'],
    ['when applyd does not answer', { observation: null, unreachable: 'no answer' }, 'failed', 'failed'],
    ['where nothing can be applied', { observation: { ...loaded, limitation: 'no rights' } }, 'inactive', 'inactive'],
    ['when the table is gone', { observation: { ...loaded, tables: [] } }, 'failed', 'failed'],
    ['when the table is empty', { observation: table({ present: false, rules: [] }) }, 'failed', 'failed'],
    ['when somebody changed the rules', { observation: table({ asLoaded: false }) }, 'failed', 'active'],
    ['when the SNAT rule is gone', { observation: table({ rules: [] }) }, 'active', 'failed'],
    ['when the last apply failed', { applyError: 'nft said no' }, 'failed', 'active'],
    ['without an external interface', { facts: { interfaces: [], externalInterfaces: [] } }, 'active', 'failed'],
    ['with SNAT switched off', { settings: { ...view.settings, automatic_snat_enabled: false } }, 'active', 'inactive'],
  ]
  for (const [title, change, rules, snat] of rows) {
    it(`${title} is ${rules} and ${snat}`, () => {
      const items = firewallStatusItems({ ...view, ...change })
      assert.deepEqual(
        items.map((item) => [item.name, item.status]),
        [
          ['rules-in-kernel', rules],
          ['auto-snat', snat],
        ],
      )
      for (const item of items) assert.equal(item.msg.length > 0, item.status !== 'active', item.name)
    })
  }

  it('says that nothing is logged yet, when logging is asked for', () => {
    const items = firewallStatusItems({ ...view, settings: { ...view.settings, log_mode: 'all' } })
    assert.equal(items.at(-1)?.name, 'log')
    assert.equal(items.at(-1)?.status, 'inactive')
  })
})
