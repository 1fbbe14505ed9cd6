// Every request that a site sees was judged. A matrix of ways to the proxy, methods, forms of a request and tricks is sent byte by
// byte through the real proxy; the sites keep each byte they got, and for each request among them there must be a question that
// the decision process answered, about that method, that host and that path.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { gatewayInside } from '../support/firewall-lab.ts'
import type { RawExchange, RawReply, RawStep } from '../support/raw-client.ts'
import type { RawConnection } from '../support/raw-origin.ts'
import { readRequests } from '../support/raw-requests.ts'
import { until } from '../support/until.ts'
import { namelessAddress, siteAddress, WebLab } from '../support/web-lab.ts'

const [good, bad, seen, sealed] = ['good.sites.test', 'bad.sites.test', 'seen.sites.test', 'sealed.sites.test'] as const
const directPort = 3777

/** A way to the proxy, up to where a request can be sent. */
interface Way {
  readonly name: string
  readonly to: Pick<RawExchange, 'address' | 'port'>
  readonly before: readonly RawStep[]
  /** Requests name the whole URL. */
  readonly isDirect?: boolean
  /** Bytes go on as they are: the connection is judged, not what is in it. */
  readonly isSealed?: boolean
}

const direct = { address: gatewayInside, port: directPort }
const tunnel = (name: string): RawStep[] => [
  { send: `CONNECT ${name}:443 HTTP/1.1\r\nHost: ${name}:443\r\n\r\n` },
  { await: '\r\n\r\n' },
]
const ways: readonly Way[] = [
  { name: 'plain', to: { address: siteAddress, port: 80 }, before: [] },
  { name: 'decrypted', to: { address: siteAddress, port: 443 }, before: [{ tls: seen }] },
  { name: 'sealed', to: { address: siteAddress, port: 443 }, before: [{ tls: sealed }], isSealed: true },
  { name: 'direct', to: direct, before: [], isDirect: true },
  { name: 'direct-decrypted', to: direct, before: [...tunnel(seen), { tls: seen }] },
  { name: 'direct-sealed', to: direct, before: [...tunnel(sealed), { tls: sealed }], isSealed: true },
]

/** All that the proxy knows, some that it does not, and spellings. */
const methods = [
  'GET',
  'POST',
  'PUT',
  'HEAD',
  'CONNECT',
  'TRACE',
  'OPTIONS',
  'DELETE',
  'PATCH',
  'LINK',
  'UNLINK',
  'PURGE',
  'PRI',
  'CHECKOUT',
  'CHECKIN',
  'UNCHECKOUT',
  'MKWORKSPACE',
  'VERSION-CONTROL',
  'REPORT',
  'UPDATE',
  'LABEL',
  'MERGE',
  'BASELINE-CONTROL',
  'MKACTIVITY',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'SEARCH',
  'ACL',
  'BIND',
  'FROB',
  'connect',
  'Connect',
  'get',
  'CONNECT-X',
  'ICY',
  'RTSP',
]

const crlf = '\r\n'
const last = `Connection: close${crlf}`

interface Cell {
  readonly way: Way
  readonly what: string
  readonly steps: readonly RawStep[]
}

/** The token is in the path of every request of a cell, and in no other's. */
function cellsOf(way: Way): Cell[] {
  const cells: Cell[] = []
  const add = (what: string, make: (token: (part: string) => string) => string | readonly RawStep[]): void => {
    const name = `${way.name}-${cells.length}`
    const made = make((part) => `/${name}-${part}-end`)
    const steps = typeof made === 'string' ? [{ send: made }] : made
    cells.push({ way, what: `${way.name}: ${what}`, steps: [...way.before, ...steps] })
  }
  const at = (host: string, path: string): string => (way.isDirect ? `http://${host}${path}` : path)
  const get = (host: string, path: string, more = ''): string =>
    `GET ${at(host, path)} HTTP/1.1${crlf}Host: ${host}${crlf}${more}${crlf}`

  add('an allowed request', (token) => get(good, token('allowed'), last))
  for (const host of [good, bad])
    for (const method of methods) {
      const length = ['POST', 'PUT', 'PATCH'].includes(method) ? `Content-Length: 0${crlf}` : ''
      add(`${method} for ${host}`, (token) => {
        return `${method} ${at(host, token('one'))} HTTP/1.1${crlf}Host: ${host}${crlf}${length}${last}${crlf}`
      })
    }
  for (const target of [
    `${bad}:80`,
    `${bad}:443`,
    `${good}:80`,
    `${siteAddress}:80`,
    `${namelessAddress}:443`,
    '/x',
    '*',
  ])
    for (const method of ['CONNECT', 'connect'])
      for (const version of ['1.1', '1.0'])
        add(`${method} ${target} HTTP/${version}, then a request`, (token) => {
          const open = `${method} ${target} HTTP/${version}${crlf}Host: ${target}${crlf}${crlf}`
          return `${open}${get(bad, token('after-connect'), last)}`
        })
  add('an allowed request, then CONNECT', (token) => {
    const open = `CONNECT ${good}:80 HTTP/1.1${crlf}Host: ${good}${crlf}${crlf}`
    return `${get(good, token('first'))}${open}${get(bad, token('after-connect'), last)}`
  })
  for (const [what, to] of [
    ['CONNECT, then TLS inside of it', `${good}:443`],
    ['CONNECT to a denied name, then TLS inside of it', `${bad}:443`],
  ] as const)
    add(what, (token) => [
      { send: `CONNECT ${to} HTTP/1.1${crlf}Host: ${to}${crlf}${crlf}` },
      { tls: bad },
      { send: get(bad, token('nested'), last) },
    ])
  add('one after the other', (token) => `${get(good, token('first'))}${get(bad, token('second'), last)}`)
  add('three at once', (token) => `${get(good, token('a'))}${get(good, token('b'))}${get(bad, token('c'), last)}`)
  for (const protocol of ['websocket', 'h2c', 'TLS/1.3', 'h2c, websocket', 'HTTP/2.0', 'x'])
    add(`Upgrade: ${protocol}`, (token) => {
      const fields = `Upgrade: ${protocol}${crlf}Connection: Upgrade${crlf}Sec-WebSocket-Key: ${'k'.repeat(22)}==${crlf}`
      return get(bad, token('upgrade'), `${fields}Sec-WebSocket-Version: 13${crlf}`)
    })
  add('an upgrade of HTTP that the site does not know, then a request', (token) => {
    const upgrade = get(good, token('first'), `Upgrade: h2c${crlf}Connection: Upgrade, HTTP2-Settings${crlf}`)
    return `${upgrade}${get(bad, token('second'), last)}`
  })
  const preface = `PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}`
  add('HTTP/2 from the start', (token) => `${preface}${get(bad, token('h2'), last)}`)
  add('HTTP/2 after a request', (token) => `${get(good, token('first'))}${preface}${get(bad, token('h2'), last)}`)
  for (const target of [
    `http://${bad}`,
    `https://${bad}`,
    `HTTP://${bad.toUpperCase()}`,
    `http://${bad}.`,
    `http://${bad}:80`,
    `http://user@${bad}`,
    `http://${good}@${bad}`,
    `ftp://${bad}`,
    `ftp://${bad}:8021`,
    `ws://${bad}`,
    `urn:${bad}:`,
    `//${bad}`,
    `cache_object://${bad}`,
    `whois://${bad}`,
    bad,
    `http:${bad}`,
    `http:/${bad}`,
    `coap://${bad}:8080`,
    `http://%62ad.sites.test`,
    `http://${bad}\\`,
    `http://${good}#@${bad}`,
  ])
    for (const host of [good, bad])
      add(`the target ${target} with the host ${host}`, (token) => {
        return `GET ${target}${token('form')} HTTP/1.1${crlf}Host: ${host}${crlf}${last}${crlf}`
      })
  for (const [what, fields] of [
    ['two hosts', `Host: ${good}${crlf}Host: ${bad}`],
    ['two hosts, the denied first', `Host: ${bad}${crlf}Host: ${good}`],
    ['no host', 'X: y'],
    ['an empty host', 'Host:'],
    ['a folded host', `Host:${crlf} ${bad}`],
    ['a space before the colon', `Host : ${bad}`],
    ['a host in capitals', `HOST: ${bad.toUpperCase()}`],
    ['a host with a dot at its end', `Host: ${bad}.`],
    ['a host with a port', `Host: ${bad}:8080`],
    ['a host with a user', `Host: ${good}@${bad}`],
    ['a host list', `Host: ${good}, ${bad}`],
  ] as const)
    add(what, (token) => `GET ${token('host')} HTTP/1.1${crlf}${fields}${crlf}${last}${crlf}`)
  add('HTTP/0.9', (token) => `GET ${at(bad, token('old'))}${crlf}`)
  add('HTTP/1.0 without a host', (token) => `GET ${at(bad, token('old'))} HTTP/1.0${crlf}${crlf}`)
  add('HTTP/3.0', (token) => `GET ${at(bad, token('new'))} HTTP/3.0${crlf}Host: ${bad}${crlf}${last}${crlf}`)
  for (const method of ['OPTIONS', 'TRACE', 'GET', 'POST'])
    add(`${method} *`, () => `${method} * HTTP/1.1${crlf}Host: ${bad}${crlf}Content-Length: 0${crlf}${last}${crlf}`)
  // A request in the body of another one, where length and chunks contradict each other.
  for (const [what, fields, wrap] of [
    ['two lengths', `Content-Length: 4${crlf}Content-Length: 400`, (text: string) => `abcd${text}`],
    [
      'a length and chunks',
      `Content-Length: 5${crlf}Transfer-Encoding: chunked`,
      (text: string) => `0${crlf}${crlf}${text}`,
    ],
    ['chunks by another name', `Transfer-Encoding: xchunked${crlf}Content-Length: 0`, (text: string) => text],
    [
      'chunks after a tab',
      `Transfer-Encoding:\tchunked${crlf}Content-Length: 3`,
      (text: string) => `0${crlf}${crlf}${text}`,
    ],
    ['a length with a sign', 'Content-Length: +0', (text: string) => text],
    ['no length at all', 'X: y', (text: string) => text],
    [
      'a long chunk extension',
      'Transfer-Encoding: chunked',
      (text: string) => `0;a=${'b'.repeat(500)}${crlf}${crlf}${text}`,
    ],
    ['a bare line end', 'Transfer-Encoding: chunked', (text: string) => `0\n\n${text}`],
  ] as const)
    add(`POST with ${what}`, (token) => {
      const head = `POST ${at(good, token('outer'))} HTTP/1.1${crlf}Host: ${good}${crlf}${fields}${crlf}${crlf}`
      return head + wrap(get(bad, token('inner'), last))
    })
  return cells
}

/** A line of the record that the proxy writes, as far as it is looked at here. */
interface Line {
  readonly m: string
  readonly u: string
  readonly sni: string
  readonly tls: string
  readonly v: string
  readonly vt: string
}

describe('every request that a site sees was judged', () => {
  let lab: WebLab
  before(async () => {
    lab = await WebLab.start('raw-origin.ts')
    await lab.filter(true)
    const denied = await lab.addCategory('Bad', [bad, namelessAddress])
    const decrypted = await lab.addCategory('Seen', [seen])
    await lab.setRules({ categories: [denied], access: 'deny' }, { categories: [decrypted], access: 'bump' })
    await lab.api.ok('PATCH', '/proxy_backend/settings', { direct_enabled: true, direct_port: directPort })
    const listens = async () =>
      (await send([cellsOf(ways[3] as Way)[0] as Cell]))[0]?.text.includes('X-Origin') === true
    await until('the direct proxy serves', listens)
  })
  after(() => lab.stop())

  async function send(cells: readonly Cell[]): Promise<readonly RawReply[]> {
    const file = join(lab.folder, 'exchanges.json')
    writeFileSync(file, JSON.stringify(cells.map(({ way, steps }) => ({ ...way.to, steps }))))
    const program = [runtimePath(appRoot), join(import.meta.dirname, '..', 'support', 'raw-client.ts'), file]
    const { stdout, stderr } = await lab.gateway.exec('client', program, { timeoutMs: 900_000 })
    assert.notEqual(stdout, '', stderr)
    return JSON.parse(stdout) as readonly RawReply[]
  }
  const record = (): readonly Line[] =>
    readFileSync(join(lab.gateway.stateDir, 'log/web-access.log'), 'latin1')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line)
  const asked = async (): Promise<number> => {
    const items = (await lab.api.ok('GET', '/proxy_backend/status')) as { name: string; msg: string[] }[]
    const text = items.find(({ name }) => name === 'web-filter')?.msg.join(' ') ?? ''
    return Number(/Requests judged: (\d+)/.exec(text)?.[1] ?? Number.NaN)
  }
  const nameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '')

  for (const way of ways)
    it(way.name, async () => {
      const cells = cellsOf(way)
      await lab.forget()
      const askedBefore = await asked()
      const replies = await send(cells)
      const { connections } = await lab.seen<{ connections: readonly RawConnection[] }>()
      assert.match(replies[0]?.text ?? '', /X-Origin/, `an allowed request gets through: ${JSON.stringify(replies[0])}`)
      const faults: string[] = []
      const whatOf = (text: string): string => {
        const index = Number(/-(\d+)-[a-z0-9-]+-end/.exec(text)?.[1] ?? Number.NaN)
        return cells[index]?.what ?? text.slice(0, 200)
      }
      let reached = 0
      for (const { isTls, name, bytes } of connections) {
        if (isTls && name === sealed) {
          assert.ok(way.isSealed)
          continue
        }
        if (isTls) assert.equal(name, seen, 'denied names are not connected to')
        const { requests, rest } = readRequests(bytes)
        if (rest !== '')
          faults.push(`bytes that are no request (${whatOf(rest)}): ${JSON.stringify(rest.slice(0, 300))}`)
        for (const request of requests) {
          reached++
          const [path] = /\/[a-z0-9-]+-end/.exec(request.target) ?? [request.target]
          const isAsked = ({ m, u, v }: Line): boolean => {
            const host = /^https?:\/\/([^/]+)/i.exec(u)?.[1] ?? ''
            return v !== '-' && m === request.method && nameOf(host) === nameOf(request.host) && u.includes(path)
          }
          await until('the proxy has written its record', () => record().some(({ u }) => u.includes(path))).catch(
            () => {},
          )
          if (!record().some(isAsked)) faults.push(`not asked about (${whatOf(path)}): ${request.head}`)
          if (nameOf(request.host).replace(/\.$/, '') === bad) faults.push(`denied (${whatOf(path)}): ${request.head}`)
        }
      }
      assert.deepEqual(faults, [])
      if (way.isSealed) {
        const opened = connections.filter(({ name }) => name === sealed).length
        assert.ok(opened > 0)
        const judged = () => record().filter(({ sni, tls }) => sni === sealed && tls.startsWith('splice')).length
        await until('each connection has its line', () => judged() >= opened)
      } else assert.ok(reached > 1)
      await until(
        'filterd was asked at least as often',
        async () => (await asked()) - askedBefore >= connections.length,
      )
    })
})
