// Settings of the kernel: what a gateway wants, by its memory, and what the status says of forwarding.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAllowed, settingTable } from '../../applyd/machine/setting-table.ts'
import type { Machine } from '../../core/area/handle.ts'
import type { Observation, SettingObservation } from '../../core/plan/artifacts.ts'
import { noFacts } from '../../core/plan/facts.ts'
import { say, verbatim } from '../../shared/said.ts'
import { connectionsFor, kernelSettings } from './kernel.ts'
import { forwardingStatus } from './status-kernel.ts'

const gigabyte = 2 ** 30

describe('settings of the kernel', () => {
  it('are all in the table of applyd, with values that it allows, at any size of memory', () => {
    for (const memoryBytes of [1, 256 * 2 ** 20, gigabyte, 3 * gigabyte, 64 * gigabyte, 4096 * gigabyte])
      for (const { name, value } of kernelSettings({ ...noFacts, memoryBytes }).settings)
        assert.ok(isAllowed(settingTable[name], value), `${name} = ${value}`)
  })

  it('track as many connections as the memory can hold', () => {
    assert.deepEqual(
      [gigabyte / 8, gigabyte, 3 * gigabyte, 4 * gigabyte, 1024 * gigabyte].map(connectionsFor),
      [32_768, 65_536, 131_072, 262_144, 2_097_152],
    )
  })

  it('have room for more neighbours than one host makes up, and never a limit below the number at which room is made', () => {
    const { settings } = kernelSettings(noFacts)
    for (const family of ['ipv4', 'ipv6']) {
      const [limit, room] = settings.filter(({ name }) => name.startsWith(`net.${family}.neigh.`))
      assert.match(`${limit?.name} ${room?.name}`, /gc_thresh3 .*gc_thresh2$/, 'the limit is written first')
      assert.ok(Number(limit?.value) >= 65_536)
      assert.ok(Number(room?.value) >= 1024 && Number(room?.value) < Number(limit?.value))
    }
    assert.ok(Object.entries(settingTable).every(([name, { isMinimum }]) => !name.includes('.neigh.') || isMinimum))
  })

  it('leave the number of connections alone where the memory is not known', () => {
    assert.ok(kernelSettings(noFacts).settings.every(({ name }) => !/_max$|_buckets$/.test(name)))
  })
})

describe('the status of forwarding', () => {
  const observation: Observation = {
    plane: 'host',
    limitation: null,
    appliedRevision: 1,
    tables: [],
    links: [],
    units: [],
  }
  const machine = (change: Partial<Observation> | null): Machine => ({
    observation: change && { ...observation, ...change },
    unreachable: verbatim('applyd does not answer.'),
    applyError: null,
  })
  const found = (change: Partial<SettingObservation>): Machine =>
    machine({
      settings: [
        {
          name: 'net.ipv4.ip_forward',
          value: '1',
          wanted: '1',
          before: '0',
          state: 'set',
          message: '' as const,
          ...change,
        },
      ],
    })

  it('is active while the kernel forwards, and says when another program had changed it', () => {
    assert.deepEqual(forwardingStatus(found({})), { name: 'forwarding', status: 'active', msg: [] })
    const message = say`Another program had set it to 0; it was corrected at 2026-01-01T00:00:00Z.`
    assert.deepEqual(forwardingStatus(found({ message })), { name: 'forwarding', status: 'active', msg: [message] })
  })

  it('says why the machine does not forward', () => {
    const message = say`/proc/sys/net/ipv4/ip_forward has another value.`
    assert.deepEqual(forwardingStatus(found({ value: '0', state: 'different', message })), {
      name: 'forwarding',
      status: 'failed',
      msg: [`The machine does not forward between its networks. ${message}`],
    })
    assert.equal(forwardingStatus(machine({})).status, 'failed')
    assert.equal(forwardingStatus(machine(null)).status, 'failed')
    assert.equal(forwardingStatus(machine({ limitation: 'no namespaces here' })).status, 'inactive')
  })
})
