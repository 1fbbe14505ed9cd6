// Long lists and single changes of a large configuration, through the real service without a data plane: a list against
// node:https with the same bytes, a change against one bare durable commit. Both sides take turns in one run.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TLSSocket } from 'node:tls'
import { Passwords } from '../../server/src/core/accounts/passwords.ts'
import { ApiClient } from '../../server/test/support/api-client.ts'
import { startGateway } from '../../server/test/support/lab-gateway.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { median, type Row } from '../table.ts'
import { exchange, open, requestText } from '../wire.ts'
import { fillState, fullSize, manyUrls, type Size } from './state.ts'

const password = 'correct horse 9'

const paths = {
  users: '/user_backend/users',
  objects: '/aliases/all',
  categories: '/content-filter/users_categories',
  allowed: '/mail/rules/whitelist',
  forwarding: '/mail/rules/alias',
} as const

export async function benchScale({ isQuick }: BenchOptions): Promise<Row[]> {
  const size: Size = isQuick ? { users: 5_000, urls: 2_000, mailRules: 1_000 } : fullSize
  const rounds = isQuick ? 3 : 15
  const folder = benchFolder()
  chmodSync(folder, 0o711)
  const stateDir = join(folder, 'state')
  await (await startGateway({ stateDir, adminPassword: password, dataplane: 'none' })).stop()
  await fillState(stateDir, size)
  await using gateway = await startGateway({ stateDir, dataplane: 'none' })
  const bare = fork(join(import.meta.dirname, 'bare-server.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [{ port }] = (await once(bare, 'message')) as [{ port: number }]
  const api = new ApiClient(gateway.address)
  await api.signIn('admin', password)
  const bench = new Sides(
    await open(Number(new URL(gateway.address).port)),
    await open(port),
    bare,
    api.cookie,
    folder,
    rounds,
    gateway.pids().gatewayd,
  )
  try {
    return [...(await lists(bench, size)), ...(await changes(bench, size))]
  } finally {
    bench.close()
    api.close()
    bare.kill()
    await gateway.stop()
  }
}

/** Both servers and the disk, and how often each is asked. */
class Sides {
  readonly #gateway: TLSSocket
  readonly #bare: TLSSocket
  readonly #bareProcess: ChildProcess
  readonly #cookie: string
  readonly #folder: string
  readonly #database: DatabaseSync
  readonly #gatewaydPid: number
  readonly rounds: number

  constructor(
    gateway: TLSSocket,
    bare: TLSSocket,
    bareProcess: ChildProcess,
    cookie: string,
    folder: string,
    rounds: number,
    gatewaydPid: number,
  ) {
    this.#gateway = gateway
    this.#bare = bare
    this.#bareProcess = bareProcess
    this.#cookie = cookie
    this.#folder = folder
    this.rounds = rounds
    this.#gatewaydPid = gatewaydPid
    this.#database = new DatabaseSync(join(folder, 'bare.db'))
    this.#database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (body TEXT NOT NULL)')
  }

  async ask(method: string, path: string, body?: unknown): Promise<Buffer> {
    return (await exchange(this.#gateway, requestText(method, path, this.#cookie, body))).body()
  }

  /** Milliseconds; the request is written before the clock starts. */
  gateway(method: string, path: string, body?: unknown): Promise<number> {
    return timed(this.#gateway, requestText(method, path, this.#cookie, body))
  }

  bare(path: string): Promise<number> {
    return timed(this.#bare, requestText('GET', path, this.#cookie))
  }

  async teachBare(path: string, bytes: Buffer): Promise<void> {
    const file = join(this.#folder, 'body')
    writeFileSync(file, bytes)
    this.#bareProcess.send({ path, file })
    await once(this.#bareProcess, 'message')
  }

  /** Milliseconds that all threads of gatewayd have computed so far: what a crowded machine does not distort. */
  cpu(): number {
    const tasks = `/proc/${this.#gatewaydPid}/task`
    const nanoseconds = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
  }

  /** One durable commit of a short row. */
  sync(): number {
    const begun = performance.now()
    this.#database.prepare('INSERT INTO t (body) VALUES (?)').run('x'.repeat(300))
    return performance.now() - begun
  }

  close(): void {
    this.#gateway.destroy()
    this.#bare.destroy()
    this.#database.close()
  }
}

async function timed(socket: TLSSocket, request: string): Promise<number> {
  const begun = performance.now()
  await exchange(socket, request)
  return performance.now() - begun
}

/** Unchanged, and right after one item was changed, when its bytes cannot all be kept ones. */
async function lists(sides: Sides, size: Size): Promise<Row[]> {
  const rows: Row[] = []
  const touch: Readonly<Record<keyof typeof paths, (round: number) => Promise<unknown>>> = {
    users: (round) => sides.ask('PUT', `${paths.users}/${numberOf(round, size)}`, user(round, size)),
    objects: (round) => sides.ask('PUT', `${paths.users}/${numberOf(round, size)}`, user(round, size)),
    categories: (round) => sides.ask('PUT', `${paths.categories}/users.id.2`, category(round, ['example.com'])),
    allowed: async (round) => sides.ask('PATCH', await nthOf(sides, 'allowed', round), { comment: `Round ${round}` }),
    forwarding: async (round) =>
      sides.ask('PATCH', await nthOf(sides, 'forwarding', round), { map: [`r${round}@example.com`] }),
  }
  for (const [name, path] of Object.entries(paths) as [keyof typeof paths, string][]) {
    await sides.teachBare(path, await sides.ask('GET', path))
    const samples = { kept: [] as number[], changed: [] as number[], raw: [] as number[] }
    for (let round = -2; round < sides.rounds; round++) {
      await touch[name](round + 2)
      const changed = await sides.gateway('GET', path)
      const raw = await sides.bare(path)
      const kept = await sides.gateway('GET', path)
      if (round < 0) continue
      samples.changed.push(changed)
      samples.kept.push(kept)
      samples.raw.push(raw)
    }
    rows.push(
      ratioRow(`list ${path}`, median(samples.kept), median(samples.raw)),
      ratioRow(`list ${path} right after a change`, median(samples.changed), median(samples.raw)),
      againRow(`list ${path} first and later`, median(samples.changed), median(samples.kept)),
    )
  }
  return rows
}

const numberOf = (round: number, size: Size): number => 1 + ((round * 997) % size.users)

const user = (round: number, size: Size) => {
  const n = numberOf(round, size)
  return {
    name: `User number ${n}`,
    login: `user-${n}`,
    parent_id: 'group.id.3',
    domain_type: 'local',
    domain_name: '',
    ldap_guid: '',
    enabled: false,
    comment: `Round ${round} ${performance.now()}`,
  }
}

const category = (round: number, urls: readonly string[]) => ({
  name: 'Sites',
  comment: `Round ${round} ${performance.now()}`,
  urls,
})

async function nthOf(sides: Sides, list: 'allowed' | 'forwarding', round: number): Promise<string> {
  const items = JSON.parse((await sides.ask('GET', paths[list])).toString()) as { id: string }[]
  return `${paths[list]}/${items[(round * 97) % items.length]?.id}`
}

const ratioRow = (what: string, ours: number, raw: number): Row => ({
  what,
  ours: `${ours.toFixed(1)} ms`,
  raw: `${raw.toFixed(1)} ms`,
  ratio: ours / raw,
  aim: 'at most 3 x the same bytes by node:https',
  isMet: ours / raw <= 3,
})

const againRow = (what: string, first: number, later: number): Row => ({
  what,
  ours: `${first.toFixed(1)} ms`,
  raw: `${later.toFixed(1)} ms`,
  ratio: first / later,
  aim: 'right after a change at most 1.5 x the later ones',
  isMet: first / later <= 1.5,
})

const beyondSyncMilliseconds = 30

/** A change asks whatever it needs to know first; only what it returns to do is measured. */
type Prepare = (round: number) => Promise<() => Promise<unknown>>

async function changes(sides: Sides, size: Size): Promise<Row[]> {
  const prepares: Readonly<Record<string, Prepare>> = {
    ...userChanges(sides, size),
    ...categoryChanges(sides, size),
    ...mailChanges(sides),
    'PATCH of settings elsewhere': async (round) => () =>
      sides.ask('PATCH', '/firewall/settings', { automatic_snat_enabled: round % 2 === 0 }),
  }
  const samples = Object.entries(prepares).map(([what, prepare]) => ({
    what,
    prepare,
    times: [] as number[],
    cpu: [] as number[],
  }))
  const passwords = new Passwords()
  const [syncs, hashes]: [number[], number[]] = [[], []]
  for (let round = 0; round < sides.rounds; round++) {
    hashes.push(await milliseconds(() => passwords.hash('a password')))
    for (const { prepare, times, cpu } of samples) {
      syncs.push(sides.sync())
      const change = await prepare(round)
      const before = sides.cpu()
      times.push(await milliseconds(change))
      cpu.push(sides.cpu() - before)
    }
  }
  return samples.map(({ what, times, cpu }) => {
    const time = median(times)
    // A new user has a password, and hashing it is slow on purpose.
    const raw = median(syncs) + (what === newUser ? median(hashes) : 0)
    return {
      what,
      ours: `${time.toFixed(1)} ms (CPU ${median(cpu).toFixed(1)})`,
      raw: `${raw.toFixed(1)} ms`,
      ratio: time / raw,
      aim: `less than ${beyondSyncMilliseconds} ms beyond a bare commit`,
      isMet: time - raw < beyondSyncMilliseconds,
    }
  })
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const newUser = 'POST of one user (beside a hash)'

function userChanges(sides: Sides, size: Size): Readonly<Record<string, Prepare>> {
  const made: number[] = []
  return {
    'PUT of one user': async (round) => {
      const [path, body] = [`${paths.users}/${numberOf(round, size)}`, user(round, size)]
      return () => sides.ask('PUT', path, body)
    },
    [newUser]: async (round) => {
      const fields = { name: `New ${round}`, login: `new-${round}`, parent_id: 1, comment: '', psw: 'a password' }
      return async () => {
        const reply = await sides.ask('POST', paths.users, fields)
        made.push((JSON.parse(reply.toString()) as { id: number }).id)
      }
    },
    'DELETE of one user': async () => () => sides.ask('DELETE', `${paths.users}/${made.shift()}`),
  }
}

function categoryChanges(sides: Sides, size: Size): Readonly<Record<string, Prepare>> {
  const urls = manyUrls(size.urls)
  return {
    [`PUT of one of ${size.urls} URLs`]: async (round) => {
      const body = category(round, urls.with(round, `round-${round}.example.com`))
      return () => sides.ask('PUT', `${paths.categories}/users.id.1`, body)
    },
    'PUT of a short category beside it': async (round) => () =>
      sides.ask('PUT', `${paths.categories}/users.id.2`, category(round, ['example.com'])),
  }
}

const mailChanges = (sides: Sides): Readonly<Record<string, Prepare>> => ({
  'PATCH of one mail rule': async (round) => {
    const path = await nthOf(sides, 'allowed', round + 50)
    return () => sides.ask('PATCH', path, { comment: `Changed ${round}` })
  },
  'POST of one mail rule': async (round) => () =>
    sides.ask('POST', paths.forwarding, { recipient: `n${round}@example.com`, map: [`m${round}@example.com`] }),
  'DELETE of one mail rule': async (round) => {
    const path = await nthOf(sides, 'forwarding', round)
    return () => sides.ask('DELETE', path)
  },
})
