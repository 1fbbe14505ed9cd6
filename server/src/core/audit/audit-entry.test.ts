// Records of the audit trail: what fits is kept as it is, whatever its characters, and no record is larger than it may be.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type AuditEntry, boundedEntry, maxRecordBytes, ownEntry } from './audit-entry.ts'

const entryWith = (changes: readonly unknown[]): AuditEntry => ownEntry('a test', 'ok', 'a message', changes)
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
/** Of all changes of a record. */
const most = 6 * 1024

describe('a record of the audit trail', () => {
  it('has every change that fits, and never more than a record may have', () => {
    // Characters that JSON writes in one byte, in three, and in six as an escape.
    const text = fc.string({ unit: fc.constantFrom('a', '\u0001', '"', 'ю', '😀', '\ud800'), maxLength: 900 })
    const fields = fc.array(fc.record({ field: fc.constant('comment'), before: text, after: text }), { maxLength: 3 })
    const change = fc.record({ object: text, action: fc.constant('changed'), fields })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const kept = boundedEntry(entryWith(changes)).changes
        assert.ok(bytesOf(kept) <= most + 200, `${bytesOf(kept)} bytes`)
        if (bytesOf(changes) <= most) assert.deepEqual(kept, changes)
        assert.ok(bytesOf(boundedEntry(entryWith(changes))) <= maxRecordBytes)
      }),
    )
  })

  it('has its fields in the order in which they are read, the changes last', () => {
    const { changes, ...rest } = entryWith([{ object: 'x' }])
    const mixed: AuditEntry = { changes, ...rest }
    assert.equal(Object.keys(boundedEntry(mixed)).at(-1), 'changes')
  })
})
