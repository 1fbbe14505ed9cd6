// What the status of the flow export says, from the unit as applyd observes it and from the report of the exporter.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import { verbatim } from '../../shared/said.ts'
import { flowSettings, flowState } from './config.ts'
import { flowItems } from './status.ts'

const config: Config = write(write({}, flowState, { enabled: true }), flowSettings, {
  ...flowSettings.initial,
  destination_ip: '192.0.2.9',
  exported_interfaces: ['interface.vpn_traffic'],
})
const report = { at: 1, flows: 12, packets: 3, failedPackets: 0, lostConnections: 0, open: 1, fault: '' as const }

const machine = (state: 'active' | 'failed', message = '') => ({
  observation: {
    limitation: null,
    units: [{ name: 'flow-export', state, message }],
    tables: [],
  } as unknown as Observation,
  unreachable: verbatim('The apply service does not answer.'),
  applyError: null,
})
const shown = (...args: Parameters<typeof flowItems>) => flowItems(...args).map(({ status, msg }) => [status, ...msg])

describe('the status of the flow export', () => {
  it('counts what was sent', () => {
    assert.deepEqual(shown({ config, report, ...machine('active') }), [
      ['active', 'Sent to 192.0.2.9:2055 since the exporter started: 12 flows in 3 packets.'],
    ])
    assert.deepEqual(shown({ config, report: null, ...machine('active') }), [['active', 'Nothing has been sent yet.']])
  })

  it('shows what did not arrive, and why', () => {
    const bad = { ...report, failedPackets: 4, lostConnections: 7, fault: verbatim('ECONNREFUSED') }
    const [, ...lines] = shown({ config, report: bad, ...machine('active') })[0] ?? []
    assert.deepEqual(lines.slice(1), [
      'The collector 192.0.2.9:2055 refuses packets: nothing listens on its port.',
      'Packets that did not reach the collector: 4.',
      'Connections that ended faster than they could be counted and are missing: 7.',
    ])
    const [unreachable] = shown({ config, report: { ...report, fault: verbatim('ENETUNREACH') }, ...machine('active') })
    assert.equal(unreachable?.[2], 'The last packet to 192.0.2.9:2055 could not be sent (ENETUNREACH).')
  })

  it('shows why the exporter does not run', () => {
    const why = 'The kernel does not offer events of connections (nf_conntrack_events).'
    assert.deepEqual(shown({ config, report, ...machine('failed', why) }), [['failed', why]])
    assert.deepEqual(
      shown({ config, report, observation: null, unreachable: verbatim('No answer.'), applyError: null }),
      [['failed', 'No answer.']],
    )
  })
})
