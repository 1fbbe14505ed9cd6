// The words of a review: fields as forms call them, counts, and the refusal of the guard against lock-out.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { say } from '@gateway/server/shared/said'
import { fieldWords, lockOutReason, objectTitle, shownFields, summaryOf } from './words.ts'

const change = {
  object: 'firewall.forward[42]',
  action: 'changed' as const,
  fields: [
    { field: 'action', before: 'accept', after: 'drop' },
    { field: 'id', before: 42, after: 42 },
    { field: 'comment', before: null, after: '' },
  ],
}

describe('the words of a review', () => {
  it('names the object and its fields as forms do', () => {
    assert.equal(
      objectTitle(change, () => 3),
      'FORWARD rule 3',
    )
    assert.equal(
      objectTitle({ ...change, action: 'added' }, () => null),
      'FORWARD rule',
    )
    assert.deepEqual(
      shownFields(change).map((field) => fieldWords(field)),
      [{ label: 'Action', before: 'Accept', after: 'Drop', note: '' }],
    )
  })

  it('leaves what a person wrote as it was written', () => {
    for (const field of ['comment', 'title', 'server_name', 'members[2].login']) {
      const { before, after } = fieldWords({ field, before: 'accept', after: 'drop_all' })
      assert.deepEqual([before, after], ['accept', 'drop_all'], field)
    }
  })

  it('says how much of a long list stays', () => {
    const { note } = fieldWords({ field: 'values', before: ['a'], after: ['b'], at: 3, unchanged: 9_999 })
    assert.match(note, /9,?999/)
  })

  it('counts objects, lines and connections', () => {
    const artifacts = [{ artifact: 'nft', action: 'changed' as const, removed_lines: ['a'], added_lines: ['b'] }]
    const text = summaryOf({
      dry_run: true,
      changes: [change],
      artifacts,
      unchecked: [],
      connections: [],
      connections_total: 2,
      connections_note: null,
    })
    assert.match(text, /1 .*2 .*2 /)
  })

  it('knows the refusal of the guard by what it offers', () => {
    const reason = say`New connections from ${'10.0.0.2'} to this gateway would be refused.`
    const message = say`${reason} Send it with the header Portcullis-Confirm-Within to have it reverted unless you confirm it in time.`
    assert.equal(lockOutReason({ reason: 'lock_out', message }), reason)
    assert.equal(lockOutReason({ reason: 'in_use', message: 'It is used by FORWARD rule 7.' }), null)
  })
})
