// Client, gateway and server in three rooms, with a Suricata at the gateway. In one lab it gets everything from one plain queue rule
// and has plain signatures; in the other it has the product's rules, settings and queue.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { converse } from '../../server/src/areas/inspection/runs/command-socket.ts'
import { type InspectedChannel, inspection } from '../../server/src/core/plan/inspection-marks.ts'
import { printTable } from '../../server/src/core/plan/nft-piece.ts'
import { compilePolicy } from '../../server/src/domain/policy/compile.ts'
import type { AddressMatch } from '../../server/src/domain/policy/model.ts'
import {
  baseLines,
  chain,
  chainLines,
  openQueues,
  outputChain,
  queueCount,
} from '../../server/src/engines/inspection/applyd/queue-rules.ts'
import { fixedSettings } from '../../server/src/engines/inspection/applyd/settings.ts'
import { suricataSettings } from '../../server/src/engines/inspection/suricata-yaml.ts'
import { makeCertificate } from '../../server/src/shared/certificates/certificate-maker.ts'
import { parseAddress } from '../../server/src/shared/net/ipv4.ts'
import { appRoot, runtimePath } from '../../server/src/tools/launcher/layout.ts'
import { ruleIn, withRules } from '../../server/test/support/policy-samples.ts'
import { until } from '../../server/test/support/until.ts'
import { openRoom, type Room } from '../firewall/room.ts'
import { benchFolder } from '../folder.ts'

/** Sources at the client: what becomes of their connections. */
export const sources = { plain: '10.10.0.2', inspected: '10.10.0.3', excepted: '10.10.0.4' } as const
const server = '203.0.113.1'
const slowestMs = 15 * 60_000
const load = join(import.meta.dirname, 'load.ts')
const queue =
  queueCount === 1
    ? `--queue-num ${inspection.firstQueue}`
    : `--queue-balance ${inspection.firstQueue}:${inspection.firstQueue + queueCount - 1}`
const channel: InspectedChannel = { number: 1, isFailOpen: true, isReady: true }

const host = (key: string, address: string): AddressMatch => {
  const number = parseAddress(address) ?? 0
  return { key, ranges: [number, number], isNegated: false }
}

/** One rule accepts without inspection, one with it, and one host has an exception. */
function ownRuleset(): string {
  const accept = { kind: 'accept' } as const
  const forward = [
    ruleIn('forward', 1, accept, { source: host('p', sources.plain) }),
    { ...ruleIn('forward', 2, accept), inspection: channel.number },
  ]
  const exceptions = [{ origin: 'firewall.bypass[1]', hosts: host('e', sources.excepted) }]
  const stage = { channels: [channel], exceptions, older: [] }
  const more = { inspection: stage, hasAutomaticSnat: false, externalDevices: ['wan0'] }
  return compilePolicy(withRules({ forward }, more))
    .map(({ name, pieces }) => printTable(name, pieces))
    .join('')
}

const table = (lines: readonly string[]): string => ['*security', ...lines, 'COMMIT', ''].join('\n')
const ownQueue = (): string => table([`:${chain} -`, `:${outputChain} -`, ...chainLines([channel], 'ip'), ...baseLines])
const plainQueue = table([
  `-A FORWARD -s ${sources.inspected} -j NFQUEUE ${queue}`,
  `-A FORWARD -d ${sources.inspected} -j NFQUEUE ${queue}`,
])

export class InspectionLab implements Disposable {
  readonly #rooms: readonly [Room, Room, Room]
  readonly #folder = benchFolder()
  readonly #running: ChildProcess[] = []
  #engine = 0

  private constructor(rooms: readonly [Room, Room, Room]) {
    this.#rooms = rooms
  }

  static async open(kind: 'plain' | 'own', rules: string): Promise<InspectionLab> {
    const lab = new InspectionLab([await openRoom(), await openRoom(), await openRoom()])
    try {
      await lab.#connect(kind)
      await lab.#startEngine(rules)
      return lab
    } catch (fault) {
      lab[Symbol.dispose]()
      throw fault
    }
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill('SIGKILL')
    for (const room of this.#rooms) room[Symbol.dispose]()
  }

  async #connect(kind: 'plain' | 'own'): Promise<void> {
    const [client, gateway, far] = this.#rooms
    const set = (room: Room, lines: readonly string[]): void =>
      void room.run(['ip', '-batch', '-'], { input: `${lines.join('\n')}\n` })
    set(client, [`link add lan0 type veth peer name lan0 netns ${gateway.pid}`])
    set(far, [`link add wan0 type veth peer name wan0 netns ${gateway.pid}`])
    set(client, [...Object.values(sources).map((it) => `address add ${it}/24 dev lan0`), 'link set lan0 up'])
    set(far, [`address add ${server}/24 dev wan0`, 'link set wan0 up', 'route add default via 203.0.113.2'])
    set(gateway, ['address add 10.10.0.1/24 dev lan0', 'link set lan0 up'])
    set(gateway, ['address add 203.0.113.2/24 dev wan0', 'link set wan0 up'])
    set(client, ['route add default via 10.10.0.1'])
    gateway.run(['sysctl', '-qw', 'net.ipv4.ip_forward=1'])
    if (kind === 'own') gateway.run(['nft', '-f', '-'], { input: ownRuleset() })
    gateway.run(['iptables-nft-restore'], { input: kind === 'own' ? ownQueue() : plainQueue })
    const { chain: certificates, key } = await makeCertificate(['bench.example'], new Date())
    writeFileSync(join(this.#folder, 'server.pem'), `${certificates}\n${key}\n`)
    const served = this.#spawn(far, [runtimePath(appRoot), load, 'serve', join(this.#folder, 'server.pem')])
    await once(served.stdout ?? served, 'data')
  }

  #spawn(room: Room, argv: readonly string[]): ChildProcess {
    const [program = '', ...args] = room.enter(argv)
    const events = openSync(join(this.#folder, 'events.json'), 'a')
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore', events] })
    this.#running.push(child)
    return child
  }

  get #socket(): string {
    return join(this.#folder, 'command.sock')
  }

  async #startEngine(rules: string): Promise<void> {
    const work = this.#folder
    const captures = join(work, 'captures')
    mkdirSync(captures)
    this.#writeRules(rules)
    const places = { work, rulesFile: join(work, 'current.rules'), captures, commandSocket: this.#socket }
    const settings = join(work, 'suricata.yaml')
    writeFileSync(settings, suricataSettings({ homeNetworks: ['10.0.0.0/8'] }) + fixedSettings(places))
    const queues = openQueues.flatMap((queue) => ['-q', `${queue}`])
    const argv = ['/usr/bin/suricata', '-c', settings, ...queues, '--runmode', 'workers', '-l', work]
    const child = this.#spawn(this.#rooms[1], argv)
    child.stdout?.resume()
    this.#engine = child.pid ?? 0
    await until('the engine listens', () => this.#version())
  }

  #writeRules(rules: string): void {
    writeFileSync(join(this.#folder, 'current.rules'), rules)
  }

  async #version(): Promise<boolean> {
    try {
      return (await converse(this.#socket, ['version'], 2000)).length === 1
    } catch {
      return false
    }
  }

  /** Milliseconds until the engine works with these rules. */
  async reload(rules: string): Promise<number> {
    this.#writeRules(rules)
    const begun = performance.now()
    await converse(this.#socket, ['reload-rules'], slowestMs)
    return performance.now() - begun
  }

  /** Of the engine, in megabytes; nsenter becomes it. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#engine}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
  }

  /** Signatures that are loaded. */
  async signatures(): Promise<number> {
    const [stats] = (await converse(this.#socket, ['ruleset-stats'], slowestMs)) as [
      readonly { rules_loaded: number }[],
    ]
    return stats[0]?.rules_loaded ?? 0
  }

  async #load(...args: readonly (string | number)[]): Promise<number> {
    const [program = '', ...rest] = this.#rooms[0].enter([runtimePath(appRoot), load, ...args.map(String)])
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    await once(child, 'close')
    return Number(text)
  }

  /** Megabytes a second. */
  take(source: keyof typeof sources, port: number, flows: number, milliseconds: number): Promise<number> {
    return this.#load('take', sources[source], server, port, flows, milliseconds)
  }

  /** Connections a second. */
  connect(source: keyof typeof sources, port: number, milliseconds: number): Promise<number> {
    return this.#load('connect', sources[source], server, port, milliseconds)
  }
}
