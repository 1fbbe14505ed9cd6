// Many signed-in clients at once, and many sign-ins at once, against the whole gateway: no errors, and no one waits for the
// hashing of someone else's password. Figures are printed, and nothing is judged by them.
// Requirements 2 and 70.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random, seed } from '../security/random.ts'
import { ApiClient } from '../support/api-client.ts'
import { addAdministrator, Durations, figuresOf, isNightly, type Lab, password, reasonToSkip, startLab } from './lab.ts'

/** One administrator has at most ten sessions. */
const sessionsEach = 10
const clientCount = isNightly ? 200 : 20
const requestsPerSecond = isNightly ? 1_000 : 300
const seconds = Number(process.env.PORTCULLIS_LOAD_SECONDS ?? (isNightly ? 600 : 2))
const reads = [
  '/web/whoami',
  '/firewall/settings',
  '/firewall/state',
  '/web/admins/local',
  '/config/revisions?limit=10',
  '/config/confirm',
  '/gather_stat/settings',
] as const

describe('under load', { skip: reasonToSkip() }, () => {
  let lab: Lab
  const administrators: string[] = []
  const clients: ApiClient[] = []
  before(async () => {
    lab = await startLab()
    for (let index = 0; index < clientCount / sessionsEach; index++) {
      administrators.push(await addAdministrator(lab.api, `load-${index}`))
      for (let session = 0; session < sessionsEach; session++) clients.push(new ApiClient(lab.gateway.address))
      await Promise.all(clients.slice(-sessionsEach).map((client) => client.signIn(`load-${index}`, password)))
    }
  })
  after(async () => {
    for (const client of clients) client.close()
    await lab?.close()
  })

  /** One request in twenty changes something. */
  async function act(client: ApiClient, random: Random, durations: Durations): Promise<string | null> {
    const isWrite = random.chance(0.05)
    const [method, path, body] = isWrite
      ? ['PATCH', `/web/admins/local/${random.pick(administrators)}`, { comment: String(random.below(1_000_000)) }]
      : ['GET', random.pick(reads), undefined]
    try {
      const { status } = await durations.measure(() => client.call(method, path, body))
      return status === 200 ? null : `${method} ${path}: ${status}`
    } catch (error) {
      return `${method} ${path}: ${(error as Error).message}`
    }
  }

  it(`answers ${clientCount} clients for ${seconds} s without an error`, async (t) => {
    const durations = new Durations()
    const failures: string[] = []
    const begun = performance.now()
    const every = (1_000 * clientCount) / requestsPerSecond
    await Promise.all(
      clients.map(async (client, index) => {
        const random = new Random(seed + index)
        // Spread over the interval, and never further behind than one request.
        for (let next = begun + random.next() * every; next < begun + seconds * 1_000; next += every) {
          await pause(Math.max(0, next - performance.now()))
          next = Math.max(next, performance.now() - every)
          const failure = await act(client, random, durations)
          if (failure !== null) failures.push(failure)
        }
      }),
    )
    const { gatewayd } = lab.gateway.pids()
    const { peakMb } = figuresOf(gatewayd)
    const rate = Math.round((durations.count * 1_000) / (performance.now() - begun))
    t.diagnostic(`${durations}, ${rate} a second, peak memory ${peakMb} MB`)
    assert.deepEqual(failures.slice(0, 10), [])
    assert.ok(peakMb < 512)
  })

  const signInThrough = (agent: Agent | undefined, login: string): Promise<{ status: number; retryAfter: string }> =>
    new Promise((resolve, reject) => {
      const url = new URL('/web/auth/login', lab.gateway.address)
      const outgoing = request(url, { method: 'POST', agent }, (answer) => {
        answer.resume()
        answer.on('error', reject)
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] ?? '' })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(JSON.stringify({ login, password, rest_path: '/' }))
    })

  it('goes on answering others while 200 sign-ins come at once, and refuses what is too many', async (t) => {
    await addAdministrator(lab.api, 'crowd')
    // From several sources: of one with more than 64 connections, those without a session must make room for new ones.
    const agents = ['127.0.5.1', '127.0.5.2', '127.0.5.3', '127.0.5.4'].map(
      (localAddress) => new Agent({ localAddress, rejectUnauthorized: false }),
    )
    const durations = new Durations()
    let isOver = false
    const signIns = Promise.all(
      Array.from({ length: 200 }, (_, index) => signInThrough(agents[index % agents.length], 'crowd')),
    ).finally(() => {
      isOver = true
    })
    while (!isOver) {
      const { status } = await durations.measure(() => lab.api.call('GET', '/web/whoami'))
      assert.equal(status, 200)
    }
    const answers = await signIns
    for (const agent of agents) agent.destroy()
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length
    t.diagnostic(`${count(200)} signed in, ${count(503)} refused; meanwhile others: ${durations}`)
    assert.equal(count(200) + count(503), answers.length)
    assert.ok(count(200) > 0)
    assert.ok(answers.filter(({ status }) => status === 503).every(({ retryAfter }) => retryAfter === '1'))
    // On the event loop each hash would hold everyone up: then there would be fewer answers than hashes.
    assert.ok(durations.count > count(200) / 4, `only ${durations.count} answers meanwhile`)
  })
})
