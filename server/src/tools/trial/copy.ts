// The copy of the gateway: a namespace with devices of the same names and numbers, the same addresses, routes and rules,
// and a second one with the other ends of those devices. Nothing of it outlives this process.

import { join } from 'node:path'
import type { TrialPacket } from '../../core/plan/artifacts.ts'
import { isPlainDevice, maxPackets } from './input.ts'
import { makeNamespace, type Namespace, run } from './programs.ts'
import type { Sending } from './sender.ts'
import { deliverChain, enterChain, leaveChain, ownTable } from './trace.ts'

const ip = '/sbin/ip'
const nft = '/usr/sbin/nft'

/** A device of ours in both namespaces, on which a sign can be sent whatever the others do. No other one is so called. */
const signDevice: Device = { name: '~sign', index: null, isUp: true }
const firstSign = maxPackets + 1

interface Device {
  readonly name: string
  /** The kernel's number, which the dumps speak of; null when any will do. */
  readonly index: number | null
  readonly isUp: boolean
}

/** What the trial needs to know of the gateway; the dumps are iproute2's own. */
export interface GatewayState {
  readonly devices: readonly Device[]
  readonly addresses: Buffer
  readonly routes: Buffer
  readonly rules: Buffer
}

export interface Copy {
  /** A trace of every packet that comes in is written here. */
  readonly monitor: readonly string[]
  /** What has to be sent for each packet, by its number; null when its device does not exist. */
  readonly sendings: readonly (Sending | null)[]
  /** Packets that mean nothing but that those before them were sent; each can be used once. */
  readonly signs: readonly Sending[]
  readonly peer: Namespace
  close(): void
}

/** From the namespace we were started in. */
export async function readGateway(): Promise<GatewayState> {
  const links = JSON.parse(String(await run([ip, '-j', 'link', 'show']))) as readonly {
    readonly ifindex: number
    readonly ifname: string
    readonly flags: readonly string[]
  }[]
  return {
    devices: links
      .filter(({ ifname }) => ifname !== 'lo' && isPlainDevice(ifname))
      .map(({ ifindex, ifname, flags }) => ({ name: ifname, index: ifindex, isUp: flags.includes('UP') })),
    addresses: await run([ip, '-4', 'address', 'save']),
    routes: await run([ip, '-4', 'route', 'save', 'table', 'all']),
    rules: await run([ip, '-4', 'rule', 'save']),
  }
}

export async function makeCopy(
  state: GatewayState,
  script: string,
  packets: readonly TrialPacket[],
  signCount: number,
): Promise<Copy> {
  const copy = await makeNamespace(['/usr/bin/cat'], 'ready\n')
  const peer = await makeNamespace([process.execPath, join(import.meta.dirname, 'sender.ts')], '')
  const devices = [...state.devices, signDevice]
  // Before there are devices: they start with these settings.
  await setKernel(copy, '1', ['ip_forward'])
  await setKernel(copy, '0', ['conf/all/rp_filter', 'conf/default/rp_filter'])
  await batch(copy, ['link set lo up', ...devices.map((device, place) => cableLine(device, place, peer.pid))])
  await batch(peer, [
    'link set lo up',
    'address add 198.18.0.1/32 dev lo',
    ...devices.flatMap((_, place) => peerLines(place)),
  ])
  // Up before routes: the kernel takes none over a device that is down.
  await batch(
    copy,
    devices.filter(({ isUp }) => isUp).map(({ name }) => `link set ${name} up`),
  )
  await run([...copy.enter, ip, 'address', 'restore'], state.addresses)
  await run([...copy.enter, ip, 'rule', 'flush'])
  await run([...copy.enter, ip, 'rule', 'restore'], state.rules)
  await run([...copy.enter, ip, 'route', 'restore'], state.routes)
  await run([...copy.enter, nft, '-f', '-'], script)
  await run([...copy.enter, nft, '-f', '-'], printOwnTables(devices))
  const placeOf = new Map(devices.map(({ name }, place) => [name, place]))
  const meet = (device: string, protocol: 'tcp' | 'udp', number: number): Sending | null => {
    const place = placeOf.get(device)
    return place === undefined ? null : { protocol, address: meetingAddress(place), port: number }
  }
  const sendings = packets.map(({ device, protocol }, at) => meet(device, protocol, at + 1))
  const signs = Array.from({ length: signCount }, (_, at) => meet(signDevice.name, 'udp', firstSign + at) as Sending)
  await run([...peer.enter, nft, '-f', '-'], printPeerTable(packets, sendings, signs))
  return {
    monitor: [...copy.enter, nft, 'monitor', 'trace'],
    sendings,
    signs,
    peer,
    close: () => {
      for (const { holder } of [copy, peer]) holder.kill('SIGKILL')
    },
  }
}

const setKernel = (namespace: Namespace, value: string, names: readonly string[]): Promise<unknown> =>
  run([...namespace.enter, '/usr/bin/tee', ...names.map((name) => `/proc/sys/net/ipv4/${name}`)], value)

const batch = (namespace: Namespace, lines: readonly string[]): Promise<unknown> =>
  run([...namespace.enter, ip, '-batch', '-'], `${lines.join('\n')}\n`)

/** The address at which the sender meets a device, by its place in the list, and the next hop to it. */
const meetingAddress = (place: number): string => `198.18.${(place >> 8) + 1}.${place & 0xff}`
const hopAddress = (place: number): string => `198.19.${(place >> 8) + 1}.${place & 0xff}`
const macOf = (place: number): string => `02:00:00:00:${hex(place >> 8)}:${hex(place & 0xff)}`
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

const cableLine = ({ name, index }: Device, place: number, peerPid: number): string => {
  const identity = `${index === null ? '' : `index ${index} `}address ${macOf(place)}`
  return `link add ${name} ${identity} type veth peer name peer${place} netns ${peerPid}`
}

/** Behind a next hop, because the packets are rewritten after the way was chosen and may then bear any address. */
const peerLines = (place: number): string[] => [
  `link set peer${place} up`,
  `neighbour add ${hopAddress(place)} lladdr ${macOf(place)} dev peer${place} nud permanent`,
  `route add ${meetingAddress(place)}/32 via ${hopAddress(place)} dev peer${place} onlink src 198.18.0.1`,
]

/**
 * Traces what comes in and marks what got through. Every packet gets its own connection tracking zone, so that
 * none of them belongs to the connection of another.
 */
const printOwnTables = (devices: readonly Device[]): string => `
table netdev ${ownTable} {
  chain ${enterChain} {
    type filter hook ingress devices = { ${devices.map(({ name }) => `"${name}"`).join(', ')} } priority -2147483648;
    meta protocol ip meta nftrace set 1
  }
}
table inet ${ownTable} {
  chain zone {
    type filter hook prerouting priority -2147483648;
    ct zone set ip id
  }
  chain ${leaveChain} {
    type filter hook postrouting priority 2147483646;
    accept
  }
  chain ${deliverChain} {
    type filter hook input priority 2147483646;
    accept
  }
}
`

/** Turns what the sender can send into the packets asked for. Any address and port will do: no socket has to own it. */
function printPeerTable(
  packets: readonly TrialPacket[],
  sendings: readonly (Sending | null)[],
  signs: readonly Sending[],
): string {
  const rules = packets.map(({ protocol, source, sourcePort, destination, destinationPort }, at) => {
    const match = `ip daddr ${sendings[at]?.address} ${protocol} dport ${at + 1} ip id set ${at + 1}`
    const addresses = `ip saddr set ${source} ip daddr set ${destination}`
    return `${match} ${addresses} ${protocol} sport set ${sourcePort} ${protocol} dport set ${destinationPort} accept`
  })
  return `
table ip ${ownTable} {
  chain rewrite {
    type filter hook output priority 0;
    ${rules.filter((_, at) => sendings[at]).join('\n    ')}
    ${signs.map(({ port }) => `udp dport ${port} ip id set ${port}`).join('\n    ')}
  }
}
`
}
