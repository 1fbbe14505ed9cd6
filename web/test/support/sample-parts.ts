// What the gateway of a browser test reads from its machine: a few sessions, leases and names, the same at every start.

import type { MachineLoad } from '../../../server/src/core/contract/health.ts'
import type { GivenLease, TrackedSession } from '../../../server/src/core/plan/facts.ts'
import { parseAddress } from '../../../server/src/shared/net/ipv4.ts'
import type { Clock } from '../../../server/src/shared/time/clock.ts'
import type { ProvidedServices } from '../../../server/test/support/provided.ts'
import { labFacts } from '../../../server/test/support/test-gateway.ts'

type Sampled =
  | 'machineLoad'
  | 'traffic'
  | 'flowReport'
  | 'dhcpLeases'
  | 'cardVendors'
  | 'disks'
  | 'names'
  | 'textRecords'
  | 'domains'

const hosts = [
  { address: '10.10.0.21', mac: '02:00:00:00:10:21', name: 'reception' },
  { address: '10.10.0.22', mac: '02:00:00:00:10:22', name: 'workshop' },
  { address: '10.10.0.57', mac: '02:00:00:00:10:57', name: 'printer' },
] as const

const session = (at: number, source: string, destination: string, port: number, bytes: number): TrackedSession => ({
  id: `01J0000000000000000000000${at}`,
  protocol: 'tcp',
  source,
  sourcePort: 50_000 + at,
  destination,
  destinationPort: port,
  calledAs: destination,
  seenAs: '203.0.113.2',
  seconds: 60 * at + 5,
  bytesIn: bytes,
  bytesOut: Math.round(bytes / 9),
  packetsIn: Math.ceil(bytes / 1_400),
  packetsOut: Math.ceil(bytes / 9_000),
})

const sessions = [
  session(1, hosts[0].address, '198.51.100.10', 443, 410_000),
  session(2, hosts[1].address, '198.51.100.44', 443, 52_000),
  session(3, hosts[1].address, '203.0.113.80', 22, 900),
]

export function sampleParts(clock: Clock): Required<Pick<ProvidedServices, Sampled>> {
  const lease = ({ address, mac, name }: (typeof hosts)[number]): GivenLease => ({
    address: parseAddress(address) ?? 0,
    mac,
    hostname: name,
    expiresAt: Math.floor(clock.now().getTime() / 1000) + 3_600,
  })
  return {
    machineLoad: () => calmMachine(clock.elapsed()),
    traffic: { read: async () => ({ sessions, isCut: false, isCounting: true, limitation: null }) },
    flowReport: async () => null,
    dhcpLeases: { list: async () => hosts.map(lease) },
    cardVendors: { lookUp: async () => new Map(), isKnown: async () => true },
    disks: { list: async () => [] },
    names: { lookUp: async (name) => (name === 'www.example.com' ? { addresses: ['198.51.100.10'] } : unknown) },
    textRecords: { lookUp: async () => [] },
    domains: { status: () => new Map() },
  }
}

const unknown = { fault: 'The name has no address.' }

/** Two processors with little to do, and traffic that grows evenly. */
const calmMachine = (elapsed: number): MachineLoad => ({
  cpu: { busy: elapsed * 24, total: elapsed * 200 },
  processors: 2,
  memory: { totalBytes: 4e9, availableBytes: 2.9e9, swapTotalBytes: 0, swapFreeBytes: 0 },
  load: [0.21, 0.18, 0.15],
  connections: { count: sessions.length, limit: 262_144 },
  interfaces: labFacts.interfaces.map(({ name }, at) => ({
    name,
    bytesIn: Math.round(elapsed * (410_000 + at * 90_000)),
    packetsIn: Math.round(elapsed * 320),
    droppedIn: 0,
    bytesOut: Math.round(elapsed * (62_000 + at * 20_000)),
    packetsOut: Math.round(elapsed * 210),
    droppedOut: 0,
  })),
  disk: { freeBytes: 21e9, totalBytes: 32e9 },
  files: {},
  isClockKept: true,
})
