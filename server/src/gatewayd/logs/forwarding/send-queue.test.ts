// The send queue of one connection, from a recorded table of the kernel.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSendQueue } from './send-queue.ts'

const table = [
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
  '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 41 1 0 100 0 0 10 0',
  '   1: 020A0A0A:A1B2 0900A8C0:0202 01 0001F400:00000000 01:00000014 00000003     0        0 42 2 0 20 4 30 10 -1',
  '   2: 020A0A0A:A1B3 0900A8C0:0202 01 00000010:00000000 04:00000014 00000000     0        5 43 2 0 20 4 30 10 -1',
  '',
].join('\n')

const ends = { localAddress: '10.10.10.2', localPort: 0xa1b2, host: '192.168.0.9', port: 514 }

describe('the send queue of a connection', () => {
  it('has its bytes, and how often they were repeated', () => {
    assert.deepEqual(parseSendQueue(table, ends), { bytes: 0x1f400, unanswered: 3 })
  })

  it('counts questions for room that had no answer', () => {
    assert.deepEqual(parseSendQueue(table, { ...ends, localPort: 0xa1b3 }), { bytes: 16, unanswered: 5 })
  })

  it('is not known of a connection that has ended', () => {
    assert.equal(parseSendQueue(table, { ...ends, localPort: 1 }), null)
    assert.equal(parseSendQueue('', ends), null)
  })
})
