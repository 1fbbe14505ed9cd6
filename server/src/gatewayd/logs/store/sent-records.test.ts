import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Random, seed } from '../../../../test/security/random.ts'
import { LogMaker } from '../../../../test/support/log-questions.ts'
import { received, sendable } from './sent-records.ts'

describe('records on their way to the thread that writes', () => {
  it('arrive as they were', () => {
    const random = new Random(seed)
    const maker = new LogMaker(() => random.next())
    for (const count of [0, 1, 2, 500]) {
      const records = maker.records(count)
      assert.deepEqual([...received(structuredClone(sendable(records)))], records)
    }
  })

  it('may have the same fields in another order, or only some of them', () => {
    const common = { kind: 'firewall', time: 1, priority: 6, unit: 'u', syslogId: 's', message: 'm' } as const
    const fields = [{ a: 1, b: '2' }, { b: '2', a: 1 }, { a: 1 }, { a: 1, b: '2', c: 3 }, {}, { a: 5, b: '6' }]
    const records = fields.map((own) => ({ ...common, fields: own }))
    assert.deepEqual([...received(structuredClone(sendable(records)))], records)
  })
})
