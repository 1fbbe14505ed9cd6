// Nothing that a client sends holds the others up: each hostile load runs beside a probe, and no turn of the event loop may
// take longer than a limit, in processor time of the gateway's main thread. The limit is a multiple of a fixed piece of work in
// the same process, so that a slow or busy machine does not decide. The ratio to the same probe alone is printed.
// Requirement 69.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { until } from '../support/until.ts'
import { type HostileBench, type Reply, startHostileBench } from './hostile-bench.ts'
import { isNightly } from './lab.ts'

const ruleCount = isNightly ? 10_000 : 2_000
const lineCount = 20_000

/** The longest turn that is allowed, in pieces of reference work: about 120 ms where one takes 4. */
const limitInReferences = 30

/** The revision that added the rules. */
const rulesRevision = 2

const json = (value: unknown): string => JSON.stringify(value)
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const fullSize = 16 * 1024 * 1024 - 1_000

interface Load {
  readonly title: string
  /** Resolves with the answers, so that a load that never reached its place is noticed. */
  readonly run: (bench: HostileBench) => Promise<readonly Reply[]>
  /** What the load may be answered; a query that costs too much may also be refused. */
  readonly answers: readonly number[]
}

const fine = [200]
/** A worker that is starved on a busy machine gives up in the end. */
const refused = [422, 503]
const unreadable = [400, 503]
const fineOrTooMuch = [200, 422, 429, 503]

const send =
  (method: string, path: string, body: () => string | Buffer, count = 1) =>
  (bench: HostileBench): Promise<Reply[]> => {
    const bytes = body()
    return Promise.all(times(count, () => bench.ask({ method, path, body: bytes })))
  }

const get =
  (path: string, count = 1) =>
  (bench: HostileBench): Promise<Reply[]> =>
    Promise.all(times(count, () => bench.ask({ path })))

/** Not encoded: the headers are limited, and a server that is attacked is not asked whether it likes the spelling. */
const query = (parameters: Readonly<Record<string, unknown>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${json(value)}`)
    .join('&')

const handshake = [
  'GET /connect HTTP/1.1',
  'Host: 127.0.0.1',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')

/** A frame without a mask, then bytes without end; as often as given, one connection after the other. */
async function webSocketGarbage(bench: HostileBench): Promise<Reply[]> {
  const garbage = Buffer.alloc(16 * 1024)
  for (let round = 0; round < 5; round++) {
    const socket: TLSSocket = await bench.open()
    socket.resume()
    socket.write(handshake)
    socket.write(Buffer.from([0x81, 0x00]))
    const more = (): void => {
      while (!socket.destroyed && socket.write(garbage));
    }
    socket.on('drain', more)
    more()
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  }
  return []
}

/** Many more requests than are answered in the meantime, on several connections at once. */
async function pipelined(bench: HostileBench): Promise<Reply[]> {
  const asked = `GET /web/whoami HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${bench.cookie}\r\n\r\n`.repeat(5_000)
  const sockets = await Promise.all(times(8, () => bench.open()))
  await Promise.all(
    sockets.map(async (socket) => {
      socket.resume()
      socket.write(asked)
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
    }),
  )
  return []
}

async function slowBodies(bench: HostileBench): Promise<Reply[]> {
  const sockets = await Promise.all(times(40, (index) => bench.open(`127.0.8.${1 + index}`)))
  const head = `Host: 127.0.0.1\r\nCookie: ${bench.cookie}\r\nContent-Length: 60000\r\n\r\n{`
  for (const socket of sockets) socket.write(`PATCH /firewall/settings HTTP/1.1\r\n${head}`)
  for (let round = 0; round < 200; round++) {
    await Promise.all(
      sockets.map((socket) => new Promise<void>((resolve) => socket.write(' '.repeat(50), () => resolve()))),
    )
  }
  for (const socket of sockets) socket.destroy()
  return []
}

const signInFlood = (bench: HostileBench): Promise<Reply[]> =>
  Promise.all(
    times(120, (index) =>
      bench.ask({
        method: 'POST',
        path: '/web/auth/login',
        cookie: null,
        from: `127.0.7.${1 + (index % 40)}`,
        body: json({ login: 'admin', password: `wrong password ${index}`, rest_path: '/' }),
      }),
    ),
  )

const objectWith = (count: number): string => `{${times(count, (index) => `"k${index}":1`).join(',')}}`
const listOf = (text: string, bytes: number): string => {
  const count = Math.floor(bytes / (text.length + 1))
  return `[${`${text},`.repeat(count - 1)}${text}]`
}
const addresses = (count: number): string[] =>
  times(count, (index) => `11.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`)
const urls = (count: number): string[] => times(count, (index) => `host-${index}.example.org/some/path/${index}`)

const condition = (texts: number) => ({
  column_name: 'message',
  operator: 'not_contains_any',
  value: times(texts, () => '~'),
})
const logColumns = ['timestamp', 'message', 'identifier', 'priority'] as const

const packet = {
  source: '10.10.0.5',
  destination: '10.0.3.7',
  protocol: 'tcp',
  destination_port: 80,
  incoming_interface: 'lan0',
}

const loads: readonly Load[] = [
  { title: 'H1: bytes without end on a WebSocket that is closing', run: webSocketGarbage, answers: [] },
  {
    title: 'H2: a log query with 16 conditions of 100 texts',
    run: get(`/logs_backend/logs?${query({ limit: 1, filter: [{ items: times(16, () => condition(100)) }] })}`),
    answers: fineOrTooMuch,
  },
  {
    title: 'H2: a log query sorted by several columns with a large offset',
    run: get(
      `/logs_backend/logs?${query({ limit: 1, offset: 19_000, sort: logColumns.map((field) => ({ field, direction: 'asc' })) })}`,
      5,
    ),
    answers: fineOrTooMuch,
  },
  {
    title: 'H2: ten log queries with many small conditions',
    run: get(
      `/logs_backend/logs?${query({ limit: 1, filter: times(10, () => ({ items: times(5, () => condition(1)) })) })}`,
      10,
    ),
    answers: fineOrTooMuch,
  },
  {
    title: 'M1: a body with 400,000 unknown fields',
    run: send('POST', '/acl/rules', () => objectWith(400_000)),
    answers: refused,
  },
  {
    title: 'M1: a body with a list of lists',
    run: send(
      'POST',
      '/aliases/ip_address_lists',
      () => `{"title":"a","comment":"","values":${listOf('[]', 290_000)}}`,
    ),
    answers: refused,
  },
  {
    title: 'M1: a body of eight million numbers',
    run: send('POST', '/acl/rules', () => listOf('1', fullSize)),
    answers: refused,
  },
  {
    title: 'M1: a body with a text of backslashes',
    run: send('POST', '/acl/rules', () => `{"name":"${'\\\\'.repeat(fullSize / 2 - 50)}","value":[]}`),
    answers: refused,
  },
  {
    title: 'M1: a body of brackets only',
    run: send('POST', '/acl/rules', () => '['.repeat(fullSize)),
    answers: unreadable,
  },
  {
    title: 'M1: 60 small bodies full of unknown fields, without a session',
    run: (bench) =>
      Promise.all(
        times(60, (index) =>
          bench.ask({
            method: 'POST',
            path: '/web/auth/login',
            cookie: null,
            from: `127.0.6.${1 + (index % 20)}`,
            body: objectWith(6_000),
          }),
        ),
      ),
    answers: refused,
  },
  {
    title: 'M1: a list of 100,000 addresses, added and changed',
    run: async (bench) => {
      const fields = { title: 'many', comment: '', values: addresses(100_000) }
      const made = await bench.ask({ method: 'POST', path: '/aliases/ip_address_lists', body: json(fields) })
      const { id } = JSON.parse(made.text) as { id: string }
      const path = `/aliases/ip_address_lists/${id}`
      const changed = json({ values: addresses(99_999) })
      return [
        made,
        await bench.ask({ method: 'PATCH', path, body: changed }),
        await bench.ask({ path: '/aliases/ip_address_lists' }),
        await bench.ask({ method: 'DELETE', path }),
      ]
    },
    answers: fine,
  },
  {
    title: 'M1: a category of 100,000 URLs, added and read',
    run: async (bench) => {
      const body = json({ name: 'many', comment: '', urls: urls(100_000) })
      const path = '/content-filter/users_categories'
      const made = await bench.ask({ method: 'POST', path, body })
      return [made, ...(await Promise.all(times(3, () => bench.ask({ path }))))]
    },
    answers: fine,
  },
  {
    title: 'M2: five readers of the revision that added all rules',
    run: get(`/config/revisions/${rulesRevision}`, 5),
    answers: fine,
  },
  {
    title: 'M2: five readers of a page of audit records',
    run: get('/journal/records?limit=1000', 5),
    answers: fine,
  },
  {
    title: 'M2: 10,000 log records as CSV',
    run: get('/logs_backend/logs?limit=10000&format_type=CSV', 2),
    answers: fine,
  },
  { title: 'M2: 10,000 log records as JSON', run: get('/logs_backend/logs?limit=10000', 2), answers: fine },
  {
    title: 'M2: the list of rules, read right after changes',
    run: async (bench) => {
      const all: Reply[] = []
      for (let round = 0; round < 3; round++) {
        const body = json({ action: 'drop', comment: `round ${round}` })
        all.push(await bench.ask({ method: 'POST', path: '/firewall/rules/forward', body }))
        all.push(...(await Promise.all(times(5, () => bench.ask({ path: '/firewall/rules/forward' })))))
      }
      return all
    },
    answers: fine,
  },
  { title: 'M6: sign-ins from many addresses', run: signInFlood, answers: [401, 429, 503] },
  { title: 'M10: ten readers of hygiene', run: get('/firewall/hygiene', 10), answers: [200, 503] },
  {
    title: 'M10: ten explanations on a past revision',
    run: send('POST', '/firewall/explain', () => json({ packet, revision: rulesRevision }), 10),
    answers: [200, 503],
  },
  { title: 'M10: counters of all rules', run: get('/firewall/counters/forward', 5), answers: fine },
  { title: 'M10: what uses an object', run: get('/aliases/where_used/ip.id.1', 5), answers: fine },
  { title: 'requests that wait for no answer, without end', run: pipelined, answers: [] },
  { title: 'bodies that arrive slowly', run: slowBodies, answers: [] },
  {
    title: 'many small changes at once',
    run: (bench) =>
      Promise.all(
        times(100, (index) =>
          bench.ask({
            method: 'PATCH',
            path: '/gather_stat/settings',
            body: json({ enabled: index % 2 === 0 }),
          }),
        ),
      ),
    answers: fine,
  },
]

describe('a hostile load', () => {
  let bench: HostileBench
  let aloneMs = 0
  let limitMs = 0
  before(async () => {
    bench = await startHostileBench(ruleCount, lineCount)
    await until('the log is gathered', async () => {
      const { text } = await bench.ask({ path: '/logs_backend/logs?limit=1' })
      return Number(/"rows_before_limit_at_least":(\d+)/.exec(text)?.[1]) >= lineCount
    })
    const alone = await bench.watch(async () => {
      for (let count = 0; count < 300; count++) await bench.ask({ path: '/web/whoami', from: '127.0.5.5' })
    })
    aloneMs = alone.longestMs
    limitMs = limitInReferences * bench.referenceMs
  })
  after(() => bench?.[Symbol.asyncDispose]())

  for (const { title, run, answers } of loads) {
    it(`holds no one up: ${title}`, async (t) => {
      let replies: readonly Reply[] = []
      const { longestMs, probe } = await bench.watch(async () => {
        replies = await run(bench)
      })
      const ratio = (longestMs / aloneMs).toFixed(1)
      t.diagnostic(
        `longest turn ${longestMs.toFixed(0)} ms of processor time, ${ratio} x that of the probe alone; limit ${limitMs.toFixed(0)}; ${probe}`,
      )
      const others = replies.filter(({ status }) => !answers.includes(status))
      assert.deepEqual(others.map(({ status, text }) => `${status} ${text.slice(0, 300)}`).slice(0, 3), [])
      assert.ok(longestMs <= limitMs, `a turn took ${longestMs.toFixed(0)} ms of processor time`)
    })
  }
})
