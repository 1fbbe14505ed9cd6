import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showHit } from './records.ts'

const hit = {
  ...{ sequence: 1, time: Date.UTC(2026, 0, 1), table: 'FWD', rule_id: '7', action: 'drop', protocol: 'TCP' },
  ...{ source_ip: '192.0.2.1', source_port: 1, destination_ip: '192.0.2.2', destination_port: 2 },
  ...{ in_interface: 'lan0', out_interface: 'wan0', lost: 0 },
}

test('a rejected connection is shown as dropped, in the words of the traffic journal', () => {
  const verdictOf = (action: string, table = 'FWD') => {
    const { result, action: shown } = showHit({ ...hit, action, table }, () => 0)
    return [result, shown]
  }
  assert.deepEqual(verdictOf('reject'), ['drop', 'drop'])
  assert.deepEqual(verdictOf('drop'), ['drop', 'drop'])
  assert.deepEqual(verdictOf('accept'), ['accept', 'accept'])
  assert.deepEqual(verdictOf('dnat', 'DNAT'), ['absent', 'absent'])
})
