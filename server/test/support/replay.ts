// Replays recorded traffic as real conversations between two network namespaces: each side is one process that takes its turns
// from the recording, so the packets on the way are those of the kernel. What is between the two decides how each ends.

import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import type { RawTraffic, Traffic } from '../signatures/capture.ts'

/** `stalled`: nothing more was heard. `reset`: one side was told that the conversation is over. */
export type Ending = 'completed' | 'stalled' | 'reset'

export interface WireTurn {
  readonly from: 'client' | 'server'
  /** In base64. */
  readonly data: string
}

export interface WireConversation {
  readonly id: number
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly turns: readonly WireTurn[]
  readonly times: number
  /** The client's; each time has the next one. The server knows by it which conversation it is. */
  readonly firstPort: number
  readonly source: string
}

/** What the process of a side gets. */
export interface SideOrder {
  readonly role: 'client' | 'server'
  /** Of the server. */
  readonly address: string
  readonly silenceMs: number
  readonly parallel: number
  readonly conversations: readonly WireConversation[]
}

export interface SideResult {
  readonly id: number
  readonly ending: Ending
  /** Where and why, for people. */
  readonly detail: string
}

/** How to run a program on a side, and the addresses it has there. */
export interface Place {
  /** Put before the command line, such as `ip netns exec name`. */
  readonly command: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly addresses: readonly [string, ...string[]]
}

export interface Replayed {
  /** As the client saw it: completed means that both sides have heard everything. */
  readonly client: Ending
  readonly server: Ending
  readonly detail: string
  /** Of the client, as the engine sees them too: an alert belongs to the conversation with its port. */
  readonly ports: readonly number[]
}

export interface ReplayOptions {
  readonly inside: Place
  readonly outside: Place
  /** How long nothing must be heard to call it silence: short where silence is what is expected, long elsewhere. */
  readonly silenceMs: number
  readonly parallel?: number
}

/** Raw packets are no conversations: they are in recordings only. */
export const isConversation = (traffic: Traffic | RawTraffic): traffic is Traffic => traffic.protocol !== 'raw'

/** No server of a recording has one of them. */
const leastPort = 14_000
const mostPort = 27_000
let nextPort = leastPort

/** Ports that no replay of this process had: the gateway may still remember a conversation that was cut. */
function takePorts(count: number): number {
  if (nextPort + count > mostPort) nextPort = leastPort
  nextPort += count
  return nextPort - count
}

/** In the order of the traffic. Conversations from inside and from outside go at the same time. */
export async function replay(all: readonly Traffic[], options: ReplayOptions): Promise<readonly Replayed[]> {
  const { inside, outside } = options
  let repeated = 0
  const conversations = all.map((traffic, id): WireConversation => {
    const { addresses } = traffic.isFromInside ? inside : outside
    const { protocol, port, times = 1 } = traffic
    // Who comes again and again has an address of its own, because others with it would be blocked too.
    const half = Math.ceil(addresses.length / 2)
    const place = times > 1 ? addresses.length - 1 - (repeated++ % half) : id % half
    return {
      id,
      protocol,
      port,
      times,
      turns: turnsOf(traffic),
      firstPort: takePorts(times),
      source: addresses[place] ?? addresses[0],
    }
  })
  const from = (isFromInside: boolean) => conversations.filter(({ id }) => all[id]?.isFromInside === isFromInside)
  const results = await Promise.all([
    replayOneWay(from(true), inside, outside, options),
    replayOneWay(from(false), outside, inside, options),
  ])
  const found = new Map(results.flat())
  return conversations.map(({ id }) => found.get(id) ?? assert.fail(`no result of conversation ${id}`))
}

/** A datagram that is not answered would not show whether it came. */
const receipt: WireTurn = { from: 'server', data: Buffer.from('ok').toString('base64') }

function turnsOf({ protocol, turns }: Traffic): readonly WireTurn[] {
  const wire = turns.map(({ from, data }): WireTurn => ({ from, data: data.toString('base64') }))
  return protocol === 'udp' && turns.at(-1)?.from === 'client' ? [...wire, receipt] : wire
}

async function replayOneWay(
  conversations: readonly WireConversation[],
  near: Place,
  far: Place,
  { silenceMs, parallel = 8 }: ReplayOptions,
): Promise<readonly (readonly [number, Replayed])[]> {
  if (conversations.length === 0) return []
  const common = { address: far.addresses[0], silenceMs, parallel, conversations }
  // The client gives up first: else the server would end what is held up.
  const server = new Side(far, { ...common, role: 'server', silenceMs: 20 * silenceMs })
  try {
    await server.ready
    const client = new Side(near, { ...common, role: 'client' })
    const clients = await client.results()
    server.finish()
    const servers = await server.results()
    assert.deepEqual(server.unknown, [], 'the server was asked by clients that are not of the replay')
    return conversations.map(({ id, firstPort, times }) => {
      const [asked, answered] = [clients.get(id), servers.get(id)]
      assert.ok(asked && answered, `conversation ${id} has no result`)
      const ports = Array.from({ length: times }, (_, at) => firstPort + at)
      const detail = `client: ${asked.detail || asked.ending}; server: ${answered.detail || answered.ending}`
      return [id, { client: asked.ending, server: answered.ending, detail, ports }] as const
    })
  } finally {
    server.kill()
  }
}

class Side {
  readonly ready: Promise<void>
  readonly unknown: string[] = []
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #closed: Promise<unknown>
  readonly #results = new Map<number, SideResult>()

  constructor({ command, env }: Place, order: SideOrder) {
    const [program = '', ...args] = [
      ...command,
      runtimePath(appRoot),
      join(appRoot, 'server/test/support/replay-side.ts'),
    ]
    this.#child = spawn(program, args, { env: env ?? process.env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#closed = once(this.#child, 'close')
    this.ready = new Promise((resolve, reject) => {
      void this.#closed.then(() => reject(new Error(`the ${order.role} of the replay ended early`)))
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const said = JSON.parse(line) as Partial<SideResult> & { isReady?: true; unknown?: string }
        if (said.isReady) resolve()
        else if (said.unknown !== undefined) this.unknown.push(said.unknown)
        else this.#results.set(said.id ?? -1, said as SideResult)
      })
    })
    this.ready.catch(() => {})
    this.#child.stdin.on('error', () => {})
    this.#child.stdin.write(`${JSON.stringify(order)}\n`)
  }

  /** A server tells its results then. */
  finish(): void {
    this.#child.stdin.end()
  }

  async results(): Promise<ReadonlyMap<number, SideResult>> {
    await this.#closed
    assert.equal(this.#child.exitCode, 0, 'a side of the replay failed')
    return this.#results
  }

  kill(): void {
    this.#child.kill()
  }
}
