// A host in the local network that calls itself a router of IPv6: the gateway takes no way and no address from it. From its provider it
// does, when IPv6 comes from there.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import { advertisement, ipPacket, protocols } from '../support/crafted-packets.ts'
import { cardIn, FramePipe } from '../support/frame-pipe.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const everyone = { address: 'ff02::1', card: '33:33:00:00:00:01' }

describe('router advertisements', () => {
  let gateway: LabGateway
  before(async () => {
    gateway = await startGateway({ adminPassword: 'correct horse 9' })
  })
  after(() => gateway.stop())

  const run = async (namespace: string, ...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await gateway.exec(namespace, command)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const routes = () => run('gateway', '/usr/sbin/ip', '-6', 'route', 'show')

  /** As a router with a network of its own; the gateway hears it before what is sent next. */
  async function advertise(namespace: string, device: string, prefix: string): Promise<void> {
    const listing = await run(namespace, '/usr/sbin/ip', '-j', 'addr', 'show', 'dev', device)
    const [{ addr_info: found = [] } = {}] = JSON.parse(listing) as { addr_info?: { scope: string; local: string }[] }[]
    const source = found.find(({ scope, local }) => scope === 'link' && local.includes(':'))?.local ?? assert.fail()
    const pipe = new FramePipe(openLab(gateway.stateDir, namespace), device, cardIn(listing), everyone.card)
    await pipe.ready
    const ends = { source, destination: everyone.address }
    await pipe.send([ipPacket(ends, protocols.icmp6, advertisement(ends, prefix), { ttl: 255 })])
    await pipe.stop()
  }
  /** How many of them the rules dropped; null while they are not in the kernel. */
  async function dropped(): Promise<number | null> {
    const { stdout } = await gateway.exec('gateway', ['/usr/sbin/nft', 'list', 'table', 'inet', 'portcullis'])
    const count = /counter packets (\d+) .*inp\.sys\.router"/.exec(stdout)?.[1]
    return count === undefined ? null : Number(count)
  }

  it('of a local host are not taken', async () => {
    await until('the rules are in the kernel', async () => (await dropped()) !== null)
    await advertise('client', 'lan0', '2001:db8:bad::')
    await until('it was heard', async () => (await dropped()) !== 0)
    // One that is taken comes after it.
    await advertise('internet', 'gw1', '2001:db8:900d::')
    await until('the one of the provider is taken', async () => (await routes()).includes('2001:db8:900d::/64'))
    assert.doesNotMatch(await routes(), /2001:db8:bad::|dev lan0 proto ra/)
  })
})
