// The status of the DHCP service, from what applyd observed of its units.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { facts, lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, write } from '../../core/model/slots.ts'
import type { Observation, UnitObservation } from '../../core/plan/artifacts.ts'
import { type SaidText, verbatim } from '../../shared/said.ts'
import { connections } from '../network/config.ts'
import { entries, staticLeases } from './config.ts'
import { dhcpStatusItems } from './status.ts'

const server = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 60,
  options: [],
  ranges: [],
  routes: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: true,
}
const entry = { id: 'e', enabled: true, interface: 'interface.id.1', relay: null, server }
const config: Config = write(write({}, connections, [lan, wan]), entries, [entry])

const unit = (name: string, state: UnitObservation['state'] = 'active', message = ''): UnitObservation => ({
  name,
  state,
  message: verbatim(message),
  pid: 1,
})
const seen = (units: readonly UnitObservation[], limitation: string | null = null): Observation => ({
  plane: 'lab',
  limitation,
  appliedRevision: 1,
  tables: [],
  links: [],
  units,
})
const items = (observation: Observation | null, from = config, applyError: SaidText | null = null) =>
  dhcpStatusItems({
    config: from,
    facts,
    machine: { observation, unreachable: verbatim('applyd is away.'), applyError },
  })
const both = [unit('dhcp'), unit('wpad.10.10.0.1')]

describe('the status of DHCP', () => {
  it('is that of the units', () => {
    assert.deepEqual(
      items(seen(both)).map(({ name, status }) => [name, status]),
      [
        ['dhcp-server', 'active'],
        ['dhcp-relay', 'inactive'],
        ['wpad', 'active'],
      ],
    )
    assert.equal(items(seen([unit('dhcp', 'activating')]))[0]?.status, 'activating')
  })

  it('says in the words of the specification that the service ended or never started, and why', () => {
    const messagesFor = (message: string) => {
      const [item] = items(seen([unit('dhcp', 'failed', message)]))
      assert.equal(item?.status, 'failed')
      return item?.msg
    }
    assert.deepEqual(messagesFor('dhcp ended with signal SIGKILL. dnsmasq-dhcp: read /var/lib/x/hosts'), [
      'Service stopped.',
      'dhcp ended with signal SIGKILL.',
    ])
    const words = 'dhcp ended with status 2. dnsmasq: failed to bind DHCP server socket: Address already in use'
    assert.deepEqual(messagesFor(words), ['Module could not start.', 'Service stopped.', words])
    const missing =
      'dhcp ended with status 127. prlimit: failed to execute /usr/sbin/dnsmasq: No such file or directory'
    assert.deepEqual(messagesFor(missing)?.slice(-1), [
      'The program dnsmasq is not installed (Debian package dnsmasq-base).',
    ])
    assert.deepEqual(items(seen([]))[0]?.msg, ['Service stopped.'])
    assert.deepEqual(items(seen([]), config, verbatim('No disk.'))[0]?.msg, ['No disk.'])
  })

  it('never claims what cannot be seen', () => {
    assert.deepEqual(items(null)[0], { name: 'dhcp-server', status: 'failed', msg: ['applyd is away.'] })
    for (const name of ['dhcp-server', 'wpad']) {
      const item = items(seen([], 'Nothing is applied here.')).find((one) => one.name === name)
      assert.deepEqual(
        [item?.status, item?.msg],
        ['inactive', ['Stored and checked, not applied: Nothing is applied here.']],
      )
    }
  })

  it('tells what is set and does nothing', () => {
    const lease = { id: 'l', enabled: true, comment: '', ip_address: '192.168.0.9', mac: '02:00:00:00:00:09' }
    assert.deepEqual(items(seen(both), write(config, staticLeases, [lease]))[0]?.msg, [
      'Static leases outside the served networks: 1.',
    ])
    const off = write(config, connections, [{ ...lan, enabled: false }])
    assert.deepEqual(items(seen([]), off)[0], {
      name: 'dhcp-server',
      status: 'failed',
      msg: ['Not served: “Office” is disabled.'],
    })
    assert.match(items(seen(both))[2]?.msg.join() ?? '', /says PROXY while the direct web proxy is on/)
    const broken = items(seen([unit('dhcp'), unit('wpad.10.10.0.1', 'failed', 'Address already in use')]))[2]
    assert.equal(broken?.status, 'failed')
    assert.equal(broken?.msg[0], 'Address already in use')
  })
})
