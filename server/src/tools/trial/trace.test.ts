import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Trace } from './trace.ts'

const packetFields = (number: number, source = '10.10.0.2', oif = ''): string =>
  `packet: ${oif}ip saddr ${source} ip daddr 8.8.8.8 ip dscp cs0 ip ecn not-ect ip ttl 64 ip id ${number} ` +
  'ip protocol tcp ip length 60 tcp sport 50000 tcp dport 443 tcp flags == syn tcp window 64240 '

const traceOf = (...lines: string[]): Trace => {
  const trace = new Trace()
  for (const line of lines) trace.addLine(line)
  return trace
}

/** Lines as nft 1.0.6 prints them on kernel 6.18, shortened. */
describe('a trace', () => {
  it('names every commented rule that fired, and takes a drop for the end', () => {
    const trace = traceOf(
      `trace id 1a4e45f6 inet portcullis forward ${packetFields(3)}`,
      'trace id 1a4e45f6 inet portcullis forward rule ip daddr 8.8.8.8 counter packets 1 bytes 60 comment "firewall.log[1]" (verdict continue)',
      'trace id 1a4e45f6 inet portcullis forward rule tcp dport 443 jump chunk_1 (verdict jump chunk_1)',
      'trace id 1a4e45f6 inet portcullis chunk_1 rule counter packets 1 bytes 60 drop comment "firewall.forward[7]" (verdict drop)',
    )
    assert.equal(trace.isDecided(3), true)
    assert.deepEqual(trace.resultOf(3), {
      passed: false,
      origins: ['firewall.log[1]', 'firewall.forward[7]'],
      arrival: null,
    })
  })

  it('shows the packet as it left, after translation', () => {
    const trace = traceOf(
      `trace id 1a4e45f6 inet portcullis forward ${packetFields(3)}`,
      'trace id 1a4e45f6 inet portcullis forward policy accept ',
      `trace id 1a4e45f6 inet portcullis_trial leave ${packetFields(3, '203.0.113.2', 'oif "wan0" ')}`,
      'trace id 1a4e45f6 inet portcullis_trial leave rule accept (verdict accept)',
    )
    assert.deepEqual(trace.resultOf(3).arrival, {
      device: 'wan0',
      source: '203.0.113.2',
      sourcePort: 50_000,
      destination: '8.8.8.8',
      destinationPort: 443,
    })
  })

  it('takes a policy of drop for the end', () => {
    const trace = traceOf(
      `trace id 1a4e45f6 inet portcullis forward ${packetFields(3)}`,
      'trace id 1a4e45f6 inet portcullis forward policy drop ',
    )
    assert.equal(trace.isDecided(3), true)
    assert.equal(trace.resultOf(3).passed, false)
  })

  it('keeps packets apart that follow each other under one id', () => {
    const trace = traceOf(
      `trace id 1a4e45f6 inet portcullis forward ${packetFields(1)}`,
      `trace id 1a4e45f6 inet portcullis forward ${packetFields(2)}`,
      'trace id 1a4e45f6 inet portcullis forward rule drop comment "firewall.forward[7]" (verdict drop)',
    )
    assert.equal(trace.hasSeen(1), true)
    assert.equal(trace.isDecided(1), false)
    assert.deepEqual(trace.resultOf(2).origins, ['firewall.forward[7]'])
  })

  it('that never saw a packet says that it did not pass', () => {
    assert.deepEqual(new Trace().resultOf(9), { passed: false, origins: [], arrival: null })
  })
})
