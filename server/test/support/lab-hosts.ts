// More hosts for a running lab: beside its client, in another local network of the gateway, or behind a router. Each is a
// namespace with its own card and address. All of them end with the lab; `remove` takes them away before.

import assert from 'node:assert/strict'
import { labCables } from '../../src/tools/lab/network.ts'
import type { ExecOptions, ExecResult } from '../../src/tools/launcher/enter-lab.ts'
import type { ApiClient } from './api-client.ts'
import type { LabGateway } from './lab-gateway.ts'
import { until } from './until.ts'
import { Wire } from './wire.ts'

export interface Card {
  /** With its prefix, such as `10.10.0.7/24`. */
  readonly address: string
  readonly mac: string
}

/** Where a host sends what is not for its own network. */
const gatewayInside = '10.10.0.1'
const clientDevice = labCables.flat().find(({ namespace }) => namespace === 'client')?.name ?? ''

export class LabHost {
  readonly name: string
  /** Without the prefix. */
  readonly address: string
  readonly mac: string
  /** Put before a command line that runs in the client's namespace, to run it on this host. */
  readonly enter: readonly string[]
  readonly #gateway: LabGateway

  constructor(gateway: LabGateway, name: string, { address, mac }: Card) {
    this.#gateway = gateway
    this.name = name
    this.address = bare(address)
    this.mac = mac
    this.enter = enterNamespace(name)
  }

  exec(argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    return this.#gateway.exec('client', [...this.enter, ...argv], options)
  }

  async ip(...args: readonly string[]): Promise<string> {
    return must(await this.exec(['/usr/sbin/ip', ...args]), args)
  }

  /** Its connections to an address, by default. */
  wire(to: string): Wire {
    return new Wire({ exec: (_namespace, argv, options) => this.exec(argv, options) }, this.address, to)
  }

  /** Another card and another address in its place: what came from them before no longer does. */
  async replaceCard({ address, mac }: Card): Promise<LabHost> {
    await this.ip('link', 'set', 'dev', 'lan0', 'down')
    await this.ip('address', 'flush', 'dev', 'lan0')
    await this.ip('link', 'set', 'dev', 'lan0', 'address', mac)
    await this.ip('address', 'add', address, 'dev', 'lan0')
    await this.ip('link', 'set', 'dev', 'lan0', 'up')
    await this.ip('route', 'add', 'default', 'via', gatewayInside)
    return new LabHost(this.#gateway, this.name, { address, mac })
  }

  async remove(): Promise<void> {
    must(await this.#gateway.exec('client', ['/usr/sbin/ip', 'netns', 'delete', this.name]), ['netns', 'delete'])
  }
}

/** Another local network of the gateway. */
export interface Segment {
  readonly device: string
  /** Of the connection in the configuration. */
  readonly connection: number
  host(card: Card): Promise<LabHost>
  /** Its hosts go first. */
  remove(): Promise<void>
}

export class LabHosts {
  readonly #gateway: LabGateway
  readonly #api: ApiClient
  #count = 0

  constructor(gateway: LabGateway, api: ApiClient) {
    this.#gateway = gateway
    this.#api = api
  }

  /** A host in the segment of the client. */
  async beside(card: Card): Promise<LabHost> {
    const name = await this.#addNamespace()
    // A card of its own on the client's cable. Its frames go to the gateway, which knows it by its MAC.
    const macvlan = ['link', clientDevice, 'address', card.mac, 'type', 'macvlan', 'mode', 'bridge']
    await this.#ip('client', 'link', 'add', 'name', `${name}-lan`, ...macvlan)
    await this.#ip('client', 'link', 'set', `${name}-lan`, 'netns', name, 'name', 'lan0')
    return this.#finish(name, card, gatewayInside)
  }

  /** A host whose packets come to the gateway from the card of a router, which is `via` in the segment of the client. */
  async behindRouter(card: Card, via: Card): Promise<{ readonly host: LabHost; readonly router: LabHost }> {
    const router = await this.beside(via)
    const name = await this.#addNamespace()
    const [inside, network] = routerEnd(card.address)
    const far = ['type', 'veth', 'peer', 'name', 'lan0', 'address', card.mac, 'netns', name]
    await router.ip('link', 'add', 'name', 'down0', ...far)
    await router.ip('address', 'add', inside, 'dev', 'down0')
    await router.ip('link', 'set', 'down0', 'up')
    must(await router.exec(['/usr/bin/tee', '/proc/sys/net/ipv4/ip_forward'], { input: '1' }), ['ip_forward'])
    await this.#ip('gateway', 'route', 'replace', network, 'via', router.address)
    return { host: await this.#finish(name, card, bare(inside)), router }
  }

  /** Another card of the gateway with a local network on it; `address` is the gateway's in it. */
  async segment(device: string, { address, mac }: Card): Promise<Segment> {
    const hub = await this.#addNamespace()
    await this.#ip('gateway', 'link', 'add', device, 'address', mac, 'type', 'veth', 'peer', 'name', 'hub0')
    await this.#ip('gateway', 'link', 'set', 'hub0', 'netns', hub)
    const switchboard = new LabHost(this.#gateway, hub, { address, mac })
    await switchboard.ip('link', 'add', 'name', 'bridge0', 'type', 'bridge')
    await switchboard.ip('link', 'set', 'bridge0', 'up')
    await switchboard.ip('link', 'set', 'hub0', 'master', 'bridge0', 'up')
    const body = { type: 'lan', title: device, enabled: true, mac, enable_dhcp: false, addresses: [address] }
    const { id } = (await this.#api.ok('POST', '/network/connections', body)) as { id: number }
    await until(`the network on ${device} is up`, () => this.#isUp(id))
    const members: LabHost[] = []
    const host = async (card: Card): Promise<LabHost> => {
      const name = await this.#addNamespace()
      const far = ['type', 'veth', 'peer', 'name', 'lan0', 'address', card.mac, 'netns', name]
      await switchboard.ip('link', 'add', 'name', name, ...far)
      await switchboard.ip('link', 'set', name, 'master', 'bridge0', 'up')
      const made = await this.#finish(name, card, bare(address))
      members.push(made)
      return made
    }
    const remove = async (): Promise<void> => {
      for (const member of members) await member.remove()
      await this.#api.ok('DELETE', `/network/connections/${id}`)
      await this.#ip('gateway', 'link', 'delete', device)
      await switchboard.remove()
    }
    return { device, connection: id, host, remove }
  }

  async #isUp(id: number): Promise<boolean> {
    const states = (await this.#api.ok('GET', '/network/states')) as { id: number; ether: { status: string } }[]
    return states.some((one) => one.id === id && one.ether.status === 'up')
  }

  async #addNamespace(): Promise<string> {
    this.#count++
    const name = `host${this.#count}`
    await this.#ip('client', 'netns', 'add', name)
    return name
  }

  async #finish(name: string, card: Card, via: string): Promise<LabHost> {
    const host = new LabHost(this.#gateway, name, card)
    await host.ip('link', 'set', 'lo', 'up')
    // At once and not when duplicates would have been found: nothing here speaks IPv6.
    must(await host.exec(['/usr/bin/tee', '/proc/sys/net/ipv6/conf/all/disable_ipv6'], { input: '1' }), ['ipv6'])
    await host.ip('address', 'add', card.address, 'dev', 'lan0')
    await host.ip('link', 'set', 'lan0', 'up')
    // The way out may be in another network than the address, for hosts that pretend to be elsewhere.
    await host.ip('route', 'add', `${via}/32`, 'dev', 'lan0', 'scope', 'link')
    await host.ip('route', 'add', 'default', 'via', via)
    return host
  }

  async #ip(namespace: string, ...args: readonly string[]): Promise<void> {
    must(await this.#gateway.exec(namespace, ['/usr/sbin/ip', ...args]), args)
  }
}

const enterNamespace = (name: string): readonly string[] => ['/usr/bin/nsenter', `--net=/run/netns/${name}`, '--']

const bare = (address: string): string => address.split('/')[0] ?? ''

/** The first address of the network for the router, and the network. */
function routerEnd(address: string): readonly [inside: string, network: string] {
  const [host = '', prefix] = address.split('/')
  assert.equal(prefix, '24', 'the network behind a router has the prefix 24')
  const base = host.split('.').slice(0, 3).join('.')
  return [`${base}.1/24`, `${base}.0/24`]
}

function must({ code, stdout, stderr }: ExecResult, what: readonly string[]): string {
  assert.equal(code, 0, `${what.join(' ')}: ${stderr}`)
  return stdout
}
