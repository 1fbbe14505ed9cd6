import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseHit } from './firewall-log-line.ts'

/** As ulogd 2.0.8 wrote it, shortened. */
const dropped = {
  dvc: 'Netfilter',
  'raw.pktlen': 31,
  'oob.prefix': 'FWD 12 drop ',
  'oob.time.sec': 1_794_725_333,
  'oob.time.usec': 21_555,
  'oob.family': 2,
  'ip.protocol': 17,
  'ip.totlen': 31,
  src_port: 39_118,
  dest_port: 9000,
  'oob.in': 'lan0',
  'oob.out': 'wan0',
  src_ip: '10.10.0.2',
  dest_ip: '198.51.100.10',
}
const now = Date.UTC(2026, 0, 1)
const parse = (changed: object) => parseHit(JSON.stringify({ ...dropped, ...changed }), now)

describe('a line of the reader', () => {
  it('becomes a record', () => {
    assert.deepEqual(parse({}), {
      time: 1_794_725_333_021,
      table: 'FWD',
      rule_id: '12',
      action: 'drop',
      protocol: 'UDP',
      source_ip: '10.10.0.2',
      source_port: 39_118,
      destination_ip: '198.51.100.10',
      destination_port: 9000,
      in_interface: 'lan0',
      out_interface: 'wan0',
      length: 31,
      lost: 0,
    })
  })

  it('without a time gets ours, and one without ports has none', () => {
    const icmp = { 'oob.time.sec': undefined, 'ip.protocol': 1, src_port: undefined, dest_port: undefined }
    const record = parse(icmp)
    assert.equal(record?.time, now)
    assert.equal(record?.protocol, 'ICMP')
    assert.equal(record?.source_port, null)
  })

  it('may be about IPv6 and about a protocol without a name', () => {
    const record = parse({ 'ip.protocol': undefined, 'ip6.nexthdr': 132, src_ip: 'fe80::1', dest_ip: '2001:db8::1' })
    assert.equal(record?.protocol, '132')
    assert.equal(record?.source_ip, 'fe80::1')
  })

  const bad: readonly object[] = [
    { 'oob.prefix': '' },
    { 'oob.prefix': 'FWD 12 drop and more' },
    { 'oob.prefix': 'FWD 1\n2 drop ' },
    { 'oob.prefix': `FWD ${'1'.repeat(65)} drop ` },
    { 'oob.prefix': 7 },
    { src_ip: '10.10.0.2<script>' },
    { dest_ip: undefined },
    { 'oob.in': 'a b' },
    { 'oob.out': 'x'.repeat(16) },
    { 'ip.protocol': 'tcp' },
    { 'ip.protocol': 256 },
  ]
  for (const changed of bad)
    it(`with ${JSON.stringify(changed)} is no record`, () => {
      assert.equal(parse(changed), null)
    })

  it('that is no JSON object is no record', () => {
    for (const line of ['', '{', 'null', '[]', '"FWD 12 drop "', '{"oob.prefix": "FWD 12 dr'])
      assert.equal(parseHit(line, now), null)
  })
})
