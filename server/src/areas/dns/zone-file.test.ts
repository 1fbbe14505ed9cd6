// Reading zone texts: what they mean, and every way in which they can be wrong, named by its line.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readZone } from './zone-file.ts'
import { checkZone, isIpv6, parseTime } from './zone-records.ts'

const head = [
  '$TTL 86400',
  '@ SOA ns1 root.localhost. ( 2024120713 28800 14400 3600000 86400 )',
  '@ NS ns1',
  'ns1 A 1.2.3.4',
]

const faultsOf = (text: string, zone = 'example.com'): string[] => {
  const { records, faults } = readZone(zone, text)
  return [...faults, ...checkZone(zone, records)].map(({ line, message }) => `${line}: ${message}`)
}
const withLines = (...lines: readonly string[]): string[] => faultsOf([...head, ...lines].join('\n'))

describe('a zone text', () => {
  it('as the specification shows it is read', () => {
    const text =
      '$TTL 86400\n@ SOA localhost. root.localhost. ( 2024120713 28800 14400 3600000 86400 )\n' +
      '@ NS ns1.example.com.\nns1 A 1.2.3.4'
    assert.deepEqual(faultsOf(text), [])
    assert.deepEqual(
      readZone('Example.COM', text).records.map(({ name, type, data }) => [name, type, ...data]),
      [
        ['example.com.', 'SOA', 'localhost.', 'root.localhost.', '2024120713', '28800', '14400', '3600000', '86400'],
        ['example.com.', 'NS', 'ns1.example.com.'],
        ['ns1.example.com.', 'A', '1.2.3.4'],
      ],
    )
  })

  it('may have comments, open parentheses, blank owners, times, classes and other origins', () => {
    const text = [
      '; the zone',
      '$ORIGIN com.',
      '$TTL 1d ; a day',
      'example IN SOA ns1.example john\\.doe.example.com. (',
      '\t2024120713 ; serial',
      '\t8h 4h 5w 1d )',
      '\tIN NS ns1.example',
      '',
      '$ORIGIN example.com.',
      'ns1 1h IN A 1.2.3.4',
      '    IN 1h30m AAAA 2001:DB8::1',
      '@ MX 10 mail',
      '*.old A 192.0.2.1',
      'mail A 192.0.2.2',
      '@ TXT "v=spf1 mx; -all" second',
      '_sip._tcp SRV 1 2 5060 mail',
      '@ CAA 0 issue "ca.example"',
      'www CNAME @\r',
    ].join('\n')
    assert.deepEqual(faultsOf(text), [])
    const { records } = readZone('example.com', text)
    assert.deepEqual(
      records.map(({ line, name, ttl, type }) => [line, name, ttl, type]),
      [
        [4, 'example.com.', 86_400, 'SOA'],
        [7, 'example.com.', 86_400, 'NS'],
        [10, 'ns1.example.com.', 3600, 'A'],
        [11, 'ns1.example.com.', 5400, 'AAAA'],
        [12, 'example.com.', 86_400, 'MX'],
        [13, '*.old.example.com.', 86_400, 'A'],
        [14, 'mail.example.com.', 86_400, 'A'],
        [15, 'example.com.', 86_400, 'TXT'],
        [16, '_sip._tcp.example.com.', 86_400, 'SRV'],
        [17, 'example.com.', 86_400, 'CAA'],
        [18, 'www.example.com.', 86_400, 'CNAME'],
      ],
    )
    assert.deepEqual(records[0]?.data[1], 'john\\.doe.example.com.')
    assert.deepEqual(records[7]?.data, ['v=spf1 mx; -all', 'second'])
  })

  it('of a reverse zone holds PTR records', () => {
    const text = '@ SOA ns.example. root.example. 1 1 1 1 1\n@ NS ns.example.\n40.0 PTR host.example.'
    assert.deepEqual(faultsOf(text, '168.192.in-addr.arpa'), [])
    const record = readZone('168.192.in-addr.arpa', text).records[2]
    assert.deepEqual([record?.name, record?.ttl], ['40.0.168.192.in-addr.arpa.', null])
  })

  for (const [line, message] of [
    ['a A 1.2.3', 'A record of the type A needs an IPv4 address.'],
    ['a A 1.2.3.4 5.6.7.8', 'A record of the type A needs an IPv4 address.'],
    ['a AAAA 1.2.3.4', 'A record of the type AAAA needs an IPv6 address.'],
    ['a MX mail', 'A record of the type MX needs a preference and the name of a mail server.'],
    ['a MX 65536 mail.example.', 'A record of the type MX needs a preference and the name of a mail server.'],
    ['a TXT', 'A record of the type TXT needs one or more texts of at most 255 ASCII characters.'],
    ['a CNAME bücher.example.', 'A record of the type CNAME needs one name.'],
    ['a HINFO x y', 'Records of the type HINFO are not known here.'],
    ['a constructor x', 'Records of the type CONSTRUCTOR are not known here.'],
    ['a', 'The record has no type.'],
    ['a CH A 1.2.3.4', 'Only the class IN is known here.'],
    ['a 5x A 1.2.3.4', '“5x” is not a time such as 3600 or 1h.'],
    ['a..b A 1.2.3.4', '“a..b” is not a name of a record.'],
    ['b.*.c A 1.2.3.4', '“b.*.c” is not a name of a record.'],
    ['$INCLUDE /etc/passwd', '$INCLUDE is not allowed here.'],
    ['$GENERATE 1-9 a$ A 1.2.3.$', '$GENERATE is not allowed here.'],
    ['$TTL soon', '$TTL needs one time, such as 86400 or 1d.'],
    ['$ORIGIN a b', '$ORIGIN needs one domain name.'],
    ['a TXT "open', 'A quotation mark is not closed, or there is a character where none is allowed.'],
    ['a A ( 1.2.3.4', 'A parenthesis is not closed.'],
    ['a A 1.2.3.4 )', 'The parentheses do not match.'],
    ['other.example. A 1.2.3.4', 'other.example. is outside of the zone.'],
    ['notexample.com. A 1.2.3.4', 'notexample.com. is outside of the zone.'],
    ['ns1 CNAME a', 'ns1.example.com. has a CNAME record and so must not have any other.'],
    ['sip SRV 1 1 1 a.example.', 'The name of an SRV record begins with _service._protocol, such as _sip._tcp.'],
    ['@ MX 10 mail', 'mail.example.com. has no A or AAAA record in this zone.'],
    ['@ NS ns2', 'ns2.example.com. has no A or AAAA record in this zone.'],
    ['@ SOA a. b. 1 1 1 1 1', 'A zone has only one SOA record.'],
  ] as const)
    it(`with the line ${line} is refused`, () => {
      assert.ok(withLines(line).includes(`5: ${message}`), withLines(line).join('\n'))
    })

  it('needs one SOA record and an NS record, both of the zone itself', () => {
    assert.deepEqual(faultsOf('@ NS ns.example.'), ['1: The zone has no SOA record.'])
    assert.deepEqual(faultsOf('@ SOA a. b. 1 1 1 1 1'), ['1: The zone has no NS record for its own name.'])
    assert.deepEqual(faultsOf('sub SOA a. b. 1 1 1 1 1\n@ NS ns.example.'), [
      '1: The SOA record must be that of example.com.',
    ])
    assert.deepEqual(faultsOf(' A 1.2.3.4')[0], '1: The first record must begin with a name.')
  })

  it('takes the address of a wildcard for that of a server below it', () => {
    assert.deepEqual(withLines('* A 192.0.2.9', '@ MX 10 mail', '@ MX 20 mail.elsewhere.example.'), [])
  })
})

it('times are numbers of seconds or of units, up to 2^31 - 1', () => {
  assert.deepEqual(
    ['0', '90', '1m', '2h', '1d', '1w', '1h30m', '2147483647'].map(parseTime),
    [0, 90, 60, 7200, 86_400, 604_800, 5400, 2_147_483_647],
  )
  assert.deepEqual(
    ['', 'h', '1y', '1h30', '-1', '1.5', '2147483648', '9999999999w'].map(parseTime),
    Array.from({ length: 8 }, () => null),
  )
})

it('IPv6 addresses are distinguished from text that only looks like one', () => {
  const right = ['::', '::1', '1::', '2001:db8::1', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::', '::ffff:192.0.2.1', 'FE80::A']
  const wrong = [
    '',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    '::1.2.3',
    '1:2:3:4:5:6:7:1.2.3.4',
  ]
  assert.deepEqual(right.filter(isIpv6), right)
  assert.deepEqual(wrong.filter(isIpv6), [])
})
