// Hosts that tests put into the lab: each reaches the internet through the gateway, with the card and address it was given.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type FirewallLab, server, startFirewallLab } from '../support/firewall-lab.ts'
import { type LabHost, LabHosts } from '../support/lab-hosts.ts'

const uplink = '203.0.113.2'

describe('more hosts in the lab', () => {
  let lab: FirewallLab
  let hosts: LabHosts
  before(async () => {
    lab = await startFirewallLab()
    hosts = new LabHosts(lab.gateway, lab.api)
  })
  after(() => lab.stop())

  /** Through the gateway, which hides the address. */
  const reachesInternet = async (host: LabHost): Promise<void> => {
    const [tcp] = await host.wire(server).passes({ port: 8001 })
    assert.equal(tcp.client, uplink)
  }
  /** The card by which the gateway knows the address. */
  const cardOf = async (address: string): Promise<string | undefined> => {
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/sbin/ip', '-j', 'neighbour', 'show', address])
    return (JSON.parse(stdout) as { lladdr?: string }[])[0]?.lladdr
  }
  const namespaces = async (): Promise<string> =>
    (await lab.gateway.exec('client', ['/usr/sbin/ip', 'netns', 'list'])).stdout

  it('are beside the client', async () => {
    const host = await hosts.beside({ address: '10.10.0.7/24', mac: '02:00:00:00:00:07' })
    await reachesInternet(host)
    assert.equal(await cardOf(host.address), host.mac)
    await lab.wire.passes({ port: 8001 })
    const other = await host.replaceCard({ address: '10.10.0.8/24', mac: '02:00:00:00:00:08' })
    await reachesInternet(other)
    assert.equal(await cardOf('10.10.0.8'), '02:00:00:00:00:08')
    await host.remove()
    assert.doesNotMatch(await namespaces(), new RegExp(host.name))
  })

  it('are in another local network', async () => {
    const segment = await hosts.segment('lan1', { address: '10.20.0.1/24', mac: '02:00:00:14:00:01' })
    const host = await segment.host({ address: '10.20.0.7/24', mac: '02:00:00:14:00:07' })
    await reachesInternet(host)
    assert.equal(await cardOf(host.address), host.mac)
    await segment.remove()
    assert.doesNotMatch(await namespaces(), new RegExp(host.name))
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/sbin/ip', 'link', 'show'])
    assert.doesNotMatch(stdout, /lan1/)
  })

  it('are behind a router, whose card the gateway sees', async () => {
    const { host, router } = await hosts.behindRouter(
      { address: '10.30.0.7/24', mac: '02:00:00:1e:00:07' },
      { address: '10.10.0.9/24', mac: '02:00:00:00:00:09' },
    )
    await reachesInternet(host)
    assert.equal(await cardOf(host.address), undefined)
    assert.equal(await cardOf(router.address), router.mac)
    await host.remove()
    await router.remove()
    assert.doesNotMatch(await namespaces(), /host/)
  })
})
