// The product itself in its lab, started on a state that holds the rules, and single changes of it: milliseconds from the
// call to the answer, which comes when the kernel has it.

import { randomInt } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ApiClient } from '../../server/test/support/api-client.ts'
import { type LabGateway, type StartOptions, startGateway } from '../../server/test/support/lab-gateway.ts'
import { benchFolder } from '../folder.ts'
import { adminPassword, type Fill, makeState } from '../state.ts'
import { writePolicy } from './configuration.ts'
import { drawPolicy } from './rules.ts'

export const rulesPath = '/firewall/rules/forward'
export const kinds = ['added', 'moved', 'changed', 'deleted'] as const
export type ChangeTimes = Readonly<Record<(typeof kinds)[number], number>>

/** A large list may take longer than a call of every day. */
const patienceMs = 120_000

interface Reply {
  readonly id: string | number
}

export class BenchGateway {
  readonly lab: LabGateway
  readonly #api: ApiClient
  readonly #count: number

  constructor(lab: LabGateway, api: ApiClient, count: number) {
    this.lab = lab
    this.#api = api
    this.#count = count
  }

  get cookie(): string {
    return this.#api.cookie
  }

  /** One rule added, moved, changed and deleted, at places drawn again each time. */
  async changeRules(): Promise<ChangeTimes> {
    const [id, added] = await this.addRule()
    const body = { params: { id, anchor_item_id: this.#anyRule(), insert_after: true } }
    const moved = await this.time('PATCH', `${rulesPath}/move`, body)
    const other = { action: 'drop', protocol: 'any', destination_ports: ['any'] }
    const changed = await this.time('PATCH', `${rulesPath}/${id}`, other)
    return { added, moved, changed, deleted: await this.deleteRule(id) }
  }

  async addRule(fields: object = {}): Promise<readonly [id: number, time: number]> {
    const rule = { action: 'accept', protocol: 'protocol.tcp', destination_ports: ['port.id.1'] }
    const target = { destination_addresses: [`ip.id.${1 + randomInt(10)}`] }
    const begun = performance.now()
    const place = `anchor_item_id=${this.#anyRule()}&insert_after=true`
    const { id } = await this.call('POST', `${rulesPath}?${place}`, { ...rule, ...target, ...fields })
    return [Number(id), performance.now() - begun]
  }

  deleteRule(id: number): Promise<number> {
    return this.time('DELETE', `${rulesPath}/${id}`)
  }

  /** Once and untimed: what was answered is in the kernel. */
  async proveEffect(): Promise<void> {
    const [id] = await this.addRule()
    const origin = `"firewall.forward[${id}]"`
    await this.expectInKernel(origin, true)
    await this.deleteRule(id)
    await this.expectInKernel(origin, false)
  }

  async expectInKernel(text: string, isThere: boolean): Promise<void> {
    const { stdout } = await this.lab.exec('gateway', ['/usr/sbin/nft', 'list', 'ruleset'], { timeoutMs: patienceMs })
    if (stdout.includes(text) !== isThere) throw new Error(`the kernel ${isThere ? 'lacks' : 'still has'} ${text}`)
  }

  async time(method: string, where: string, body?: object): Promise<number> {
    const begun = performance.now()
    await this.call(method, where, body)
    return performance.now() - begun
  }

  async call(method: string, where: string, body?: object): Promise<Reply> {
    const answer = await this.#api.call(method, where, body, {}, patienceMs)
    if (answer.status !== 200)
      throw new Error(`${method} ${where} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** Another client with its own connection and session. */
  async join(): Promise<BenchGateway> {
    return new BenchGateway(this.lab, await signIn(this.lab), this.#count)
  }

  leave(): void {
    this.#api.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave()
    await this.lab.stop()
  }

  /** Never the last one, behind which nothing is reached. */
  #anyRule(): number {
    return 1 + randomInt(this.#count - 1)
  }
}

async function signIn(lab: LabGateway): Promise<ApiClient> {
  const api = new ApiClient(lab.address)
  await api.signIn('admin', adminPassword)
  return api
}

/** States that no gateway has run with, by the number of rules. */
const states = new Map<number, Promise<string>>()

async function makeRules(count: number): Promise<string> {
  const stateDir = join(benchFolder(), 'state')
  await makeState(stateDir, fillRules(count))
  return stateDir
}

export const fillRules =
  (count: number): Fill =>
  (config, tools) =>
    writePolicy(config, drawPolicy(count), tools)

/** A state folder with so many rules of the bench; the last one accepts the rest. */
export async function stateWith(count: number): Promise<string> {
  const state = states.get(count) ?? makeRules(count)
  states.set(count, state)
  const copy = join(benchFolder(), 'state')
  cpSync(await state, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

/** Stop it with `await using`. */
export async function startOn(stateDir: string, count: number, options: StartOptions = {}): Promise<BenchGateway> {
  const lab = await startGateway({ stateDir, ...options })
  return new BenchGateway(lab, await signIn(lab), count)
}

export const startWith = async (count: number): Promise<BenchGateway> => startOn(await stateWith(count), count)
