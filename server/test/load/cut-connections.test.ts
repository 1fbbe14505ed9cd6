// A change that cuts connections judges up to 30,000 of them (fewer by day): what that takes is taken from no other client. Compared in one run
// with the same work done on the event loop, in processor time.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { filterDefaults, forwardRules } from '../../src/areas/firewall/config.ts'
import { answerConnections, findPlaces } from '../../src/areas/firewall/connections.ts'
import { parseEnds } from '../../src/areas/monitor/runs/conntrack.ts'
import { ipAddresses } from '../../src/areas/objects/config.ts'
import { users } from '../../src/areas/users/config.ts'
import { type Config, write } from '../../src/core/model/slots.ts'
import { ListedSessions } from '../support/listed-sessions.ts'
import { longestStretch, wholeStretch } from '../support/loop-watch.ts'
import { replaceServices } from '../support/provided.ts'
import { type Client, createTestGateway, labFacts, type TestGateway } from '../support/test-gateway.ts'

const isNightly = process.env.PORTCULLIS_NIGHTLY === '1'
const ruleCount = isNightly ? 1_000 : 300
const connectionCount = isNightly ? 30_000 : 8_000
const sessionCount = isNightly ? 20_000 : 5_000

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
const addressOf = (n: number): string => `10.11.${(n >> 8) & 127}.${n & 255}`

const filled = (config: Config): Config => {
  const objects = numbers(ruleCount).map((n) => ({
    id: `ip.id.${n}`,
    title: `Host ${n}`,
    comment: '',
    value: `198.51.100.${n % 250}`,
  }))
  const rules = numbers(ruleCount).map((n) => ({
    ...filterDefaults,
    id: n,
    action: 'accept' as const,
    source_addresses: [`ip.id.${n}`],
    source_ports: ['any'],
    destination_addresses: ['any'],
    destination_ports: ['any'],
    timetable: ['any'],
  }))
  const people = numbers(sessionCount).map((n) => ({
    id: `user.id.${n}`,
    name: `User ${n}`,
    login: `user-${n}`,
    parent_id: 'group.id.1',
    enabled: false,
    domain_type: 'local' as const,
    domain_name: '',
    ldap_guid: '',
    phone_number: null,
    comment: '',
    password_hash: null,
  }))
  return write(write(write(config, ipAddresses, objects), forwardRules, rules), users, people)
}

const table = numbers(connectionCount)
  .map((n) => {
    const [source, port] = [addressOf(n), 1_024 + (n % 60_000)]
    return (
      `ipv4     2 tcp      6 431999 ESTABLISHED src=${source} dst=203.0.113.9 sport=${port} dport=443 packets=5 bytes=500 ` +
      `src=203.0.113.9 dst=203.0.113.2 sport=443 dport=${port} packets=9 bytes=900 [ASSURED] mark=0 zone=0 use=2`
    )
  })
  .join('\n')

describe('connections of a change', () => {
  let gateway: TestGateway
  let admin: Client
  let reader: Client
  const sessions = new ListedSessions()
  before(async () => {
    gateway = await createTestGateway({ parts: { checkReplies: false } })
    admin = await gateway.client('predefined_admin_write')
    reader = await gateway.client('predefined_admin_readonly')
    await gateway.engine.change({
      edit: (config, tools) => {
        tools.keepIds(forwardRules, ruleCount)
        return [filled(config), null]
      },
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    gateway.applier.tracked = { text: table, isCut: false, isCounting: true, limitation: null }
    sessions.sessions = numbers(sessionCount).map((n) => ({
      id: `session-${n}`,
      userId: `user.id.${n}`,
      type: 'web' as const,
      address: addressOf(n),
      mac: null,
      device: null,
      state: 'connected' as const,
      startedAt: 0,
      ruleId: null,
    }))
    replaceServices(gateway.services, { userSessions: sessions })
  })
  after(() => gateway.close())

  const toggle = async (enabled: boolean): Promise<string> => {
    const answer = await admin('PATCH', `/firewall/rules/forward/${ruleCount}?cut_connections=true`, {
      enabled,
      action: 'drop',
      source_addresses: ['any'],
    })
    assert.equal(answer.status, 200, answer.text)
    return String(answer.headers['x-cut-connections'])
  }

  it('are judged and cut without holding the event loop', async () => {
    assert.equal(await toggle(false), '0')
    const before = gateway.engine.config
    assert.equal(await toggle(true), String(connectionCount), 'the worker has read the configuration')
    const after = gateway.engine.config
    const whole = (): void => {
      const users = findPlaces(before, sessions)
      let step = users.next()
      while (!step.done) step = users.next()
      const question = { now: 1_800_000_000, users: step.value, table, limit: connectionCount }
      const { total } = answerConnections(before, after, labFacts, question, parseEnds)
      assert.equal(total, connectionCount)
    }
    whole()
    let [held, needed] = [Number.POSITIVE_INFINITY, 0]
    // One round may hold work of the collector.
    for (let round = 0; round < 3 && held * 2 > needed; round++) {
      await toggle(false)
      held = Math.min(held, await longestStretch(() => toggle(true)))
      needed = Math.max(needed, wholeStretch(whole))
    }
    assert.ok(held * 2 < needed, `The event loop was held for ${held.toFixed(1)} ms of ${needed.toFixed(1)} ms.`)
  })

  it('let others read in the meantime, and changes that come together share the reading of the table', async () => {
    await toggle(false)
    let readings = 0
    const { sessions: read } = gateway.applier
    gateway.applier.sessions = () => {
      readings++
      return read.call(gateway.applier)
    }
    let isDone = false
    const paths = numbers(6).map((n) => `/firewall/rules/forward/${n}?cut_connections=true`)
    const changes = Promise.all(paths.map((path) => admin('PATCH', path, { comment: `again ${path.length}` }))).finally(
      () => {
        isDone = true
      },
    )
    let answered = 0
    while (!isDone) {
      assert.equal((await reader('GET', '/firewall/settings')).status, 200)
      answered++
    }
    for (const answer of await changes) assert.equal(answer.headers['x-cut-connections'], '0')
    assert.ok(answered > 6, `${answered} reads were answered meanwhile`)
    assert.ok(readings < paths.length, `the table was read ${readings} times`)
  })
})
