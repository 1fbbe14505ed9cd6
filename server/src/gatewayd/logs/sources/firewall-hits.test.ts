import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Person } from '../../../domain/logs/hit-news.ts'
import { noNumber } from '../../../domain/logs/kinds.ts'
import { HitReader } from './firewall-hits.ts'
import { HitKnowledge } from './hit-knowledge.ts'

/** As ulogd 2.0.8 wrote it, shortened. */
const packet = {
  dvc: 'Netfilter',
  'raw.pktlen': 31,
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
const now = 1_800_000_000_000_000
const line = (prefix: string, changed: object = {}): string =>
  JSON.stringify({ ...packet, 'oob.prefix': `${prefix} `, ...changed })
const numbered = (sequence: number, prefix = 'FWD 12 drop'): string => line(prefix, { 'oob.seq.local': sequence })

const readAll = (lines: readonly string[], reader = new HitReader(new HitKnowledge())) => [
  ...reader.read(lines, now),
  ...reader.settle(now),
]
const fieldsOf = (lines: readonly string[], knowledge = new HitKnowledge()) =>
  readAll(lines, new HitReader(knowledge)).map(({ fields }) => fields)
const lossOf = (lines: readonly string[], reader?: HitReader) =>
  readAll(lines, reader).map(({ fields }) => (fields.lost === 0 ? 'hit' : Number(fields.lost)))

describe('a line of the reader', () => {
  it('becomes a record with microseconds, the line of the specification and its columns', () => {
    const [record, ...others] = readAll([line('FWD 12 drop')])
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(record, {
      kind: 'firewall',
      time: 1_794_725_333_021_555,
      priority: 6,
      unit: '{brand}-nflog',
      syslogId: '{brand}-nflog',
      message: 'UDP src 10.10.0.2 sport 39118 dst 198.51.100.10 dport 9000 table FWD rule 12 action drop',
      fields: {
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
        called_ip: '198.51.100.10',
        called_port: 9000,
        filter_rule_id: 12,
        journal: 'yes',
      },
    })
  })

  it('without a time gets ours, and one without ports has no ports', () => {
    const [record] = readAll([
      line('INP 7 accept', { 'oob.time.sec': undefined, 'ip.protocol': 1, src_port: undefined, dest_port: undefined }),
    ])
    assert.equal(record?.time, now)
    assert.equal(record?.fields.source_port, noNumber)
    assert.equal(record?.message, 'ICMP src 10.10.0.2 dst 198.51.100.10 table INP rule 7 action accept')
  })

  it('can be about IPv6 and about a protocol without a name', () => {
    const [fields] = fieldsOf([
      line('FWD 12 drop', { 'ip.protocol': undefined, 'ip6.nexthdr': 132, src_ip: 'fe80::1', dest_ip: '2001:db8::1' }),
    ])
    assert.equal(fields?.protocol, '132')
    assert.equal(fields?.source_ip, 'fe80::1')
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
    it(`with ${JSON.stringify(changed)} is counted as lost`, () => {
      assert.deepEqual(lossOf([line('FWD 12 drop', changed)]), [1])
    })

  it('that is not a JSON object is counted as lost', () => {
    for (const text of ['{', 'null', '[]', '"FWD 12 drop "', '{"oob.prefix": "FWD 12 dr'])
      assert.deepEqual(lossOf([text]), [1], text)
  })

  it('of a hostile rule id finds nothing in the tables', () => {
    const [fields] = fieldsOf([line('DNAT constructor dnat', { 'oob.in': '__proto__' })])
    assert.equal(fields?.dnat_ip, '')
    assert.equal(fields?.src_zone, '__proto__')
    assert.equal(fields?.dnat_rule_id, noNumber)
  })
})

describe('lines that are missing', () => {
  it('are counted by the numbers of the kernel, where they are missing', () => {
    assert.deepEqual(lossOf([numbered(0), numbered(1), numbered(5), numbered(6)]), ['hit', 'hit', 3, 'hit', 'hit'])
  })

  it('are counted once when what is there cannot be read', () => {
    assert.deepEqual(lossOf([numbered(0), '{"oob.seq.lo', numbered(4)]), ['hit', 3, 'hit'])
    assert.deepEqual(lossOf([numbered(0), numbered(1, 'x'), numbered(2)]), ['hit', 1, 'hit'])
  })

  it('are counted once when they were skipped', () => {
    const reader = new HitReader(new HitKnowledge())
    readAll([numbered(0)], reader)
    reader.skip(3)
    assert.deepEqual(lossOf([numbered(6)], reader), [5, 'hit'])
    reader.skip(2)
    assert.deepEqual(lossOf([line('FWD 1 drop')], reader), [2, 'hit'])
  })

  it('are counted once over two batches', () => {
    const reader = new HitReader(new HitKnowledge())
    assert.deepEqual(lossOf([numbered(0), '{'], reader), ['hit', 1])
    assert.deepEqual(lossOf([numbered(2)], reader), ['hit'])
  })

  it('are counted from 0 when another reader begins', () => {
    assert.deepEqual(lossOf([numbered(8), numbered(0), numbered(1)]), ['hit', 'hit', 'hit'])
    assert.deepEqual(lossOf([numbered(8), numbered(3)]), ['hit', 3, 'hit'])
    assert.deepEqual(lossOf([numbered(0xffff_ffff), numbered(0)]), ['hit', 'hit'])
  })

  it('are counted from the last line before a restart', () => {
    const before = new HitReader(new HitKnowledge())
    readAll([numbered(4)], before)
    assert.deepEqual(lossOf([numbered(7)], new HitReader(new HitKnowledge(), before.sequence)), [2, 'hit'])
    assert.deepEqual(lossOf([numbered(7)]), ['hit'], 'without it nothing is known of what was before')
  })
})

describe('hits of one packet', () => {
  const called = { dest_ip: '203.0.113.1', dest_port: 80, 'oob.out': '' }
  const behind = { dest_ip: '10.10.0.9', dest_port: 8080 }
  const knowledge = () => {
    const known = new HitKnowledge()
    known.learn({
      time: 0,
      translations: {
        dnat: new Map([
          ['3', { addresses: [0x0a0a_0009, 0x0a0a_0009], ports: [8080, 8080] }],
          ['4', { addresses: [0x0a0a_0009, 0x0a0a_000b], ports: null }],
        ]),
        snat: new Map([
          ['5', [0xc633_6401, 0xc633_6401]],
          ['6', null],
          ['7', [0xc633_6401, 0xc633_6409]],
        ]),
        deviceAddresses: new Map([['wan0', '198.51.100.1']]),
      },
    })
    return known
  }
  const journalOf = (lines: readonly string[]) =>
    fieldsOf(lines, knowledge()).filter(({ journal }) => journal === 'yes')

  it('are one record of the journal, and each is still a line of the log', () => {
    const lines = [
      line('LOG 1 mark_log', called),
      line('DNAT 3 dnat', called),
      line('FWD 12 accept', behind),
      line('SNAT 6 snat', behind),
    ]
    assert.deepEqual(
      fieldsOf(lines, knowledge()).map(({ table }) => table),
      ['LOG', 'DNAT', 'FWD', 'SNAT'],
    )
    const [record, ...others] = journalOf(lines)
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(record, {
      table: 'FWD',
      filter_rule_id: 12,
      called_ip: '203.0.113.1',
      called_port: 80,
      dnat_rule_id: 3,
      dnat_ip: '10.10.0.9',
      dnat_port: 8080,
      snat_rule_id: 6,
      snat_ip: '198.51.100.1',
    })
  })

  it('without a filter rule are one record as well', () => {
    const [record, ...others] = journalOf([line('DNAT 3 dnat', called), line('SNAT 5 snat', behind)])
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(record, {
      table: 'SNAT',
      filter_rule_id: noNumber,
      called_ip: '203.0.113.1',
      dnat_rule_id: 3,
      dnat_ip: '10.10.0.9',
      snat_rule_id: 5,
      snat_ip: '198.51.100.1',
    })
  })

  it('say what only the rule knows as far as it is one address', () => {
    const [one] = journalOf([line('DNAT 3 dnat', called)])
    assert.partialDeepStrictEqual(one, { dnat_ip: '10.10.0.9', dnat_port: 8080 })
    const [several] = journalOf([line('DNAT 4 dnat', called)])
    assert.partialDeepStrictEqual(several, { dnat_ip: '', dnat_port: 80, dnat_rule_id: 4 })
    assert.equal(journalOf([line('SNAT 7 snat')])[0]?.snat_ip, '')
    assert.equal(journalOf([line('SNAT 99 snat')])[0]?.snat_ip, '')
  })

  it('are not mistaken for those of another connection of the same port', () => {
    const records = journalOf([line('DNAT 3 dnat', called), line('FWD 12 accept')])
    assert.deepEqual(
      records.map(({ table, dnat_rule_id }) => [table, dnat_rule_id]),
      [
        ['DNAT', 3],
        ['FWD', noNumber],
      ],
    )
  })

  it('that was dropped are not joined with those of a later packet', () => {
    const records = journalOf([line('FWD 12 drop'), line('SNAT 5 snat')])
    assert.deepEqual(
      records.map(({ table }) => table),
      ['FWD', 'SNAT'],
    )
  })

  it('are joined when they come in two batches', () => {
    const reader = new HitReader(knowledge())
    assert.deepEqual(reader.read([line('DNAT 3 dnat', called), line('FWD 12 accept', behind)], now), [])
    assert.ok(reader.isWaiting)
    assert.deepEqual(
      reader
        .read([line('SNAT 5 snat', behind)], now)
        .map(({ fields }) => [fields.table, fields.journal, fields.snat_rule_id]),
      [
        ['DNAT', '', noNumber],
        ['FWD', 'yes', 5],
      ],
    )
    assert.ok(!reader.isWaiting)
    assert.deepEqual(
      reader.settle(now).map(({ fields }) => fields.journal),
      [''],
    )
  })

  it('are waited for only where a rule can still write one', () => {
    const isWaitingAfter = (text: string, known: HitKnowledge): boolean => {
      const reader = new HitReader(known)
      reader.read([text], now)
      return reader.isWaiting
    }
    assert.ok(isWaitingAfter(line('FWD 12 accept'), knowledge()))
    assert.ok(isWaitingAfter(line('DNAT 3 dnat'), knowledge()))
    assert.ok(!isWaitingAfter(line('FWD 12 accept'), new HitKnowledge()))
    assert.ok(!isWaitingAfter(line('DNAT 3 dnat'), new HitKnowledge()))
    for (const text of ['FWD 12 drop', 'INP 12 accept', 'LOG 1 mark_log', 'SNAT 5 snat'])
      assert.ok(!isWaitingAfter(line(text), knowledge()), text)
  })
})

describe('what is known of an address', () => {
  const ann: Person = { login: 'ann', name: 'Ann', group: 'Sales' }
  const bob: Person = { login: 'bob', name: 'Bob', group: 'Sales' }
  const moment = 1_794_725_333_021_555
  const loginAt = (known: HitKnowledge, changed: object = {}) =>
    fieldsOf([line('FWD 1 accept', changed)], known)[0]?.src_user_login

  it('is the user who was there at the time of the hit', () => {
    const known = new HitKnowledge()
    known.learn({ time: moment - 10, people: [['10.10.0.2', ann]] })
    assert.equal(loginAt(known), 'ann')
    known.learn({ time: moment + 10, people: [['10.10.0.2', bob]] })
    assert.equal(loginAt(known), 'ann')
    known.learn({ time: moment + 20, people: [['10.10.0.2', null]] })
    assert.equal(loginAt(known, { 'oob.time.usec': 21_570 }), 'bob')
    assert.equal(loginAt(known, { 'oob.time.usec': 21_590 }), '')
  })

  it('is the user whose first packet was the reason to know them', () => {
    const known = new HitKnowledge()
    known.learn({ time: moment + 10, people: [['10.10.0.2', ann]] })
    assert.equal(loginAt(known), 'ann')
  })

  it('is the user of the network around it, and no one once they are forgotten', () => {
    const known = new HitKnowledge()
    known.learn({ time: moment - 10, people: [['10.10.0.0/24', ann]] })
    assert.equal(loginAt(known), 'ann')
    known.learn({ time: moment - 5, people: [['10.10.0.0/24', null]] })
    known.learn({ time: moment + 100_000_000 })
    assert.equal(loginAt(known), '')
  })

  it('is its zone and its country', () => {
    const known = new HitKnowledge()
    const table = { lows: Uint32Array.of(10, 0xc633_6400), highs: Uint32Array.of(20, 0xc633_64ff) }
    const countries = { ...table, which: Uint16Array.of(0, 1), codes: ['AA', 'BB'], names: ['Aland', 'Bland'] }
    known.learn({ time: 0, zones: new Map([['lan0', 'Offices']]), countries })
    const [fields] = fieldsOf([line('FWD 1 accept')], known)
    assert.partialDeepStrictEqual(fields, {
      src_zone: 'Offices',
      dst_zone: 'wan0',
      src_location_code: '',
      dst_location_code: 'BB',
      dst_location_name: 'Bland',
    })
  })
})
