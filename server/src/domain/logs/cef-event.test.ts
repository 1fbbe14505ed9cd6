// CEF lines as a collector reads them: a parser of the format, which knows nothing of how they are made.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { linePrinter } from './forwarded-line.ts'
import { type LogKindName, logKindNames, logKinds, type StoredColumn } from './kinds.ts'
import type { KeptRecord } from './record.ts'

const scope = { hostName: 'gate', timeZone: 'UTC', brand: 'portcullis', version: '1.2.3' }
const print = linePrinter('cef', scope)

interface Parsed {
  readonly vendor: string
  readonly product: string
  readonly version: string
  readonly id: string
  readonly name: string
  readonly severity: string
  readonly extension: ReadonlyMap<string, string>
}

/** As the format is defined: seven fields that end at a bar without a backslash before it, then pairs. */
function parseCef(line: string): Parsed {
  const match = /^<\d+>\S+ \S+ CEF:0\|((?:(?:\\[\\|]|[^\\|])*\|){6})(.*)$/su.exec(line)
  assert.ok(match, line)
  assert.doesNotMatch(line, /[\n\r]/)
  const fields = [...(match[1] ?? '').matchAll(/((?:\\[\\|]|[^\\|])*)\|/g)].map(([, field = '']) =>
    field.replaceAll(/\\([\\|])/g, '$1'),
  )
  const [vendor = '', product = '', version = '', id = '', name = '', severity = ''] = fields
  return { vendor, product, version, id, name, severity, extension: parsePairs(match[2] ?? '') }
}

/** A key begins the text or comes after a space, and ends at an equals sign that is not escaped. */
function parsePairs(text: string): Map<string, string> {
  const starts = [...text.matchAll(/(?:^| )([A-Za-z0-9]+)=/g)].filter(({ index }) => !isEscaped(text, index))
  const pairs = new Map<string, string>()
  for (const [at, { index, 0: whole, 1: key = '' }] of starts.entries()) {
    const value = text.slice(index + whole.length, starts[at + 1]?.index)
    assert.doesNotMatch(value, /(?<!\\)(?:\\\\)*=/, `an equals sign in ${key} begins nothing`)
    assert.ok(!pairs.has(key), `${key} twice`)
    const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', '\\': '\\', '=': '=' }
    pairs.set(
      key,
      value.replaceAll(/\\(.)/gsu, (all, one: string) => {
        assert.ok(one in escapes, `${all} is no escape`)
        return escapes[one] ?? ''
      }),
    )
  }
  return pairs
}

const isEscaped = (text: string, at: number): boolean => (/\\*$/.exec(text.slice(0, at))?.[0].length ?? 0) % 2 === 1

const record = (kind: LogKindName, fields: KeptRecord['fields'], more: Partial<KeptRecord> = {}): KeptRecord => ({
  place: 1,
  kind,
  time: 1_767_323_045_000_678,
  priority: 6,
  unit: 'u',
  syslogId: 'u',
  message: 'm',
  fields,
  ...more,
})
const parsed = (...given: Parameters<typeof record>): Parsed => parseCef(print(record(...given)).toString())
const shown = ({ id, name, severity, extension }: Parsed, ...keys: string[]) => [
  id,
  name,
  severity,
  ...keys.map((key) => extension.get(key)),
]

const ends = { source_ip: '10.0.0.7', source_port: 4, destination_ip: '192.0.2.9', destination_port: 443 }

describe('a record as an event of CEF', () => {
  it('of the firewall says who was refused what', () => {
    const hit = {
      ...ends,
      table: 'FWD',
      rule_id: '2',
      action: 'drop',
      protocol: 'TCP',
      in_interface: 'lan0',
      snat_ip: '',
    }
    const event = parsed('firewall', hit)
    assert.deepEqual(shown(event, 'src', 'spt', 'dst', 'dpt', 'proto', 'act', 'deviceInboundInterface', 'cs2'), [
      'firewall:drop',
      'Firewall drop',
      '4',
      '10.0.0.7',
      '4',
      '192.0.2.9',
      '443',
      'TCP',
      'drop',
      'lan0',
      '2',
    ])
    assert.equal(event.extension.get('rt'), '1767323045000')
    assert.equal(event.extension.get('cs2Label'), 'rule')
    assert.equal(event.extension.has('sourceTranslatedAddress'), false)
    assert.deepEqual([event.vendor, event.product, event.version], ['portcullis', 'gateway', '1.2.3'])
    assert.equal(parsed('firewall', { ...hit, action: 'accept' }).severity, '2')
    const icmp = parsed('firewall', { ...hit, source_port: -1, destination_port: -1 }).extension
    assert.deepEqual([icmp.has('spt'), icmp.has('dpt')], [false, false])
  })

  it('of the web filter has the request', () => {
    const request = {
      source_ip: '10.0.0.7',
      destination_ip: '192.0.2.9',
      user_login: 'ann',
      method: 'GET',
      scheme: 'http',
      host: 'a.test',
      url: 'http://a.test/?x=1',
      result: 'denied',
      reason: 'rule',
      rule_id: 3,
      status: 403,
      bytes_sent: 80,
      bytes_received: 316,
      user_agent: 'curl/8',
    }
    assert.deepEqual(
      shown(parsed('web', request), 'src', 'dst', 'suser', 'requestMethod', 'request', 'act', 'in', 'cn1'),
      [
        'web:denied',
        'Web request denied',
        '4',
        '10.0.0.7',
        '192.0.2.9',
        'ann',
        'GET',
        'http://a.test/?x=1',
        'denied',
        '316',
        '403',
      ],
    )
    assert.equal(parsed('web', { ...request, virus: 'Eicar' }).severity, '8')
  })

  it('of inspection has the signature', () => {
    const alert = {
      module: 'ips',
      result: 'blocked',
      sid: 1900167,
      gid: 1,
      severity: 1,
      signature: 'TROJAN | x',
      protocol: 'TCP',
      ...ends,
      profile: 'Template',
      category: 'Malware',
    }
    const event = parsed('security', alert)
    assert.deepEqual(shown(event, 'src', 'dst', 'act', 'cat', 'cs4', 'SourceAddress', 'DeviceEventClassID'), [
      '1:1900167',
      'TROJAN | x',
      '9',
      '10.0.0.7',
      '192.0.2.9',
      'blocked',
      'Malware',
      'Template',
      '10.0.0.7',
      '1900167',
    ])
    const application = parsed('security', { module: 'application', application: 'SSH', result: 'blocked', ...ends })
    assert.deepEqual(shown(application, 'src', 'dpt'), ['application:SSH', 'Application SSH', '2', '10.0.0.7', '443'])
  })

  it('of people says who and from where', () => {
    const session = parsed('authentication', { login: 'ann', ip: '10.0.0.7' })
    assert.deepEqual(shown(session, 'suser', 'src'), ['user-session', 'Session of a user', '2', 'ann', '10.0.0.7'])
    const ids = { journal: 'yes', session: 'one', user_id: 3, started: 100 }
    const portal = parsed('authentication', { login: 'ann', ip: '10.0.0.7', ...ids, ended: 160 })
    assert.deepEqual(shown(portal, 'suser', 'src', 'suid', 'externalId', 'start', 'end'), [
      'portal-session:end',
      'Session of a user at the portal',
      '2',
      'ann',
      '10.0.0.7',
      '3',
      'one',
      '100000',
      '160000',
    ])
    const begun = shown(parsed('authentication', { login: 'ann', ip: '10.0.0.7', ...ids }), 'start', 'end')
    assert.deepEqual([begun[0], ...begun.slice(3)], ['portal-session:begin', '100000', undefined])
    const what = { event: 'sign-in', who: 'admin', address: '10.0.0.9', what: 'POST /web/auth/login', result: 'failed' }
    assert.deepEqual(shown(parsed('administration', what, { priority: 4 }), 'suser', 'src', 'act', 'outcome'), [
      'administrator:sign-in',
      'Administrator sign-in',
      '5',
      'admin',
      '10.0.0.9',
      'POST /web/auth/login',
      'failed',
    ])
  })

  it('of a service has its message, and a severity by its priority', () => {
    const found = [0, 1, 2, 3, 4, 5, 6, 7].map((priority) => parsed('system', {}, { priority }).severity)
    assert.deepEqual(found, ['10', '9', '8', '7', '5', '4', '2', '0'])
    assert.deepEqual(shown(parsed('system', {}, { message: 'all is well' }), 'msg'), [
      '0',
      'syslog',
      '2',
      'all is well',
    ])
  })

  it('is read as it was written, whatever the texts of any kind say', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('a=b', ' src=6.6.6.6', '\\', '\\=', '|', 'x\\|CEF:0|', '\n<1>', '\\n', ' msg=', '\u2028', '\r\n'),
    )
    const columnsOf = (kind: LogKindName): readonly StoredColumn[] => logKinds[kind].columns
    fc.assert(
      fc.property(fc.constantFrom(...logKindNames), fc.infiniteStream(hostile), hostile, (kind, values, message) => {
        const fields: Record<string, string | number> = {}
        const honest: Record<string, string | number> = {}
        for (const { name, form } of columnsOf(kind)) {
          fields[name] = form === 'number' ? 7 : values.next().value
          honest[name] = form === 'number' ? 7 : 'x'
        }
        // What decides the form of the line is a word of ours.
        if (kind === 'security') honest.module = fields.module = message.length % 2 === 0 ? 'ips' : 'application'
        const one = parseCef(print(record(kind, fields, { message })).toString())
        // The keys are those that an honest record of this kind can have: none came from a text.
        const known = parsed(kind, honest).extension
        for (const key of one.extension.keys()) assert.ok(known.has(key), `${key} came from a text`)
        assert.match(one.severity, /^(?:\d|10)$/)
        const source = { firewall: 'source_ip', web: 'source_ip', security: 'source_ip', authentication: 'ip' }[
          kind as 'firewall'
        ]
        if (source !== undefined) assert.equal(squeeze(one.extension.get('src') ?? ''), squeeze(String(fields[source])))
      }),
      { numRuns: 500 },
    )
  })
})

/** Control characters become spaces; how many is of no interest. */
const squeeze = (value: string): string => value.replaceAll(/[\p{Cc}\u2028\u2029 ]+/gu, ' ').trim()
