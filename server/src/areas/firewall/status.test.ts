// The firewall status shows what the machine holds, in each state it can be in, and what is stored but not applied.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addTo } from '../../core/model/lists.ts'
import { write } from '../../core/model/slots.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import { verbatim } from '../../shared/said.ts'
import { profiles } from '../application-profiles/config.ts'
import { block, logRules, settings } from './config.ts'
import { ruleLists } from './lists.ts'
import { isLogging } from './logging.ts'
import { type FirewallView, firewallStatusItems } from './status.ts'

const rules = 'inet portcullis'
const hardware = 'netdev portcullis_hw'

const loaded: Observation = {
  plane: 'lab',
  limitation: null,
  appliedRevision: 3,
  tables: [{ name: rules, present: true, asLoaded: true }],
  links: [],
  units: [],
}
const view: FirewallView = {
  config: {},
  observation: loaded,
  unreachable: '' as const,
  applyError: null,
  externalDevices: ['wan0'],
  routedDevices: ['wan0'],
  hasHardwareFilter: false,
  testsFault: null,
  unresolved: null,
  conflicts: [],
}
const table = (change: object): Observation => ({
  ...loaded,
  tables: loaded.tables.map((one) => ({ ...one, ...change })),
})

describe('the firewall status', () => {
  const snatOff = write({}, settings, { ...settings.initial, automatic_snat_enabled: false })
  const rows: [title: string, change: Partial<FirewallView>, rules: string, snat: string][] = [
    ['when all is loaded', {}, 'active', 'active'],
    ['when applyd does not answer', { observation: null, unreachable: verbatim('no answer') }, 'failed', 'failed'],
    ['where nothing can be applied', { observation: { ...loaded, limitation: 'no rights' } }, 'inactive', 'inactive'],
    ['when the table is gone', { observation: { ...loaded, tables: [] } }, 'failed', 'failed'],
    ['when the table is empty', { observation: table({ present: false }) }, 'failed', 'failed'],
    ['when another program changed the rules', { observation: table({ asLoaded: false }) }, 'failed', 'active'],
    ['when the last apply failed', { applyError: verbatim('nft said no') }, 'failed', 'active'],
    ['without an external interface', { externalDevices: [] }, 'active', 'failed'],
    ['without a default route', { routedDevices: [] }, 'active', 'failed'],
    ['with a default route elsewhere', { routedDevices: ['lan0'] }, 'active', 'failed'],
    ['with one provider of two', { externalDevices: ['wan1', 'wan0'] }, 'active', 'active'],
    ['with SNAT disabled', { config: snatOff }, 'active', 'inactive'],
  ]
  for (const [title, change, kernel, snat] of rows) {
    it(`${title} is ${kernel} and ${snat}`, () => {
      const items = firewallStatusItems({ ...view, ...change })
      assert.deepEqual(
        items.map((item) => [item.name, item.status]),
        [
          ['rules-in-kernel', kernel],
          ['auto-snat', snat],
        ],
      )
      for (const item of items) assert.equal(item.msg.length > 0, item.status !== 'active', item.name)
    })
  }

  const itemOf = (name: string, change: Partial<FirewallView>) =>
    firewallStatusItems({ ...view, ...change }).find((item) => item.name === name)

  it('shows hardware filtering only where it is asked for, and whether its table is there', () => {
    assert.equal(itemOf('hardware-filtering', {}), undefined)
    assert.equal(itemOf('hardware-filtering', { hasHardwareFilter: true })?.status, 'failed')
    const tables = [...loaded.tables, { name: hardware, present: true, asLoaded: true }]
    const observation = { ...loaded, tables }
    assert.equal(itemOf('hardware-filtering', { hasHardwareFilter: true, observation })?.status, 'active')
  })

  it('shows the log only where it is asked for, and what its reader does', () => {
    const logging = write({}, settings, { ...settings.initial, log_mode: 'all' })
    assert.equal(itemOf('log', {}), undefined)
    assert.equal(itemOf('log', { config: logging })?.status, 'inactive')
    const marking = addTo(logging, ruleLists.log, 1, { action: 'mark_log' })
    assert.equal(logRules.key in marking, true)
    assert.equal(itemOf('log', { config: marking })?.status, 'failed')
    const units = [{ name: 'firewall-log', state: 'active' as const, message: '' as const, pid: 7 }]
    assert.deepEqual(itemOf('log', { config: marking, observation: { ...loaded, units } }), {
      name: 'log',
      status: 'active',
      msg: [],
    })
  })

  it('says nothing of a log that nothing but inspection writes to', () => {
    const known = write({}, profiles, [{ id: 'one', name: 'One', comment: '', protocols: [] }])
    const asking = addTo(known, ruleLists.forward, 1, { action: 'accept', dpi_enabled: true, dpi_profile: 'one' })
    assert.equal(isLogging(asking), true)
    assert.equal(itemOf('log', { config: asking }), undefined)
    assert.equal(itemOf('inspection', { config: asking }), undefined)
  })

  it('says that failed rule tests block the traffic', () => {
    assert.equal(itemOf('rule-tests', {}), undefined)
    assert.equal(itemOf('rule-tests', { config: write({}, block, { blocked: true }) })?.status, 'failed')
  })

  it('says that a run of the rule tests failed', () => {
    assert.deepEqual(itemOf('rule-tests', { testsFault: 'No namespaces here.' }), {
      name: 'rule-tests',
      status: 'failed',
      msg: ['The last run of the rule tests failed: No namespaces here.'],
    })
  })
})
