// The product itself in its lab, started on a state that holds the rules: what one change takes from the call to the
// answer, which comes when the kernel has it, and how much memory both processes use.

import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiClient } from '../../server/test/support/api-client.ts'
import { type LabGateway, startGateway } from '../../server/test/support/lab-gateway.ts'
import { benchFolder } from '../folder.ts'
import { adminPassword, makeState } from '../state.ts'
import { median } from '../table.ts'
import { writePolicy } from './configuration.ts'
import { drawPolicy } from './rules.ts'

export interface ChangeTimes {
  readonly added: number
  readonly moved: number
  readonly changed: number
  readonly deleted: number
}

export interface ListTimes {
  readonly created: number
  readonly used: number
  readonly extended: number
}

export interface Memory {
  readonly gatewayd: number
  readonly applyd: number
}

const path = '/firewall/rules/forward'
/** A large list may take longer than a call of every day. */
const patienceMs = 120_000

export class BenchGateway {
  readonly #lab: LabGateway
  readonly #api: ApiClient
  readonly #count: number

  constructor(lab: LabGateway, api: ApiClient, count: number) {
    this.#lab = lab
    this.#api = api
    this.#count = count
  }

  /** One rule added, moved, changed and deleted, at places drawn again each time. Medians in milliseconds. */
  async changeRules(samples: number): Promise<ChangeTimes> {
    await this.#proveEffect()
    const times = { added: [] as number[], moved: [] as number[], changed: [] as number[], deleted: [] as number[] }
    for (let sample = 0; sample < samples; sample++) {
      const [id, added] = await this.#addRule()
      times.added.push(added)
      const anchor = this.#anyRule()
      const body = { params: { id, anchor_item_id: anchor, insert_after: true } }
      times.moved.push(await this.#time('PATCH', `${path}/move`, body))
      times.changed.push(
        await this.#time('PATCH', `${path}/${id}`, { action: 'drop', protocol: 'any', destination_ports: ['any'] }),
      )
      times.deleted.push(await this.#time('DELETE', `${path}/${id}`))
    }
    return {
      added: median(times.added),
      moved: median(times.moved),
      changed: median(times.changed),
      deleted: median(times.deleted),
    }
  }

  /** All user rules off and on again: milliseconds of the way back. */
  async loadAll(samples: number): Promise<number> {
    const times: number[] = []
    for (let sample = 0; sample < samples; sample++) {
      await this.#time('PATCH', '/firewall/state', { enabled: false })
      times.push(await this.#time('PATCH', '/firewall/state', { enabled: true }))
    }
    return median(times)
  }

  /** A list of all addresses but the last made, used in a rule, and completed. */
  async useList(values: readonly string[], samples: number): Promise<ListTimes> {
    const times = { created: [] as number[], used: [] as number[], extended: [] as number[] }
    const last = values.at(-1) ?? ''
    for (let sample = 0; sample < samples; sample++) {
      const begun = performance.now()
      const list = { title: `Bench ${sample}`, values: values.slice(0, -1) }
      const { id } = await this.#call('POST', '/aliases/ip_address_lists', list)
      times.created.push(performance.now() - begun)
      const [rule, used] = await this.#addRule({ source_addresses: [id] })
      times.used.push(used)
      times.extended.push(await this.#time('PATCH', `/aliases/ip_address_lists/${id}`, { values }))
      if (sample === 0) await this.#expectInKernel(last, true)
      await this.#call('DELETE', `${path}/${rule}`)
      await this.#call('DELETE', `/aliases/ip_address_lists/${id}`)
    }
    return { created: median(times.created), used: median(times.used), extended: median(times.extended) }
  }

  /** Megabytes that lie in memory. */
  memory(): Memory {
    const { gatewayd, applyd } = this.#lab.pids()
    return { gatewayd: residentMegabytes(gatewayd), applyd: residentMegabytes(applyd) }
  }

  async stop(): Promise<void> {
    this.#api.close()
    await this.#lab.stop()
  }

  /** Once and untimed: what was answered is in the kernel. */
  async #proveEffect(): Promise<void> {
    const [id] = await this.#addRule()
    const origin = `"firewall.forward[${id}]"`
    await this.#expectInKernel(origin, true)
    await this.#call('DELETE', `${path}/${id}`)
    await this.#expectInKernel(origin, false)
  }

  async #expectInKernel(text: string, isThere: boolean): Promise<void> {
    const { stdout } = await this.#lab.exec('gateway', ['/usr/sbin/nft', 'list', 'ruleset'], { timeoutMs: patienceMs })
    if (stdout.includes(text) !== isThere) throw new Error(`the kernel ${isThere ? 'lacks' : 'still has'} ${text}`)
  }

  async #addRule(fields: object = {}): Promise<readonly [id: number, time: number]> {
    const rule = { action: 'accept', protocol: 'protocol.tcp', destination_ports: ['port.id.1'] }
    const target = { destination_addresses: [`ip.id.${1 + randomInt(10)}`] }
    const begun = performance.now()
    const place = `anchor_item_id=${this.#anyRule()}&insert_after=true`
    const { id } = await this.#call('POST', `${path}?${place}`, { ...rule, ...target, ...fields })
    return [Number(id), performance.now() - begun]
  }

  /** Never the last one, behind which nothing is reached. */
  #anyRule(): number {
    return 1 + randomInt(this.#count - 1)
  }

  async #time(method: string, where: string, body?: object): Promise<number> {
    const begun = performance.now()
    await this.#call(method, where, body)
    return performance.now() - begun
  }

  async #call(method: string, where: string, body?: object): Promise<{ readonly id: string | number }> {
    const answer = await this.#api.call(method, where, body, {}, patienceMs)
    if (answer.status !== 200)
      throw new Error(`${method} ${where} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

/** With so many rules of the bench; the last one accepts the rest. */
export async function startWith(count: number): Promise<BenchGateway> {
  const stateDir = join(benchFolder(), 'state')
  await makeState(stateDir, (config, tools) => writePolicy(config, drawPolicy(count), tools))
  const lab = await startGateway({ stateDir })
  const api = new ApiClient(lab.address)
  await api.signIn('admin', adminPassword)
  return new BenchGateway(lab, api, count)
}

function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kilobytes) * 1024) / 1e6
}
