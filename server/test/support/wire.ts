// Sends real TCP and UDP through a running lab: a sink in the internet, probes from the client.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import type { LabGateway } from './lab-gateway.ts'
import { until } from './until.ts'

/** What the far end saw of a connection. */
export interface Seen {
  readonly client: string
  readonly server: string
  readonly port: number
}

export interface Try {
  /** Where it is tried; the client unless given. */
  readonly from?: string
  readonly source?: string
  readonly sourcePort?: number
  readonly destination?: string
  readonly port: number
}

type Refusal = 'refused' | 'unreachable'

const script = (name: string): string => join(appRoot, 'server/test/support', name)
/** Most of the time of a probe is the start of its program. */
const probe = ['/usr/bin/env', `NODE_COMPILE_CACHE=${join(appRoot, '.cache/compile')}`, runtimePath(appRoot)]

/** What runs the programs of a test: the gateway of the lab, or a host of it. */
export type Places = Pick<LabGateway, 'exec'>

/** How an attempt ended: `unreachable` is the answer of a gateway that prohibits it, `silence` none before the time is over. */
export type Ending = 'passed' | 'refused' | 'unreachable' | 'silence'

export class Wire {
  readonly #gateway: Places
  readonly #from: string
  readonly #to: string

  /** `from` and `to` are the default addresses. */
  constructor(gateway: Places, from: string, to: string) {
    this.#gateway = gateway
    this.#from = from
    this.#to = to
  }

  async addAddresses(namespace: string, device: string, addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      const { code, stderr } = await this.#gateway.exec(namespace, [
        '/usr/sbin/ip',
        'addr',
        'add',
        address,
        'dev',
        device,
      ])
      assert.equal(code, 0, stderr)
    }
  }

  /** Listens until the lab ends. */
  async listen(namespace: string, addresses: readonly string[], ports: readonly number[]): Promise<void> {
    const command = [runtimePath(appRoot), script('wire-sink.ts'), addresses.join(','), ports.join(',')]
    void this.#gateway.exec(namespace, command, { timeoutMs: 900_000 }).catch(() => {})
    const isListening = async () => {
      const { stdout } = await this.#gateway.exec(namespace, ['/usr/bin/ss', '-Hltun'])
      const ends = addresses.map((address) => (address.includes(':') ? `[${address}]` : address))
      return ends.every((end) => ports.every((port) => stdout.split(`${end}:${port} `).length > 2))
    }
    await until('the sink listens', isListening)
  }

  /** Both protocols get through; returns what the far end saw. */
  async passes(attempt: Try): Promise<readonly [tcp: Seen, udp: Seen]> {
    const [tcp, udp] = (await this.#try(attempt, 60_000)) as readonly (Seen | null)[]
    assert.ok(tcp, `TCP did not get through: ${JSON.stringify(attempt)}`)
    assert.ok(udp, `UDP did not get through: ${JSON.stringify(attempt)}`)
    return [tcp, udp]
  }

  /** Neither protocol gets through. */
  async isBlocked(attempt: Try): Promise<void> {
    assert.deepEqual(await this.#try(attempt, 500), [null, null], `it got through: ${JSON.stringify(attempt)}`)
  }

  /** The protocols that get through. */
  async whichPass(attempt: Try, timeoutMs = 4_000): Promise<readonly string[]> {
    const seen = await this.#try(attempt, timeoutMs)
    return ['tcp', 'udp'].filter((_, at) => seen[at] !== null)
  }

  /** Both protocols are refused at once, by an answer and not by silence. */
  async isRefused(attempt: Try): Promise<void> {
    const answers = await this.#try({ ...attempt, wantsRefusal: true }, 60_000)
    assert.deepEqual(answers, ['refused', 'refused'], JSON.stringify(attempt))
  }

  /** How it ends with both protocols. Silence takes `timeoutMs`; every other end comes when it comes. */
  async ends(attempt: Try, timeoutMs = 2_000): Promise<readonly [tcp: Ending, udp: Ending]> {
    const [tcp = null, udp = null] = await this.#try({ ...attempt, wantsRefusal: true }, timeoutMs)
    return [endingOf(tcp), endingOf(udp)]
  }

  async #try(
    attempt: Try & { wantsRefusal?: boolean },
    timeoutMs: number,
  ): Promise<readonly (Seen | Refusal | null)[]> {
    const { from = 'client', ...fields } = attempt
    const wanted = { source: this.#from, destination: this.#to, ...fields, timeoutMs }
    const input = JSON.stringify([
      { ...wanted, protocol: 'tcp' },
      { ...wanted, protocol: 'udp' },
    ])
    const { stdout, stderr } = await this.#gateway.exec(from, [...probe, script('wire-probe.ts')], { input })
    assert.equal(stderr, '')
    return JSON.parse(stdout) as (Seen | Refusal | null)[]
  }
}

const endingOf = (answer: Seen | Refusal | null): Ending =>
  answer === null ? 'silence' : typeof answer === 'string' ? answer : 'passed'
