// The forms of traffic that attacks and ordinary exchanges are made of. Text stands for bytes: one character is one byte.

import type { RawTraffic, Traffic, Turn } from './capture.ts'
import { tcpHeader, u16 } from './capture.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

const say = (from: 'client' | 'server', text: string): Turn => ({ from, data: bytes(text) })

/** A request, and the answer if there is one. */
const pair = (request: string, answer: string): Turn[] =>
  [say('client', request), say('server', answer)].filter(({ data }) => data.length > 0)

export const tcp = (isFromInside: boolean, port: number, request: string, answer = ''): Traffic => ({
  protocol: 'tcp',
  isFromInside,
  port,
  turns: pair(request, answer),
})

export const udp = (isFromInside: boolean, port: number, request: string, answer = ''): Traffic => ({
  protocol: 'udp',
  isFromInside,
  port,
  turns: pair(request, answer),
})

/** Lines of both sides in turn; those of the server begin with `<`. Each ends as lines on the network do. */
export const talk = (isFromInside: boolean, port: number, lines: readonly string[]): Traffic => ({
  protocol: 'tcp',
  isFromInside,
  port,
  turns: lines.map((line) =>
    line.startsWith('<') ? say('server', `${line.slice(1)}\r\n`) : say('client', `${line}\r\n`),
  ),
})

/** Bytes of both sides in turn, the client first. */
export const exchange = (isFromInside: boolean, port: number, ...texts: readonly string[]): Traffic => ({
  protocol: 'tcp',
  isFromInside,
  port,
  turns: texts.map((text, at) => say(at % 2 === 0 ? 'client' : 'server', text)),
})

export const times = (count: number, traffic: Traffic): Traffic => ({ ...traffic, times: count })

export interface Parts {
  readonly method?: string
  readonly host?: string
  readonly headers?: string
  readonly body?: string
}

export function http(path: string, { method = 'GET', host = 'shop.example', headers = '', body = '' }: Parts = {}) {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}${length}\r\n${body}`
}

export const page = (content: string, headers = '', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${content.length}\r\n\r\n${content}`

/** A request to a web server inside. */
export const inbound = (path: string, parts: Parts = {}, answer = page('ok')): Traffic =>
  tcp(false, 80, http(path, parts), answer)
export const outbound = (path: string, parts: Parts = {}, answer = page('ok')): Traffic =>
  tcp(true, 80, http(path, parts), answer)
export const agent = (name: string): Parts => ({ headers: `User-Agent: ${name}\r\n` })
export const posted = (body: string, headers = ''): Traffic => inbound('/form', { method: 'POST', headers, body })
/** What a web server inside gives away. */
export const given = (content: string): Traffic => inbound('/', {}, page(content))
/** What a server outside gives to a client inside. */
export const fetched = (content: string, headers = ''): Traffic => outbound('/', {}, page(content, headers))

const short = (value: number): string => String.fromCharCode(...u16(value))

export const recordTypes = { a: 1, mx: 15, txt: 16, aaaa: 28, any: 255 } as const

/** With an answer that holds one address, or a text for the other types. */
export function lookup(name: string, type: keyof typeof recordTypes = 'a'): Traffic {
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label)
  const asked = `${labels.join('')}\x00${short(recordTypes[type])}\x00\x01`
  const head = (flags: string, answers: number) => `\x12\x34${flags}\x00\x01${short(answers)}\x00\x00\x00\x00${asked}`
  const value = type === 'a' ? '\xc0\x00\x02\x07' : type === 'aaaa' ? `\x20\x01\x0d\xb8${'\x00'.repeat(12)}` : ''
  const answer = `\xc0\x0c${short(recordTypes[type])}\x00\x01\x00\x00\x01\x00${short(value.length)}${value}`
  return udp(true, 53, head('\x01\x00', 0), value === '' ? head('\x81\x80', 0) : head('\x81\x80', 1) + answer)
}

/** With its length in as many bytes before it. */
const part = (size: number, content: string): string =>
  [...Array(size).keys()].map((at) => String.fromCharCode((content.length >> (8 * (size - 1 - at))) & 255)).join('') +
  content

/** The first message of a TLS client that asks for the name. */
export function clientHello(name: string): string {
  const serverName = `\x00\x00${part(2, part(2, `\x00${part(2, name)}`))}`
  const body = `\x03\x03${'r'.repeat(32)}\x00${part(2, '\xc0\x2f\x00\x2f')}${part(1, '\x00')}${part(2, serverName)}`
  return `\x16\x03\x01${part(2, `\x01${part(3, body)}`)}`
}

const serverHello = `\x16\x03\x03${part(2, `\x02${part(3, `\x03\x03${'s'.repeat(32)}\x00\xc0\x2f\x00`)}`)}`

export const hello = (name: string, port = 443): Traffic => exchange(true, port, clientHello(name), serverHello)

/** A record of a TLS client after its first message. */
export const tlsRecord = (name: string, record: string): Traffic => ({
  protocol: 'tcp',
  isFromInside: false,
  port: 443,
  turns: [say('client', clientHello(name)), say('server', serverHello), say('client', record)],
})

const wide = (text: string): string => [...text].map((character) => `${character}\x00`).join('')
const littleEndian = (size: number, value: number): string =>
  String.fromCharCode(...Array.from({ length: size }, (_, at) => Math.floor(value / 256 ** at) % 256))

const netbios = (message: string): string => `\x00${part(3, message)}`

/** A message of SMB 2. */
const smb2 = (command: number, body: string, isAnswer = false): string =>
  netbios(
    `\xfeSMB${littleEndian(2, 64)}\x00\x00${littleEndian(4, 0)}${littleEndian(2, command)}\x01\x00` +
      `${littleEndian(4, isAnswer ? 1 : 0)}${littleEndian(4, 0)}${littleEndian(8, command)}` +
      `${littleEndian(4, 0xfeff)}${littleEndian(4, 1)}${littleEndian(8, 77)}${'\x00'.repeat(16)}${body}`,
  )

const smbNegotiate = smb2(
  0,
  `\x24\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00${'g'.repeat(16)}${'\x00'.repeat(8)}\x02\x02`,
)
const smbNegotiated = smb2(0, `\x41\x00\x01\x00\x02\x02\x00\x00${'g'.repeat(16)}${'\x00'.repeat(40)}`, true)

/** After the first exchange of a client. */
const smb = (isFromInside: boolean, message: string, answer: string): Traffic =>
  exchange(isFromInside, 445, smbNegotiate, smbNegotiated, message, answer)

/** A client takes a share. */
export function smbShare(path: string, isFromInside = false): Traffic {
  const name = wide(path)
  const ask = smb2(3, `\x09\x00\x00\x00${littleEndian(2, 72)}${littleEndian(2, name.length)}${name}`)
  return smb(isFromInside, ask, smb2(3, `\x10\x00\x01\x00${'\x00'.repeat(12)}`, true))
}

/** A client opens a file, or a named pipe of a service. */
export function smbOpen(path: string, isFromInside = false): Traffic {
  const name = wide(path)
  const fields = `\x39\x00\x00\x00\x02\x00\x00\x00${'\x00'.repeat(16)}${littleEndian(4, 0x12019f)}${'\x00'.repeat(16)}`
  const ask = smb2(5, `${fields}${littleEndian(2, 120)}${littleEndian(2, name.length)}${'\x00'.repeat(8)}${name}`)
  return smb(isFromInside, ask, smb2(5, `\x59\x00${'\x00'.repeat(86)}`, true))
}

export const smb1 = (command: number, body = '\x00\x00\x00'): string =>
  netbios(`\xffSMB${String.fromCharCode(command)}\x00\x00\x00\x00\x18\x01\x20${'\x00'.repeat(20)}${body}`)

/** A call of a function of an interface, over TCP: the interface is bound before. */
export function remoteCall(uuid: string, version: number, operation: number): Traffic {
  const [a = '', b = '', c = '', d = '', e = ''] = uuid.split('-')
  const raw = (hex: string) => Buffer.from(hex, 'hex').toString('latin1')
  const swapped = (hex: string) => [...raw(hex)].reverse().join('')
  const id = `${swapped(a)}${swapped(b)}${swapped(c)}${raw(d)}${raw(e)}${littleEndian(4, version)}`
  const transfer = `${raw('045d888aeb1cc9119fe808002b104860')}${littleEndian(4, 2)}`
  const message = (type: number, body: string) =>
    `\x05\x00${String.fromCharCode(type)}\x03\x10\x00\x00\x00${littleEndian(2, 16 + body.length)}\x00\x00\x01\x00\x00\x00${body}`
  const bind = message(11, `\xb8\x10\xb8\x10\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x01\x00${id}${transfer}`)
  const bound = message(
    12,
    `\xb8\x10\xb8\x10\x00\x00\x00\x00\x04\x00135\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00${transfer}`,
  )
  const stub = '\x00'.repeat(32)
  const call = message(0, `${littleEndian(4, stub.length)}\x00\x00${littleEndian(2, operation)}${stub}`)
  return exchange(false, 49_667, bind, bound, call, message(2, `${littleEndian(4, 4)}\x00\x00\x00\x00\x00\x00\x00\x00`))
}

/** A first packet with flags that no kernel sets. */
export const oddFlags = (flags: number): RawTraffic => ({
  protocol: 'raw',
  isFromInside: false,
  number: 6,
  packets: [(port) => ({ from: 'client', data: Buffer.from(tcpHeader(port, 80, flags)) })],
})

/** A connection that is refused, to another port each time. */
export const refused = (count: number): RawTraffic => ({
  protocol: 'raw',
  isFromInside: false,
  number: 6,
  times: count,
  packets: [
    (port) => ({ from: 'client', data: Buffer.from(tcpHeader(port, port - 49_000, 2)) }),
    (port) => ({ from: 'server', data: Buffer.from(tcpHeader(port - 49_000, port, 0x14)) }),
  ],
})

export const echoRequests = (isFromInside: boolean, count: number, size: number): RawTraffic => ({
  protocol: 'raw',
  isFromInside,
  number: 1,
  times: count,
  packets: [() => ({ from: 'client', data: Buffer.from([8, 0, 0, 0, 0, 1, 0, 1, ...Array(size).fill(97)]) })],
})
