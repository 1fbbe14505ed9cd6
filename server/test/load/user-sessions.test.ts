// A gateway with 20,000 sessions of 10,000 users: what a change costs that concerns none of them, what the list of all costs
// others, and that authorization is turned on and off without loading the table again. Counted work and turns, not times.

import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { changeOf } from '../../src/applyd/nft-script.ts'
import { authorizationRules, settings } from '../../src/areas/authorization/config.ts'
import { connections } from '../../src/areas/network/config.ts'
import { users } from '../../src/areas/users/config.ts'
import { updateSingle } from '../../src/core/model/list-edits.ts'
import { type Config, write } from '../../src/core/model/slots.ts'
import type { NftPiece } from '../../src/core/plan/artifacts.ts'
import { longestStretch } from '../support/loop-watch.ts'
import { lan, wan } from '../support/network-samples.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { host, sampleRule, sampleUser } from '../support/user-sessions.ts'

const sessionCount = 20_000
const rulesPath = '/firewall/rules/forward'
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const addressOf = (n: number): string => `10.64.${n >> 8}.${n & 255}`
const macOf = (n: number): string => `02:40:0a:40:${n.toString(16).padStart(4, '0').replace(/..$/, ':$&')}`
const idOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

const manyUsers = (config: Config): Config => {
  const people = numbers(sessionCount / 2).map((n) => sampleUser(n + 1))
  const rules = numbers(sessionCount).map((n) => sampleRule(idOf(n), { mac: macOf(n), user_id: 1 + (n >> 1) }))
  const filled = write(write(write(config, connections, [lan, wan]), users, people), authorizationRules, rules)
  return updateSingle(filled, settings, { allow_internet_to_everyone: false })
}

describe('20,000 sessions of users', () => {
  let gateway: TestGateway
  let admin: Client
  /** What was asked of applyd about live sets. */
  let asked: string[] = []
  before(async () => {
    gateway = await createTestGateway({ parts: { checkReplies: false } })
    admin = await gateway.client('predefined_admin_write')
    await gateway.engine.change({
      edit: (config) => [manyUsers(config), null],
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    await gateway.userSessions.maintain()
    const authorized = numbers(sessionCount).map((n) => host(addressOf(n), macOf(n)))
    await gateway.userSessions.takeArrivals({ epoch: gateway.applier.liveEpoch, authorized, unknown: [] })
    const { applier } = gateway
    const [changeLive, readLive] = [applier.changeLive.bind(applier), applier.readLive.bind(applier)]
    applier.changeLive = (changes) => {
      asked.push(...changes.map(({ set, add, remove }) => `${set} +${add.length} -${remove.length}`))
      return changeLive(changes)
    }
    applier.readLive = (sets) => {
      asked.push(`read ${sets.join(' ')}`)
      return readLive(sets)
    }
  })
  after(() => gateway.close())

  const call = async (method: string, path: string, body?: object): Promise<Awaited<ReturnType<Client>>['body']> => {
    const answer = await admin(method, path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const piecesNow = (): readonly NftPiece[] =>
    gateway.applier.applied?.artifacts.find((artifact) => artifact.kind === 'nft')?.pieces ?? []
  const filter = (fields: object = {}) => ({
    action: 'accept',
    protocol: 'any',
    source_addresses: ['any'],
    destination_addresses: ['any'],
    ...fields,
  })

  it('a rule of the firewall that names no user concerns none of them', async () => {
    asked = []
    const { id } = await call('POST', rulesPath, filter())
    await call('DELETE', `${rulesPath}/${id}`)
    assert.deepEqual(asked, [])
  })

  it('a rule that names one user fills the set of that user alone', async () => {
    asked = []
    const { id } = await call('POST', rulesPath, filter({ source_addresses: ['user.id.7'] }))
    assert.deepEqual(asked, ['u_user_id_7 +2 -0'])
    await call('DELETE', `${rulesPath}/${id}`)
    assert.deepEqual(asked.slice(1), [], 'a set that is gone is not emptied')
  })

  it('one authorization rule more, and one less, concern its own session', async () => {
    asked = []
    const [mac, address] = [macOf(sessionCount), addressOf(sessionCount)]
    const fields = { enabled: true, ip: null, mac, user_id: 9, always_logged: false, comment: '' }
    const { id } = await call('POST', '/auth/rules', fields)
    // Hosts that the kernel noted a moment ago, which are few.
    assert.deepEqual(asked, ['read auth_new'])
    const authorized = [host(address, mac)]
    await gateway.userSessions.takeArrivals({ epoch: gateway.applier.liveEpoch, authorized, unknown: [] })
    asked = []
    await call('DELETE', `/auth/rules/${id}`)
    assert.deepEqual(asked, ['auth_pairs +0 -1', 'read auth_new'])
  })

  it('authorization is turned off and on without loading the table again, and no element is touched', async () => {
    asked = []
    for (const allow_internet_to_everyone of [true, false]) {
      const held = piecesNow()
      await call('PATCH', '/auth/settings', { allow_internet_to_everyone })
      assert.ok(changeOf('inet portcullis', held, piecesNow()).difference, 'a delta')
    }
    assert.deepEqual(asked, [])
  })

  it('all of them are listed in slices, between which others are answered', async () => {
    await gateway.http.listen({ host: '127.0.0.1', port: 0 })
    const { port } = gateway.http.server.address() as AddressInfo
    const headers = { host: 'gateway.test', cookie: admin.cookie }
    const list = (): Promise<string> =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: '/monitor_backend/auth_sessions', headers }, async (response) => {
          resolve(Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString())
        }).on('error', reject)
      })
    assert.equal(JSON.parse(await list()).length, sessionCount)
    let [held, needed] = [Number.POSITIVE_INFINITY, 0]
    // One round may hold work of the collector.
    for (let round = 0; round < 3 && held * 4 > needed; round++) {
      const before = process.threadCpuUsage()
      held = Math.min(held, await longestStretch(list))
      const { user, system } = process.threadCpuUsage(before)
      needed = Math.max(needed, (user + system) / 1000)
    }
    assert.ok(held * 4 < needed, `The event loop was held for ${held.toFixed(1)} ms of ${needed.toFixed(1)} ms.`)
  })
})
