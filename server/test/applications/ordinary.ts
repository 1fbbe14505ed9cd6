// Ordinary traffic that is nothing but its protocol: pages, lookups, text, random bytes, and frames of protocols that we do not know.

import type { Exchange } from './exchanges.ts'
import { bytes, hello, lookup, page, request } from './exchanges.ts'

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state
  }
}

const words =
  'the quick report of last month was sent to every branch and they answered before noon get set stats version user pass'.split(
    ' ',
  )

function text(seed: number, count: number): string {
  const next = numbers(seed)
  return Array.from({ length: count }, () => words[(next() >> 8) % words.length]).join(' ')
}

function noise(seed: number, count: number): Buffer {
  const next = numbers(seed)
  return Buffer.from(Array.from({ length: count }, () => (next() >> 16) & 255))
}

const tcp = (application: string, said: string | Buffer, answer = ''): Exchange => ({
  application,
  protocol: 'tcp',
  answer: bytes(answer),
  request: typeof said === 'string' ? bytes(said) : said,
})
const udp = (application: string, said: string | Buffer): Exchange => ({
  application,
  protocol: 'udp',
  request: typeof said === 'string' ? bytes(said) : said,
})

const hosts = [
  'example.org',
  'shop.example.net',
  'notyoutube.com.example.org',
  'myvk.com.example',
  'fakegoogle.co',
  'intranet',
]
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index + 1))
const host = (index: number): string => hosts[index % hosts.length] ?? ''
const frame = (data: Buffer, size: number): Buffer => {
  const length = Buffer.alloc(size)
  length.writeUIntBE(data.length, 0, size)
  return Buffer.concat([length, data])
}

/** The application is the protocol that it is seen as; '' for none. */
export const ordinary: readonly Exchange[] = [
  ...times(30, (index) =>
    tcp('HTTP', request(host(index), `/${text(index, 2).replaceAll(' ', '/')}?q=${index}`), page(text(index, 30))),
  ),
  ...times(10, (index) =>
    tcp('HTTP', request(host(index), '/form', '', 'POST', `name=${text(index, 12).replaceAll(' ', '+')}`), page()),
  ),
  // Pages that quote other protocols.
  ...[
    '* OK IMAP',
    '+OK',
    'RFB 003.008',
    'SSH-2.0-x',
    '*1\r\n$4\r\nPING\r\n',
    'INFO {"server_id":1}',
    '@RSYNCD: 31',
    '220 x ESMTP',
  ].map((quoted) => tcp('HTTP', request('example.org'), page(quoted))),
  ...times(20, (index) => tcp('TLS', hello(host(index)))),
  ...times(20, (index) => udp('DNS', lookup(`a${index}.${host(index)}`))),
  ...times(20, (index) => tcp('', `${text(index, 20)}\r\n`, `${text(index + 90, 9)}\r\n`)),
  ...times(30, (index) => tcp('', noise(index, 40 + index * 17))),
  ...times(30, (index) => udp('', noise(index + 500, 20 + index * 13))),
  ...times(12, (index) => tcp('', frame(noise(index + 900, 30 + index), 4))),
  ...times(12, (index) => tcp('', frame(noise(index + 950, 30 + index), 2))),
  ...times(8, (index) => udp('', frame(noise(index + 990, 30 + index), 2))),
  ...times(6, (index) => tcp('', `{"event":"${text(index, 3)}","id":${index}}\n`)),
  ...times(6, (index) => tcp('', `<note id="${index}">${text(index, 9)}</note>\n`)),
  ...times(6, (index) => udp('', `counter.${index}:${index}|7c|c`)),
  ...times(6, (index) => udp('', Buffer.concat([bytes('|80 60|'), noise(index + 700, 170)]))),
]
