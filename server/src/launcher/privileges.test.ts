import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dropOptions, findAccount, labAccount } from './privileges.ts'

describe('the service account', () => {
  test('is the one named portcullis, or a fixed number', () => {
    assert.deepEqual(findAccount('root:x:0:0::/root:/bin/sh\nportcullis:x:998:997::/:/bin/false\n'), {
      uid: 998,
      gid: 997,
    })
    assert.deepEqual(findAccount('root:x:0:0::/root:/bin/sh\n'), { uid: 61847, gid: 61847 })
  })

  test('is never root, whatever the password file says', () => {
    assert.deepEqual(findAccount('portcullis:x:0:0::/:/bin/sh\n'), { uid: 61847, gid: 61847 })
    assert.deepEqual(findAccount('portcullis:x:998:0::/:/bin/sh\n'), { uid: 61847, gid: 61847 })
  })

  test('every kind of account gives up the way back', () => {
    for (const kind of ['separate', 'powerless', 'same'] as const)
      assert.ok(dropOptions({ kind, uid: 1, gid: 1 }).includes('--no-new-privs'))
    assert.ok(dropOptions({ kind: 'powerless', uid: 0, gid: 0 }).includes('--bounding-set=-all'))
  })

  test("the lab's servers cannot read what belongs to gatewayd", () => {
    const account = { kind: 'separate', uid: 61847, gid: 61847 } as const
    assert.notEqual(labAccount(account).uid, account.uid)
  })
})
