// What the rules cost the traffic: client, gateway and server in separate rooms, once for every ruleset, measured in
// turns. A packet sent there is forwarded and counted at the far end on the sender's core before the next one is sent, so
// the time of the sender is the time of all, its own included.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { appRoot, runtimePath } from '../../server/src/tools/launcher/layout.ts'
import { median } from '../table.ts'
import { openRoom, type Room } from './room.ts'
import { flows } from './rules.ts'

const clientAddress = '10.10.0.2'
const tcpPort = 7
const firstPort = 1024
const script = (name: string): string => join(import.meta.dirname, name)

/** Counts at the far end, before anything else there sees the packet. */
const floodPorts = Object.values(flows).map(({ port }) => port)
const counter = `table ip bench {
  counter arrived { }
  chain arrivals { type filter hook prerouting priority -400; th dport { ${floodPorts.join(', ')} } counter name arrived drop; }
}`

/** Connections that never get an answer are forgotten soon; checksums are not what is measured. */
const conntrack = ['udp_timeout=1', 'tcp_timeout_syn_sent=1', 'checksum=0'].map(
  (it) => `net.netfilter.nf_conntrack_${it}`,
)

type Flow = (typeof flows)[keyof typeof flows]

export class Path implements Disposable {
  readonly #client: Room
  readonly #gateway: Room
  readonly #server: Room
  readonly #listener: ChildProcess
  #from = 0

  constructor(client: Room, gateway: Room, server: Room, listener: ChildProcess) {
    this.#client = client
    this.#gateway = gateway
    this.#server = server
    this.#listener = listener
  }

  /** First packets forwarded a second. */
  newConnections(flow: Flow, count: number): number {
    this.#forget()
    // Another source each time, so that no connection of an earlier round is left to belong to.
    this.#from = (this.#from % 200) + 1
    return this.#send('tcp', `10.10.0.${this.#from + 2}`, flow, 1, count)
  }

  /** Packets of one UDP connection that has had an answer, forwarded a second. */
  packets(flow: Flow, count: number): number {
    this.#forget()
    this.#send('udp', clientAddress, flow, 0, 1)
    const answer = [flow.address, clientAddress, `${firstPort}`, `${flow.port}`, '0', '1']
    this.#server.run(['perl', script('send-packets.pl'), 'udp', ...answer])
    return this.#send('udp', clientAddress, flow, 0, count)
  }

  /** TCP connections opened a second, by programs as good as any. */
  tcpConnections(milliseconds: number): number {
    const argv = [runtimePath(appRoot), script('tcp-connections.ts')]
    return Number(this.#client.run([...argv, 'connect', flows.last.address, `${tcpPort}`, `${milliseconds}`]))
  }

  #send(protocol: string, from: string, { address, port }: Flow, step: number, count: number): number {
    const what = [protocol, from, address, `${port}`, `${firstPort}`, `${step}`, `${count}`]
    const seconds = Number(this.#client.run(['taskset', '1', 'perl', script('send-packets.pl'), ...what]))
    const listing = this.#server.run(['nft', 'reset', 'counter', 'ip', 'bench', 'arrived'])
    const arrived = Number(/packets (\d+)/.exec(listing)?.[1])
    return (arrived || count) / seconds
  }

  /** Reading the table of connections is what takes the expired ones out of it. */
  #forget(): void {
    this.#gateway.run(['dd', 'if=/proc/net/nf_conntrack', 'of=/dev/null', 'status=none'])
  }

  [Symbol.dispose](): void {
    this.#listener.kill('SIGKILL')
    for (const room of [this.#client, this.#gateway, this.#server]) room[Symbol.dispose]()
  }
}

export async function openPath(ruleset: string): Promise<Path> {
  const [client, gateway, server] = [await openRoom(), await openRoom(), await openRoom()]
  const set = (room: Room, commands: string): void => void room.run(['ip', '-batch', '-'], { input: commands })
  const cable = (name: string, to: Room): string => `link add ${name} type veth peer name ${name} netns ${to.pid}\n`
  set(client, cable('lan0', gateway))
  set(server, cable('wan0', gateway))
  set(client, `address add ${clientAddress}/24 dev lan0\nlink set lan0 up\n`)
  set(server, 'address add 203.0.113.1/24 dev wan0\nlink set wan0 up\nroute add default via 203.0.113.2\n')
  set(gateway, 'address add 10.10.0.1/24 dev lan0\nlink set lan0 up\n')
  set(gateway, 'address add 203.0.113.2/24 dev wan0\nlink set wan0 up\nroute add default via 203.0.113.1\n')
  set(client, 'route add default via 10.10.0.1\n')
  for (const { address } of Object.values(flows)) set(server, `address add ${address}/32 dev lo\n`)
  gateway.run(['sysctl', '-qw', 'net.ipv4.ip_forward=1'])
  gateway.run(['nft', '-f', '-'], { input: ruleset })
  gateway.run(['sysctl', '-qw', ...conntrack])
  server.run(['nft', '-f', '-'], { input: counter })
  const [program = '', ...args] = server.enter([
    runtimePath(appRoot),
    script('tcp-connections.ts'),
    'serve',
    `${tcpPort}`,
  ])
  const listener = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(listener.stdout, 'data')
  return new Path(client, gateway, server, listener)
}

export interface Rulesets {
  readonly none: string
  readonly ours: string
  readonly linear: string
}

/** How many a second, with each ruleset. */
export interface Rates {
  readonly none: number
  readonly ours: number
  readonly linear: number
}

export interface TrafficRates {
  readonly last: Rates
  readonly middle: Rates
  readonly packets: Rates
  readonly tcp: Rates
}

const counts = { none: 20_000, ours: 20_000, linear: 2_000 } as const
type Name = keyof typeof counts
const names = Object.keys(counts) as readonly Name[]

export async function benchTraffic(rulesets: Rulesets, rounds: number): Promise<TrafficRates> {
  using none = await openPath(rulesets.none)
  using ours = await openPath(rulesets.ours)
  using linear = await openPath(rulesets.linear)
  const paths = { none, ours, linear }
  const inTurns = (measure: (path: Path, count: number) => number): Rates => {
    const samples: Record<Name, number[]> = { none: [], ours: [], linear: [] }
    for (let round = 0; round < rounds; round++)
      for (const name of names) samples[name].push(measure(paths[name], counts[name]))
    return { none: median(samples.none), ours: median(samples.ours), linear: median(samples.linear) }
  }
  return {
    last: inTurns((path, count) => path.newConnections(flows.last, count)),
    middle: inTurns((path, count) => path.newConnections(flows.middle, count)),
    packets: inTurns((path) => path.packets(flows.last, counts.none)),
    tcp: inTurns((path) => path.tcpConnections(500)),
  }
}
