// One host holds as many TCP connections to the DNS server as it can; another one is answered over TCP.
// Requirement 35.

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { DnsLab, dnsSkip } from '../support/dns-lab.ts'
import { holdConnections } from '../support/held-connections.ts'
import { type LabHost, LabHosts } from '../support/lab-hosts.ts'

const skip = dnsSkip
const [client, server] = ['10.10.0.2', '10.10.0.1']
const mostOfOneHost = 32

let lab: DnsLab
let other: LabHost

before(async () => {
  if (skip) return
  lab = await DnsLab.start()
  other = await new LabHosts(lab.gateway, lab.api).beside({ address: '10.10.0.7/24', mac: '02:00:0a:0a:00:07' })
})
after(() => lab?.stop())

it('one host cannot take the TCP connections of the DNS server', { skip }, async () => {
  const held = await holdConnections(lab.gateway.stateDir, [], [client, server, 53, 300])
  try {
    assert.ok(held.open <= mostOfOneHost, `${held.open} of 300 were accepted`)
    assert.ok(held.open >= mostOfOneHost / 2, `only ${held.open} were accepted`)
    const { code, stdout } = await other.exec([
      '/usr/bin/dig',
      '+tcp',
      '+tries=1',
      '+time=30',
      `@${server}`,
      'localhost',
    ])
    assert.equal(code, 0, stdout)
    const state = (await lab.api.ok('GET', '/firewall/connection_limits/state')) as { refused_dns: number }
    assert.ok(state.refused_dns > 0)
  } finally {
    await held.release()
  }
})
