// Who may ask SNMP and the monitoring agent, what the firewall does for that, and what the status says.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Machine } from '../../core/area/handle.ts'
import { type Config, write } from '../../core/model/slots.ts'
import type { UnitObservation } from '../../core/plan/artifacts.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { verbatim } from '../../shared/said.ts'
import { agentServers, agentServices, guardedSnmp, snmpServices } from './agents.ts'
import { agentSettings, snmpSettings, snmpState } from './config.ts'
import { renderAgents } from './render-agents.ts'
import { isAgentRunning, snmpItems } from './status.ts'

const sealed = { sealed: 'v1.1.a.b' }
const snmp = (fields: Partial<typeof snmpSettings.initial>, enabled = true): Config =>
  write(write({}, snmpSettings, { ...snmpSettings.initial, ...fields }), snmpState, { enabled })
const agent = (fields: Partial<typeof agentSettings.initial>): Config =>
  write({}, agentSettings, { ...agentSettings.initial, enabled: true, ...fields })
const machineWith = (...units: Partial<UnitObservation>[]): Machine => ({
  observation: {
    plane: 'lab',
    limitation: null,
    appliedRevision: 1,
    tables: [],
    links: [],
    units: units.map((unit) => ({ name: 'snmp', state: 'active', message: '' as const, pid: 1, ...unit })),
  },
  unreachable: '' as const,
  applyError: null,
})
const range = (low: string, high: string) => [parseAddress(low), parseAddress(high)]

describe('SNMP', () => {
  const complete = { community: sealed, hosts: ['192.0.2.9/24', '198.51.100.1'] }

  it('is reached by trusted hosts only, and from outside only when that is allowed', () => {
    const peers = [...range('192.0.2.0', '192.0.2.255'), ...range('198.51.100.1', '198.51.100.1')]
    const [inside] = guardedSnmp(snmp(complete))
    assert.deepEqual(inside?.peers, peers)
    assert.equal(inside?.isOpenOutside, false)
    assert.deepEqual(snmpServices(snmp(complete)), [])
    const config = snmp({ ...complete, allow_external: true })
    assert.equal(guardedSnmp(config)[0]?.isOpenOutside, true)
    assert.deepEqual(
      snmpServices(config).map(({ protocol, destinationPort }) => [protocol, destinationPort]),
      [['udp', 161]],
    )
  })

  it('runs only when someone can read, and says what is missing', () => {
    const cases: [Config, string[]][] = [
      [snmp({}), ['No trusted host is listed.', 'The community is missing.']],
      [snmp({ ...complete, version: 3 }), ['The user is missing.', 'The password is missing.']],
      [snmp({ ...complete, version: 3, user: '-e', password: sealed }), ['The user name cannot be used.']],
    ]
    for (const [config, faults] of cases) {
      assert.deepEqual(renderAgents(config), [])
      assert.deepEqual(guardedSnmp(config), [])
      const [item] = snmpItems(config, machineWith())
      assert.equal(item?.status, 'failed')
      assert.deepEqual(item?.msg, [...faults, 'No one can read until this is set.'])
    }
    assert.deepEqual(renderAgents(snmp(complete, false)), [])
    assert.equal(snmpItems(snmp(complete, false), machineWith())[0]?.status, 'inactive')
  })

  it('has the state of its unit, and names the package that is missing', () => {
    const config = snmp(complete)
    assert.deepEqual(snmpItems(config, machineWith({})), [{ name: 'snmpd', status: 'active', msg: [] }])
    const message = verbatim(
      'snmp ended with status 127. setpriv: failed to execute /usr/sbin/snmpd: No such file or directory',
    )
    assert.deepEqual(snmpItems(config, machineWith({ state: 'failed', message }))[0]?.msg, [
      'The program snmpd is not installed (Debian package snmpd).',
    ])
    assert.equal(snmpItems(config, machineWith())[0]?.status, 'failed')
  })
})

describe('the monitoring agent', () => {
  it('uses the servers of the modes that are enabled', () => {
    const servers = { active_mode_servers: ['Monitor.Example'], passive_mode_servers: ['192.0.2.1:10051', '192.0.2.1'] }
    assert.deepEqual(agentServers(agent(servers)), { connected: [], asking: [] })
    assert.deepEqual(agentServers(agent({ ...servers, active_mode_enabled: true, passive_mode_enabled: true })), {
      connected: ['monitor.example:10051'],
      asking: ['192.0.2.1'],
    })
    assert.deepEqual(renderAgents(agent(servers)), [])
  })

  it('is open from outside for its servers, and for anyone when one of them is a name, which it resolves itself', () => {
    const passive = (...passive_mode_servers: string[]) =>
      agentServices(agent({ passive_mode_enabled: true, passive_mode_servers, listen_port: 10_051 }))
    assert.deepEqual(passive('192.0.2.1', '192.0.2.2:10051')[0]?.peers, [...range('192.0.2.1', '192.0.2.2')])
    assert.equal(passive('192.0.2.1')[0]?.destinationPort, 10_051)
    assert.equal(passive('192.0.2.1', 'monitor.example')[0]?.peers, null)
    assert.deepEqual(agentServices(agent({ active_mode_enabled: true, active_mode_servers: ['192.0.2.1'] })), [])
  })

  it('runs when its unit does', () => {
    const config = agent({ active_mode_enabled: true, active_mode_servers: ['192.0.2.1'], hostname: 'gateway' })
    assert.equal(isAgentRunning(config, machineWith({ name: 'monitoring-agent' })), true)
    assert.equal(isAgentRunning(config, machineWith({ name: 'monitoring-agent', state: 'failed' })), false)
    assert.equal(isAgentRunning(config, machineWith()), false)
    assert.equal(isAgentRunning(agent({ enabled: false }), machineWith({ name: 'monitoring-agent' })), false)
  })
})
