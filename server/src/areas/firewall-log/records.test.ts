import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRecord, type KeptRecord, showRecord } from './records.ts'

const record: KeptRecord = {
  time: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  table: 'FWD',
  rule_id: '2',
  action: 'drop',
  protocol: 'TCP',
  source_ip: '192.0.2.25',
  source_port: 41_528,
  destination_ip: '203.0.113.5',
  destination_port: 443,
  in_interface: 'lan0',
  out_interface: 'wan0',
  length: 60,
  lost: 0,
}

test('a record is shown with its time and as the line of the specification', () => {
  const shown = showRecord(record)
  assert.equal(shown.time, '2026-01-02T03:04:05.678Z')
  assert.equal(shown.text, 'TCP src 192.0.2.25 sport 41528 dst 203.0.113.5 dport 443 table FWD rule 2 action drop')
})

test('the line of a packet without ports names none', () => {
  const text = describeRecord({ ...record, protocol: 'ICMP', source_port: null, destination_port: null })
  assert.equal(text, 'ICMP src 192.0.2.25 dst 203.0.113.5 table FWD rule 2 action drop')
})

test('a gap says how many records are missing', () => {
  assert.match(describeRecord({ ...record, lost: 17 }), /^17 records were lost/)
})
