// Looking up TXT records, asked of a small DNS server of the test's own.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { lookUpText } from './text-records.ts'

const noSuchName = 3
const serverFailure = 2

/** A code, or one TXT record made of these parts. */
type Said = number | readonly string[]

function answerTo(query: Buffer, said: Said): Buffer {
  let end = 12
  while (query[end] !== 0) end += (query[end] as number) + 1
  const parts = typeof said === 'number' ? [] : said
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | (typeof said === 'number' ? said : 0), 2)
  header.writeUInt16BE(parts.length > 0 ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  const data = Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part)]))
  const record = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255])
  return Buffer.concat([header, query.subarray(12, end + 5), ...(parts.length > 0 ? [record, data] : [])])
}

describe('TXT records', () => {
  const socket = createSocket('udp4')
  let said: Said = []
  before(async () => {
    socket.on('message', (query, from) => socket.send(answerTo(query, said), from.port, from.address))
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
  })
  after(() => socket.close())

  const rows: readonly (readonly [title: string, answer: Said, expected: readonly string[] | null])[] = [
    ['are put together from their parts', ['v=DKIM1; p=', 'AAAA'], ['v=DKIM1; p=AAAA']],
    ['are none where the name does not exist', noSuchName, []],
    ['are none where the name has other records only', [], []],
    ['are unknown where the server fails', serverFailure, null],
  ]
  for (const [title, answer, expected] of rows) {
    it(title, async () => {
      said = answer
      assert.deepEqual(
        await lookUpText('ics._domainkey.one.example.', [`127.0.0.1:${socket.address().port}`]),
        expected,
      )
    })
  }

  it('are unknown where the name cannot be asked for', async () => {
    said = ['x']
    const address = `127.0.0.1:${socket.address().port}`
    assert.equal(await lookUpText(`ics._domainkey.${'a.'.repeat(126)}b`, [address]), null)
  })
})
