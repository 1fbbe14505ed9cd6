import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventsOf } from './server-events.ts'

const text =
  'retry: 3000\n\n:\n\nevent: records\nid: 7\ndata: ["\u00fc"]\n\ndata: a\ndata: b\n\nid: 9\n\nevent: last\ndata\n\ndata: not whole'

it('reads events however their bytes are cut', async () => {
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, 1_000]) {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const events: unknown[] = []
    for await (const event of eventsOf(pieces())) events.push(event)
    assert.deepEqual(events, [
      { event: 'records', id: '7', data: '["\u00fc"]' },
      { event: 'message', id: '7', data: 'a\nb' },
      { event: 'last', id: '9', data: '' },
    ])
  }
})
