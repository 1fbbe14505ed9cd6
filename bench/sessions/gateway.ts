// A gateway with many users, some of whose hosts have sent a packet: sessions as they come about on a network.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { memberSetOf } from '../../server/src/core/plan/live-sets.ts'
import type { SignInResult } from '../../server/src/engines/portal/protocol.ts'
import { PortalClient } from '../../server/test/support/portal-client.ts'
import { until } from '../../server/test/support/until.ts'
import { type BenchGateway, rulesPath, startOn } from '../firewall/gateway.ts'
import { benchFolder } from '../folder.ts'
import { gatewayMac, loginOf, userPassword } from './state.ts'

/** Where packets of hosts go that want no answer. */
const nowhere = '198.51.100.200'
const frames = join(import.meta.dirname, 'send-frames.pl')
/** Hosts that appear together; then they are waited for. */
const atOnce = 1_000
const group = 'group.id.1'

export class SessionGateway implements AsyncDisposable {
  readonly #gateway: BenchGateway
  readonly #portal: PortalClient

  private constructor(gateway: BenchGateway, portal: PortalClient) {
    this.#gateway = gateway
    this.#portal = portal
  }

  /** For what is asked as an administrator. */
  get api(): BenchGateway {
    return this.#gateway
  }

  get lab(): BenchGateway['lab'] {
    return this.#gateway.lab
  }

  /** On a copy of the state. */
  static async start(state: string): Promise<SessionGateway> {
    const stateDir = join(benchFolder(), 'state')
    cpSync(state, stateDir, { recursive: true, preserveTimestamps: true })
    const gateway = await startOn(stateDir, 0)
    // A rule that names everyone: each session is an element of its set.
    const rule = { action: 'accept', protocol: 'any', source_addresses: [group], destination_addresses: ['any'] }
    await gateway.call('POST', rulesPath, rule)
    await gateway.lab.exec('internet', ['/usr/sbin/ip', 'route', 'add', 'blackhole', nowhere])
    return new SessionGateway(gateway, await PortalClient.open(stateDir))
  }

  /** The first packet of each of these hosts; milliseconds until all are sessions. */
  async begin(count: number): Promise<number> {
    const begun = performance.now()
    for (let first = 0; first < count; first += atOnce) {
      const many = Math.min(atOnce, count - first)
      await this.#send(first, many)
      await until(`${first + many} hosts are known`, async () => (await this.members()) >= first + many)
    }
    return performance.now() - begun
  }

  async #send(first: number, count: number): Promise<void> {
    const argv = ['/usr/bin/perl', frames, 'lan0', gatewayMac, `${first}`, `${count}`, nowhere]
    const { code, stderr } = await this.#gateway.lab.exec('client', argv)
    if (code !== 0) throw new Error(stderr)
  }

  /** Elements of the set of everyone. */
  async members(): Promise<number> {
    return (await this.#elements(memberSetOf(group))).length
  }

  async #elements(set: string): Promise<readonly string[]> {
    const argv = ['/usr/sbin/nft', 'list', 'set', 'inet', 'portcullis', set]
    const { stdout } = await this.#gateway.lab.exec('gateway', argv)
    return /elements = \{([^}]*)\}/.exec(stdout)?.[1]?.split(',') ?? []
  }

  /** Milliseconds until the portal has its answer. */
  async signIn(user: number, address: string): Promise<number> {
    return this.#timed('signed_in', () => this.#portal.signIn(address, loginOf(user), userPassword))
  }

  /** The same work without a session. */
  async signInWrongly(user: number, address: string): Promise<number> {
    return this.#timed('refused', () => this.#portal.signIn(address, loginOf(user), 'Quiet-Harbour-8'))
  }

  async signOut(address: string): Promise<void> {
    await this.#portal.call('signOut', { address, token: null })
  }

  /** Once and untimed: what was answered is in the kernel. */
  async proveEffect(user: number, address: string): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const sets = ['auth_pairs', 'auth_hosts', memberSetOf(group)]
      const found = await Promise.all(sets.map((set) => this.#elements(set)))
      const [pairs = false, hosts = false, member = false] = found.map((set) =>
        set.some((element) => element.trim().split(' ')[0] === address),
      )
      return (pairs || hosts) && member
    }
    await this.signIn(user, address)
    if (!(await isThere())) throw new Error(`the kernel lacks ${address}`)
    await this.signOut(address)
    if (await isThere()) throw new Error(`the kernel still has ${address}`)
  }

  async #timed(status: SignInResult['status'], ask: () => Promise<SignInResult>): Promise<number> {
    const begun = performance.now()
    const result = await ask()
    const time = performance.now() - begun
    if (result.status !== status) throw new Error(`a sign-in ended with ${JSON.stringify(result)}`)
    return time
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#portal.close()
    await this.#gateway[Symbol.asyncDispose]()
  }
}
