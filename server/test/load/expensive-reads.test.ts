// Reads that grow with the configuration: what they take is taken from no other client. Compared in one run with the same work
// done on the event loop, in processor time.
// Requirements 35 and 69.

import assert from 'node:assert/strict'
import { type ClientRequest, get, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { filterDefaults, forwardRules } from '../../src/areas/firewall/config.ts'
import { answerHygiene } from '../../src/areas/firewall/reading.ts'
import { ipAddresses, ipAddressLists } from '../../src/areas/objects/config.ts'
import { RevisionReader } from '../../src/core/config/revision-reader.ts'
import { type Config, read, write } from '../../src/core/model/slots.ts'
import { longestStretch, wholeStretch } from '../support/loop-watch.ts'
import { type Client, createTestGateway, labFacts, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const ruleCount = 2_000
const listLength = 100_000

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
const addressOf = (n: number): string => `10.${20 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`

const manyRules = (config: Config): Config => {
  const objects = numbers(ruleCount).map((n) => ({
    id: `ip.id.${n}`,
    title: `Host ${n}`,
    comment: '',
    value: addressOf(n),
  }))
  const rules = numbers(ruleCount).map((n) => ({
    ...filterDefaults,
    id: n,
    action: n % 3 === 0 ? ('drop' as const) : ('accept' as const),
    source_addresses: ['any'],
    source_ports: ['any'],
    destination_addresses: [`ip.id.${1 + ((n * 7) % ruleCount)}`],
    destination_ports: ['any'],
    timetable: ['any'],
  }))
  return write(write(config, ipAddresses, objects), forwardRules, rules)
}

const longLists = (config: Config): Config =>
  write(
    config,
    ipAddressLists,
    [1, 2, 3, 4].map((n) => ({
      id: `ip_address_list.id.${n}`,
      title: `Long ${n}`,
      comment: '',
      values: numbers(listLength).map(addressOf),
    })),
  )

const packet = {
  source: '10.10.0.5',
  destination: '198.51.100.10',
  protocol: 'tcp',
  destination_port: 80,
  incoming_interface: 'lan0',
}

interface Reply {
  readonly status: number
  readonly bytes: number
}

describe('expensive reads', () => {
  let gateway: TestGateway
  let reader: Client
  let other: Client
  let port = 0
  let runs: { readonly task: string; readonly signal: AbortSignal }[] = []
  const revisionOf = { rules: 0, list: 0 }

  /** Over a connection: an injected request would turn the reply into one text, which is work of the client. */
  const overTheWire = (url: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'gateway.test', cookie: reader.cookie }
      get({ host: '127.0.0.1', port, path: url, headers }, (response) => {
        let bytes = 0
        response.on('data', (piece: Buffer) => {
          bytes += piece.length
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
      }).on('error', reject)
    })

  const change = async (edit: (config: Config) => Config): Promise<number> => {
    const { revision } = await gateway.engine.change({
      edit: (config, tools) => {
        tools.keepIds(forwardRules, ruleCount)
        return [edit(config), null]
      },
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    return revision ?? 0
  }

  before(async () => {
    gateway = await createTestGateway({ parts: { checkReplies: false } })
    reader = await gateway.client('predefined_admin_readonly')
    other = await gateway.client('predefined_firewall_admin')
    revisionOf.rules = await change(manyRules)
    revisionOf.list = await change(longLists)
    await gateway.http.listen({ host: '127.0.0.1', port: 0 })
    port = (gateway.http.server.address() as AddressInfo).port
    const pool = gateway.services.reader
    const run = pool.run.bind(pool)
    pool.run = (task, input, asking) => {
      runs.push({ task, signal: asking.signal })
      return run(task, input, asking)
    }
  })
  after(() => gateway.close())

  const askPast = (client: Client) => client('POST', '/firewall/explain', { packet, revision: revisionOf.rules })

  /** The worker is started and has read the configuration; the first time of either side is not compared. */
  const assertSmall = async (url: string, whole: () => unknown, begin = async () => {}): Promise<void> => {
    assert.equal((await overTheWire(url)).status, 200)
    whole()
    let [held, needed] = [Number.POSITIVE_INFINITY, 0]
    // One round may hold work of the collector.
    for (let round = 0; round < 3 && held * 2 > needed; round++) {
      await begin()
      held = Math.min(held, await longestStretch(() => overTheWire(url)))
      needed = Math.max(needed, wholeStretch(whole))
    }
    assert.ok(held * 2 < needed, `The event loop was held for ${held.toFixed(1)} ms of ${needed.toFixed(1)} ms.`)
  }

  const describeAll = (revision: number) => () =>
    JSON.stringify(new RevisionReader(gateway.database, gateway.engine.slots).describe(revision))

  it('M2: a revision of thousands of rules is described without holding the event loop', () =>
    assertSmall(`/config/revisions/${revisionOf.rules}`, describeAll(revisionOf.rules)))

  it('M2: a revision with lists of 100,000 addresses is described without holding the event loop', () =>
    assertSmall(`/config/revisions/${revisionOf.list}`, describeAll(revisionOf.list)))

  it('M10: hygiene is found without holding the event loop', async () => {
    const { config, revision } = gateway.engine
    // Other objects of the same content, so that nothing is remembered.
    const fresh = () =>
      write(
        config,
        forwardRules,
        read(config, forwardRules).map((rule) => ({ ...rule })),
      )
    const whole = () => JSON.stringify(answerHygiene(fresh(), { ...labFacts }, { revision, unhit: '', expired: [] }))
    let count = 0
    const renamed = (current: Config): Config =>
      write(current, ipAddressLists, [{ id: 'ip_address_list.id.2', title: `${++count}`, comment: '', values: [] }])
    runs = []
    await assertSmall('/firewall/hygiene', whole, async () => void (await change(renamed)))
    assert.equal(runs.length, 1 + count)
  })

  it('M10: ten who look at hygiene at once share one run, whose answer is kept until the next revision', async () => {
    await change((config) => write(config, ipAddressLists, []))
    runs = []
    const answers = await Promise.all(numbers(10).map(() => overTheWire('/firewall/hygiene')))
    assert.ok(answers.every(({ status, bytes }) => status === 200 && bytes === answers[0]?.bytes))
    await overTheWire('/firewall/hygiene')
    assert.equal(runs.length, 1)
    await change(longLists)
    await overTheWire('/firewall/hygiene')
    assert.equal(runs.length, 2)
  })

  it('M10: an explanation of another configuration or time is left to the worker, of the running one it is not', async () => {
    runs = []
    // The schedules of these facts begin in 1970.
    assert.equal((await reader('POST', '/firewall/explain', { packet })).status, 200)
    assert.equal((await askPast(reader)).status, 200)
    const body = { action: 'drop' }
    const changed = { packet, change: { method: 'POST', path: '/firewall/rules/forward', body } }
    assert.equal((await other('POST', '/firewall/explain', changed)).status, 200)
    assert.deepEqual(
      runs.map(({ task }) => task),
      ['explain', 'explain', 'explain'],
    )
    assert.equal((await reader('POST', '/firewall/explain', { packet: { ...packet, time: 3_600 } })).status, 200)
    assert.equal(runs.length, 3)
  })

  it('M10: clients take turns, and who asks for too much at once is refused alone', async () => {
    const done: string[] = []
    const ask = async (client: Client, name: string) => {
      const answer = await askPast(client)
      done.push(name)
      return answer
    }
    // Both workers are started: the first question to one takes as long as many.
    await Promise.all([askPast(reader), askPast(other)])
    const greedy = numbers(40).map(() => ask(reader, 'greedy'))
    const modest = await ask(other, 'modest')
    assert.equal(modest.status, 200, modest.text)
    const answers = await Promise.all(greedy)
    const refused = answers.filter(({ status }) => status === 503)
    assert.ok(refused.length > 0 && refused.length < 40, `${refused.length} refused`)
    assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) > 0))
    assert.ok(answers.every(({ status }) => status === 200 || status === 503))
    const answeredBefore = done.indexOf('modest') - refused.length
    // Each has a worker, and it depends on the machine which of them is faster.
    const answered = answers.length - refused.length
    assert.ok(answeredBefore <= answered / 2, `${answeredBefore} of ${answered} answers of the other came first`)
  })

  it('M10: work for a client that has gone is ended', async () => {
    await change((config) => write(config, ipAddressLists, []))
    runs = []
    const asked: ClientRequest = request({
      host: '127.0.0.1',
      port,
      path: '/firewall/hygiene',
      headers: { host: 'gateway.test', cookie: reader.cookie },
    })
    asked.on('error', () => {})
    asked.end()
    await until('the worker is asked', () => runs.length === 1)
    asked.destroy()
    await until('the work is ended', () => runs[0]?.signal.aborted === true)
    assert.equal((await overTheWire('/firewall/hygiene')).status, 200)
  })
})
