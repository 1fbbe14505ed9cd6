// The gateway that is counted: the real processes in their lab, or without a data plane where there can be none, each with a probe
// that tells its counts.

import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { tlsHeaders } from '../../server/src/gatewayd/http/headers.ts'
import { ensureCertificate, tlsOptions } from '../../server/src/shared/certificates/tls.ts'
import { ApiClient } from '../../server/test/support/api-client.ts'
import { type LabGateway, startGateway } from '../../server/test/support/lab-gateway.ts'
import { until } from '../../server/test/support/until.ts'
import { benchFolder } from '../folder.ts'
import { adminPassword } from '../state.ts'
import { exchange, open, requestText } from '../wire.ts'
import { type Checkout, makeCheckout } from './checkout.ts'
import { type CountedState, makeCountedState } from './state.ts'

/** What a process has done since its start; see probe.mjs. */
export interface Counts {
  readonly modules: number
  readonly statements: number
  readonly threads: number
  readonly messages: number
  readonly bytes: number
  /** Processor time of the whole process, and of its main thread alone. */
  readonly microseconds: number
  readonly mainMicroseconds: number
  /** By the main thread. */
  readonly allocated: number
}

interface Question {
  readonly calibrate?: number
  readonly bare?: object
  readonly plant?: string
  readonly atStart?: boolean
}

export class Probe {
  readonly #socket: Socket
  readonly #waiting: ((line: string) => void)[] = []
  #text = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8').on('data', (part: string) => {
      this.#text += part
      if (!this.#text.endsWith('\n')) return
      this.#waiting.shift()?.(this.#text)
      this.#text = ''
    })
  }

  static async open(path: string): Promise<Probe> {
    const socket = connect(path)
    await once(socket, 'connect')
    return new Probe(socket)
  }

  async ask(question: Question = {}): Promise<Counts & { readonly calibration?: number }> {
    const line = await new Promise<string>((resolve) => {
      this.#waiting.push(resolve)
      this.#socket.write(`${JSON.stringify(question)}\n`)
    })
    return JSON.parse(line) as Counts & { readonly calibration?: number }
  }

  /** Microseconds of one round of its loop. */
  async calibrate(rounds: number): Promise<number> {
    const { calibration = Number.NaN } = await this.ask({ calibrate: rounds })
    return calibration / rounds
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** A server closes a connection that is idle for some seconds. */
const freshMs = 1_500

/** One connection at a time, which is never used after it was idle. */
class Wire {
  readonly #where: number | string
  #socket: TLSSocket | null = null
  #usedAt = 0

  constructor(where: number | string) {
    this.#where = where
  }

  async get(path: string, cookie: string): Promise<void> {
    if (performance.now() - this.#usedAt > freshMs) {
      this.close()
      this.#socket = await open(this.#where)
    }
    if (this.#socket === null) return
    await exchange(this.#socket, requestText('GET', path, cookie))
    this.#usedAt = performance.now()
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
    this.#usedAt = 0
  }
}

/** As a GET of settings answers. */
const bareBody = JSON.stringify({ automatic_snat_enabled: true, log_mode: 'nothing', log_actions: [] })

export class CountedGateway implements AsyncDisposable {
  readonly lab: LabGateway
  readonly gatewayd: Probe
  readonly applyd: Probe
  readonly api: ApiClient
  readonly state: CountedState
  readonly hasLab: boolean
  readonly #checkout: Checkout
  readonly #wire: Wire
  readonly #bare: Wire

  private constructor(parts: Parts) {
    this.lab = parts.lab
    this.gatewayd = parts.gatewayd
    this.applyd = parts.applyd
    this.api = parts.api
    this.state = parts.state
    this.hasLab = parts.lab.record().dataplane === 'lab'
    this.#checkout = parts.checkout
    this.#wire = parts.wire
    this.#bare = parts.bare
  }

  /** `extra` are modules that its processes load after the probe. */
  static async start(extra: readonly string[] = []): Promise<CountedGateway> {
    const checkout = makeCheckout(extra)
    const folder = benchFolder()
    chmodSync(folder, 0o755)
    const stateDir = join(folder, 'state')
    const state = await makeCountedState(stateDir)
    const isWithoutLab = process.env.PORTCULLIS_SKIP_NETNS === '1'
    const lab = await startGateway({ stateDir, app: checkout.app, ...(isWithoutLab ? { dataplane: 'none' } : {}) })
    return CountedGateway.#meet(lab, checkout, state)
  }

  static async #meet(lab: LabGateway, checkout: Checkout, state: CountedState): Promise<CountedGateway> {
    const [gatewayd, applyd] = await Promise.all(
      (['gatewayd', 'applyd'] as const).map((name) => Probe.open(join(checkout.sockets, `${name}.sock`))),
    )
    const api = new ApiClient(lab.address)
    await api.signIn('admin', adminPassword)
    if (!gatewayd || !applyd) throw new Error('the probes do not answer')
    const wire = new Wire(Number(new URL(lab.address).port))
    const bare = await openBare(gatewayd, checkout)
    return new CountedGateway({ lab, gatewayd, applyd, api, state, checkout, wire, bare })
  }

  /** Where the probes listen. */
  get sockets(): string {
    return this.#checkout.sockets
  }

  /** The next start of the same state, with all that was compiled. */
  async restart(): Promise<CountedGateway> {
    this.#leave()
    return CountedGateway.#meet(await this.lab.restart(), this.#checkout, this.state)
  }

  /** A GET by the client that costs least. */
  async get(path: string): Promise<void> {
    await this.#wire.get(path, this.api.cookie)
  }

  /** The same of the bare server in the process of gatewayd. */
  async getBare(): Promise<void> {
    await this.#bare.get('/', this.api.cookie)
  }

  /** What follows a start has been done: the first plan is in force and its rules were compared. */
  async settle(): Promise<void> {
    const count = async (): Promise<number> => {
      const { messages, statements } = await this.gatewayd.ask()
      return messages + statements
    }
    await until('it is quiet', async () => {
      const before = await count()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return (await count()) === before
    })
  }

  #leave(): void {
    this.api.close()
    this.gatewayd.close()
    this.applyd.close()
    this.#wire.close()
    this.#bare.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave()
    await this.lab[Symbol.asyncDispose]()
  }
}

interface Parts {
  readonly lab: LabGateway
  readonly gatewayd: Probe
  readonly applyd: Probe
  readonly api: ApiClient
  readonly state: CountedState
  readonly checkout: Checkout
  readonly wire: Wire
  readonly bare: Wire
}

async function openBare(gatewayd: Probe, { sockets }: Checkout): Promise<Wire> {
  const certificate = await ensureCertificate(join(sockets, 'tls'), ['127.0.0.1'], new Date())
  const path = join(sockets, `bare-${process.pid}-${performance.now()}.sock`)
  const headers = { ...tlsHeaders, etag: '"firewall.settings-0"', 'content-type': 'application/json; charset=utf-8' }
  await gatewayd.ask({ bare: { path, options: tlsOptions(certificate), headers, body: bareBody } })
  return new Wire(path)
}
