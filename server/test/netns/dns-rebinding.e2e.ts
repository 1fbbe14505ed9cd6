// Answers of the internet that name the machine that asks, or its local networks, do not reach a client: the first and the last
// address of every range, with their neighbours, are sent by a real server.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DnsLab, dnsSkip } from '../support/dns-lab.ts'
import { startZone } from '../support/dns-servers.ts'

const server = '198.51.100.163'

/** What must not be named, written here apart from the code that is tested. */
const forbidden4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '255.255.255.255/32',
]
const forbidden6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  '64:ff9b:1::/48',
]

interface Span {
  readonly low: bigint
  readonly high: bigint
}

const parse4 = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
const print4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
function parse6(text: string): bigint {
  const [head = '', tail] = text.split('::')
  const words = (part: string) => part.split(':').filter((word) => word !== '')
  const [before, behind] = [words(head), words(tail ?? '')]
  const zeros = Array<string>(8 - before.length - behind.length).fill('0')
  return [...before, ...zeros, ...behind].reduce((sum, word) => sum * 65_536n + BigInt(`0x${word}`), 0n)
}
const print6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 65_535n).toString(16)).join(':')

function spanOf(network: string, bits: number, parse: (text: string) => bigint): Span {
  const [address = '', prefix = ''] = network.split('/')
  const size = 1n << BigInt(bits - Number(prefix))
  return { low: parse(address), high: parse(address) + size - 1n }
}

/** Both ends of each range and the addresses around them, each once. */
function edges(
  spans: readonly Span[],
  bits: number,
): { readonly bad: readonly bigint[]; readonly good: readonly bigint[] } {
  const all = spans.flatMap(({ low, high }) => [low - 1n, low, (low + high) / 2n, high, high + 1n])
  const valid = [...new Set(all)].filter((value) => value >= 0n && value < 1n << BigInt(bits))
  const isBad = (value: bigint): boolean => spans.some(({ low, high }) => low <= value && value <= high)
  return { bad: valid.filter(isBad), good: valid.filter((value) => !isBad(value)) }
}

const four = edges(
  forbidden4.map((network) => spanOf(network, 32, parse4)),
  32,
)
const six = edges(
  forbidden6.map((network) => spanOf(network, 128, parse6)),
  128,
)

const zone = `$ORIGIN evil.example.
@ 60 IN SOA ns.evil.example. x.evil.example. 1 3600 600 86400 60
@ 60 IN NS ns.evil.example.
ns 60 IN A ${server}
${[...four.bad, ...four.good].map((value, at) => `mixed 60 IN A ${print4(value)}\nfour${at} 60 IN A ${print4(value)}`).join('\n')}
${[...six.bad, ...six.good].map((value, at) => `mixed 60 IN AAAA ${print6(value)}\nsix${at} 60 IN AAAA ${print6(value)}`).join('\n')}
`

describe('answers that name what is not in the internet', { skip: dnsSkip }, () => {
  let lab: DnsLab

  before(async () => {
    lab = await DnsLab.start()
    await startZone(lab.gateway, server, 'evil.example', zone)
  })
  after(() => lab.stop())

  /** What a client gets, in one form. */
  const named = async (name: string, type: 'A' | 'AAAA') => {
    const { status, records } = await lab.ask(name, { type, tcp: true, options: ['+time=30'] })
    assert.notEqual(status, null, `${name} was not answered`)
    const texts = records.filter((record) => record.startsWith(`${type} `)).map((record) => record.split(' ')[1] ?? '')
    return texts.map((text) => (type === 'A' ? text : print6(parse6(text)))).toSorted()
  }

  it('are held back, and their neighbours are not', async () => {
    const id = await lab.add('/dns/zones/root', { enabled: true, type: 'ip', object: server, comment: '' })
    assert.deepEqual(await named('mixed.evil.example', 'A'), four.good.map(print4).toSorted())
    assert.deepEqual(await named('mixed.evil.example', 'AAAA'), six.good.map(print6).toSorted())
    // Alone in an answer, too.
    for (const at of [0, four.bad.length - 1]) assert.deepEqual(await named(`four${at}.evil.example`, 'A'), [])
    for (const at of [0, six.bad.length - 1]) assert.deepEqual(await named(`six${at}.evil.example`, 'AAAA'), [])
    await lab.ok('DELETE', `/dns/zones/root/${id}`)
  })

  it('reach clients from a forward zone, and from an authoritative one', async () => {
    const forward = await lab.add('/dns/zones/forward', {
      name: 'evil.example',
      enabled: true,
      servers: [server],
      comment: '',
    })
    const all = [...four.bad, ...four.good].map(print4).toSorted()
    assert.deepEqual(await named('mixed.evil.example', 'A'), all)
    await lab.ok('DELETE', `/dns/zones/forward/${forward}`)
    const text =
      '$ORIGIN own.example.\n$TTL 60\n@ IN SOA ns x 1 3600 600 86400 60\n@ IN NS ns\nns IN A 10.10.0.1\nlocal IN A 127.0.0.1\n'
    const own = await lab.add('/dns/zones/master', { name: 'own.example', enabled: true, config: text, comment: '' })
    assert.deepEqual(await named('local.own.example', 'A'), ['127.0.0.1'])
    await lab.ok('DELETE', `/dns/zones/master/${own}`)
  })
})
