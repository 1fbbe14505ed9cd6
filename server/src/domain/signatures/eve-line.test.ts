// Lines of a real engine, and what happens with lines that no engine would write.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Random, seed } from '../../../test/security/random.ts'
import { type EveAlert, longestEveLine, parseEveLine } from './eve-line.ts'

const recorded = readFileSync(new URL('../../../test/fixtures/inspection-events.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')

const alertOf = (line: string): EveAlert => {
  const read = parseEveLine(line)
  assert.equal(read.is, 'alert', line.slice(0, 200))
  return (read as { alert: EveAlert }).alert
}

const recordedOf = (gid: number, sid: number): EveAlert =>
  alertOf(recorded.find((line) => line.includes(`"gid":${gid},"signature_id":${sid},`) && !line.includes('fd77')) ?? '')

describe('a line of the engine', () => {
  it('is an event, unless it is about a channel', () => {
    assert.equal(recorded.length, 50)
    const kinds = recorded.map((line) => parseEveLine(line).is)
    const ours = recorded.filter((line) => line.includes('"gid":9,')).length
    assert.ok(ours > 0)
    assert.equal(kinds.filter((is) => is === 'aside').length, ours)
    assert.equal(kinds.filter((is) => is === 'alert').length, recorded.length - ours)
  })

  it('says what was found, in whose connection and what became of it', () => {
    const { time, flowStart, flowId, packet, payload, ...alert } = recordedOf(2, 2_000_001)
    assert.equal(new Date(time / 1000).getUTCFullYear(), 2026)
    assert.ok(flowStart !== null && flowStart < time && time - flowStart < 10_000_000)
    assert.match(flowId, /^\d{10,20}$/)
    assert.equal(Buffer.from(packet, 'base64')[0], 0x45)
    assert.match(payload, /^GET \/evil HTTP\/1\.1\.\.Host: /)
    assert.deepEqual(
      [alert.sid, alert.gid, alert.revision, alert.signature, alert.category, alert.severity, alert.tactic],
      [2_000_001, 2, 4, 'WEB attack on /evil', 'Web Application Attack', 1, 'TA0001'],
    )
    assert.deepEqual([alert.isBlocked, alert.application, alert.channel], [true, null, 1])
    assert.deepEqual(
      [alert.protocol, alert.source, alert.destination, alert.destinationPort],
      [...['TCP', '10.7.0.2', '203.0.113.2', 80]],
    )
    assert.deepEqual(
      [alert.host, alert.url, alert.appProtocol, alert.direction],
      [...['203.0.113.2', '/evil', 'http', 'to_server']],
    )
  })

  it('names who opened the connection, also when an answer was matched', () => {
    const answer = recordedOf(1, 2_000_003)
    assert.deepEqual([answer.direction, answer.destination, answer.destinationPort], ['to_client', '203.0.113.2', 80])
    assert.match(answer.source, /^10\.7\.0\.[23]$/)
    // Without a group the signature says its severity itself.
    assert.equal(answer.severity, 3)
  })

  it('has IPv6 in one form, ICMP without ports, names of TLS and DNS, and applications by number', () => {
    const six = recorded.filter((line) => line.includes('"proto":"IPv6-ICMP"')).map(alertOf)[0]
    assert.deepEqual([six?.protocol, six?.source, six?.sourcePort], ['ICMPV6', 'fd77::2', null])
    assert.equal(recordedOf(1, 2_000_007).host, 'evil.test')
    const tls = recordedOf(1, 2_000_008)
    assert.equal(tls.host, 'evil.test')
    assert.equal(tls.severity, 1, 'by the group of policy violations')
    const application = recordedOf(10, 900_000_701)
    assert.deepEqual([application.application, application.severity, application.isBlocked], [7, 4, true])
  })

  it('of any other form never becomes more than bounded printable text', () => {
    const base = JSON.parse(recorded[0] ?? '') as Record<string, unknown>
    const random = new Random(seed)
    const strange: unknown[] = [
      null,
      true,
      -1,
      1e300,
      Number.MAX_SAFE_INTEGER,
      '',
      [],
      {},
      [[[]]],
      { toString: 1 },
      '__proto__',
      '\u0000\n\u2028\ud800',
      'x'.repeat(50_000),
      '::1',
      '999.1.1.1',
      'TA9999',
      '<script>',
      { hash: ['a'] },
    ]
    const names = ['timestamp', 'flow_id', 'src_ip', 'dest_port', 'proto', 'metadata', 'alert', 'http', 'tls', 'dns']
    names.push('flow', 'payload', 'payload_printable', 'packet', 'app_proto', 'direction', 'event_type', 'quic')
    const inner = ['signature', 'signature_id', 'gid', 'severity', 'metadata', 'category', 'hostname', 'url', 'sni']
    inner.push('flowbits', 'start', 'src_ip', 'pkts_toserver', 'query', 'rrname', 'ja3', 'mitre_tactic_id')
    for (let round = 0; round < 3_000; round++) {
      const event: Record<string, unknown> = structuredClone(base)
      const part = random.pick(names)
      const value = random.pick(strange)
      event[part] = random.chance(0.5)
        ? value
        : { ...((event[part] as object | undefined) ?? {}), [random.pick(inner)]: value }
      const line = JSON.stringify(event)
      const read = parseEveLine(random.chance(0.1) ? line.slice(0, random.below(line.length)) : line)
      if (read.is !== 'alert') continue
      for (const [name, cell] of Object.entries(read.alert)) {
        if (typeof cell === 'number') assert.ok(Number.isFinite(cell), name)
        if (typeof cell !== 'string') continue
        assert.ok(cell.length <= 2_048, name)
        assert.doesNotMatch(cell, /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u, name)
      }
    }
  })

  it('is not read when it is too long, no object, or not of an alert', () => {
    assert.equal(parseEveLine(`{"event_type":"alert","x":"${'y'.repeat(longestEveLine)}"}`).is, 'fault')
    for (const line of ['', '[]', '7', 'null', '{', '{"event_type":5}', '{"event_type":"alert"}'])
      assert.equal(parseEveLine(line).is, 'fault', line)
    assert.equal(parseEveLine('{"event_type":"stats"}').is, 'aside')
  })
})
