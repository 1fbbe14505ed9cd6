// Lines for a collector, byte by byte, and that no record can break out of its line.
// Requirement 30.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LineScope, linePrinter, maxLineBytes } from './forwarded-line.ts'
import type { KeptRecord } from './record.ts'

const scope: LineScope = { hostName: 'gate.example', timeZone: 'Europe/Berlin', brand: 'portcullis', version: '1.2.3' }

const record = (fields: Partial<KeptRecord> = {}): KeptRecord => ({
  place: 1,
  kind: 'firewall',
  time: 1_767_323_045_000_678,
  priority: 6,
  unit: '{brand}-nflog',
  syslogId: '{brand}-nflog',
  message: 'TCP src 10.0.0.7 sport 4 dst 192.0.2.9 dport 443 table FWD rule 2 action drop',
  fields: {},
  ...fields,
})

const syslog = (fields?: Partial<KeptRecord>) => linePrinter('syslog', scope)(record(fields)).toString()
const cef = (fields?: Partial<KeptRecord>) => linePrinter('cef', scope)(record(fields)).toString()

describe('a forwarded line', () => {
  it('is the documented line after the priority and the version of RFC 5424', () => {
    assert.equal(
      syslog(),
      '<30>1 2026-01-02T04:04:05.000678+01:00 gate.example portcullis-nflog - - - ' +
        'TCP src 10.0.0.7 sport 4 dst 192.0.2.9 dport 443 table FWD rule 2 action drop',
    )
  })

  it('is the documented line of CEF after the priority', () => {
    assert.equal(
      cef({ unit: 'unbound', kind: 'system', priority: 4, message: 'cache is small' }),
      '<28>2026-01-02T04:04:05.000678+01:00 gate.example CEF:0|portcullis|gateway|1.2.3|0|syslog|5|' +
        'rt=1767323045000 deviceReceiptTime=1767323045000 Severity=Warning DeviceProcessName=unbound msg=cache is small',
    )
  })

  it('has a priority of its kind and of each level', () => {
    const front = (fields: Partial<KeptRecord>) => /^<\d+>/.exec(syslog(fields))?.[0]
    assert.equal(front({ kind: 'mail', priority: 0 }), '<16>')
    assert.equal(front({ kind: 'authentication', priority: 7 }), '<87>')
    assert.equal(front({ kind: 'administration', priority: 5 }), '<109>')
    const words = ['Emergency', 'Alert', 'Critical', 'Error', 'Warning', 'Notice', 'Informational', 'Debug']
    for (const [priority, word] of words.entries()) assert.match(cef({ priority }), new RegExp(` Severity=${word} `))
  })

  it('shows the offset that the zone had at the time, also where it is not a whole hour', () => {
    const at = (timeZone: string, iso: string) =>
      linePrinter('syslog', { ...scope, timeZone })(record({ time: Date.parse(iso) * 1000 }))
        .toString()
        .split(' ')[1]
    assert.equal(at('Europe/Berlin', '2026-03-29T00:59:59Z'), '2026-03-29T01:59:59.000000+01:00')
    assert.equal(at('Europe/Berlin', '2026-03-29T01:00:00Z'), '2026-03-29T03:00:00.000000+02:00')
    assert.equal(at('America/St_Johns', '2026-01-01T00:00:00Z'), '2025-12-31T20:30:00.000000-03:30')
    assert.equal(at('UTC', '2026-01-01T00:00:00Z'), '2026-01-01T00:00:00.000000+00:00')
  })

  const hostile = 'a=b|c\\d\ne\rf\0g\u2028<30>1 - \u00e9 \ud83d\udd12 CEF:0|x msg=y'

  it('stays one line whatever the message says', () => {
    assert.ok(syslog({ message: hostile }).endsWith(' - - - a=b|c\\d e f g <30>1 - \u00e9 \ud83d\udd12 CEF:0|x msg=y'))
    assert.ok(
      cef({ message: hostile }).endsWith(' msg=a\\=b|c\\\\d\\ne\\rf g <30>1 - \u00e9 \ud83d\udd12 CEF:0|x msg\\=y'),
    )
  })

  it('keeps names of hosts, units and the product within their fields', () => {
    const strange = { ...scope, hostName: 'my gate\n', brand: 'a|b\\c', version: '1|2' }
    const unit = 'two words=x'
    assert.match(linePrinter('syslog', strange)(record({ unit })).toString(), / my_gate_ two_words=x - - - /)
    const line = linePrinter('cef', strange)(record({ unit })).toString()
    assert.ok(line.includes('|a\\|b\\\\c|gateway|1\\|2|firewall|Firewall|2|'), line)
    assert.ok(line.includes(' DeviceProcessName=two_words\\=x msg='), line)
    assert.match(linePrinter('syslog', { ...scope, hostName: '' })(record({ unit: '' })).toString(), /Z? - - - - - TCP/)
  })

  it('of a web request has the documented message, which nothing a client sent can end', () => {
    const fields = {
      source_ip: '10.0.0.7',
      method: 'GET',
      url: 'http://a.test/"x y\\',
      status: 403,
      bytes_received: 316,
      result: 'denied',
      user_agent: 'a"b',
      dictionary: 'Casino',
    }
    assert.equal(
      syslog({ kind: 'web', unit: 'squid', message: '', fields }),
      '<30>1 2026-01-02T04:04:05.000678+01:00 gate.example squid - - - ' +
        '{10.0.0.7 - - [02/Jan/2026:04:04:05 +0100] "GET http://a.test/%22x%20y%5C HTTP/1.1" 403 316 "-" "a%22b" denied "-",' +
        '"av_name": "-","av_object_infected": "-","av_object_size": "-","av_virus_name": "-","x_infection_found": "-",' +
        '"x_virus_id": "-","x_av_verifed": "-","morph-action": "denied","morph-dict-id": "Casino"}',
    )
    assert.match(cef({ kind: 'web', unit: 'squid', message: '', fields }), / msg=\{10\.0\.0\.7 - - \[/)
  })

  it('is cut at a character, and never within an escape', () => {
    for (let shift = 0; shift < 8; shift++) {
      const message = `${'x'.repeat(shift)}${'\ud83d\udd12'.repeat(2_500)}`
      const line = linePrinter('syslog', scope)(record({ message }))
      assert.ok(line.length <= maxLineBytes && line.length > maxLineBytes - 4, String(line.length))
      assert.ok(!line.toString().includes('\ufffd'))
      const escaped = linePrinter(
        'cef',
        scope,
      )(record({ message: `${'x'.repeat(shift)}${'='.repeat(4_000)}` })).toString()
      assert.match(escaped, /msg=x*(?:\\=)+$/)
    }
  })
})
