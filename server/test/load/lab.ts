// What the load tests share: a whole gateway from the real launcher with an administrator signed in, figures of its
// processes as the kernel counts them, and figures of many answers.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { readAbilities } from '../../src/tools/launcher/planes.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { unlessComplete } from '../support/requires.ts'
import { until } from '../support/until.ts'

export const isNightly = process.env.PORTCULLIS_NIGHTLY !== undefined
export const password = 'correct horse 9'

/** Why the lab cannot run here; false when it can. */
export function reasonToSkip(): string | false {
  if (process.env.PORTCULLIS_SKIP_NETNS === '1') return 'asked to leave out tests with namespaces'
  const { missingTools, namespaceRefusal } = readAbilities()
  if (missingTools.length > 0) return unlessComplete(`needs ${missingTools.join(', ')}`)
  return namespaceRefusal ?? false
}

export const onlyNightly: string | false = isNightly ? false : 'takes long: only in the nightly run'

/** Take it with `await using`, or close it: then a failing test leaves nothing behind. */
export interface Lab extends AsyncDisposable {
  readonly gateway: LabGateway
  readonly api: ApiClient
  /** Ends it with proof that nothing is left. */
  close(): Promise<void>
}

export async function startLab(): Promise<Lab> {
  const gateway = await startGateway({ adminPassword: password })
  const api = new ApiClient(gateway.address)
  const dispose = async (): Promise<void> => {
    api.close()
    await gateway[Symbol.asyncDispose]()
  }
  const close = async (): Promise<void> => {
    try {
      await gateway.stop()
    } finally {
      await dispose()
    }
  }
  try {
    await api.signIn('admin', password)
    await until('the rules are in the kernel', async () => (await statusOf(api, 'rules-in-kernel')) === 'active')
  } catch (error) {
    await dispose()
    throw error
  }
  return { gateway, api, close, [Symbol.asyncDispose]: dispose }
}

export async function statusOf(api: ApiClient, name: string): Promise<string> {
  const { body } = await api.call('GET', '/firewall/status')
  return body.find((item: { name: string }) => item.name === name).status
}

/** Another administrator with full access. */
export async function addAdministrator(api: ApiClient, login: string): Promise<string> {
  const fields = { enabled: true, role: 'predefined_admin_write', comment: '', name: login, login, password }
  const { status, body } = await api.call('POST', '/web/admins/local', fields)
  assert.equal(status, 200, JSON.stringify(body))
  return body.id
}

/** The cookies of a new session, for those who write their requests byte by byte. */
export async function cookieOf(address: string, login: string): Promise<string> {
  const client = new ApiClient(address)
  const { status, headers } = await client.call('POST', '/web/auth/login', { login, password, rest_path: '/' })
  client.close()
  assert.equal(status, 200)
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

export interface ProcessFigures {
  readonly descriptors: number
  readonly threads: number
  readonly residentMb: number
  readonly peakMb: number
}

export function figuresOf(pid: number): ProcessFigures {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field('Threads'),
    residentMb: Math.round(field('VmRSS') / 1024),
    peakMb: Math.round(field('VmHWM') / 1024),
  }
}

/** How long answers took, in milliseconds. */
export class Durations {
  readonly #values: number[] = []

  async measure<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const result = await work()
    this.#values.push(performance.now() - begun)
    return result
  }

  get count(): number {
    return this.#values.length
  }

  /** The value that this part of all is not above. */
  at(part: number): number {
    const sorted = this.#values.toSorted((a, b) => a - b)
    return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
  }

  toString(): string {
    const shown = [0.5, 0.99, 0.999, 1].map(
      (part) => `${part === 1 ? 'max' : `p${part * 100}`} ${this.at(part).toFixed(1)} ms`,
    )
    return `${this.count} answers, ${shown.join(', ')}`
  }
}
