// Requirement 49.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accountNames, findAccount, knownAccounts } from '../../core/engine/accounts.ts'
import { blockOf, takenNumbers } from './account-block.ts'
import { dropOptions, labAccount, readAccounts } from './privileges.ts'

const wholeMap = '         0          0 4294967295\n'

describe('L7: the accounts of our processes', () => {
  test('are those that exist by name, or numbers of the block of the state folder', () => {
    const passwd = 'root:x:0:0::/root:/bin/sh\nportcullis:x:998:997::/:/bin/false\n'
    assert.deepEqual(findAccount(passwd, 'portcullis', 70_000), { uid: 998, gid: 997 })
    assert.deepEqual(findAccount(passwd, 'portcullis-wpad', 70_000), { uid: 70_001, gid: 70_001 })
  })

  test('who holds the gatewayd of a lab has no power over the gateway that the machine itself is', () => {
    const passwd = 'portcullis:x:998:997::/:/bin/false\n'
    const uidIn = (plane: 'lab' | 'host' | 'none') =>
      readAccounts({ isolation: 'root', plane }, '/somewhere/state', passwd).service.uid
    const isRoot = process.geteuid?.() === 0
    assert.equal(uidIn('host'), isRoot ? 998 : process.geteuid?.())
    for (const plane of ['lab', 'none'] as const) assert.notEqual(uidIn(plane), 998)
    assert.equal(knownAccounts('lab', passwd), '')
  })

  test('are never root, whatever the password file says', () => {
    const own = { uid: 70_000, gid: 70_000 }
    assert.deepEqual(findAccount('portcullis:x:0:0::/:/bin/sh\n', 'portcullis', 70_000), own)
    assert.deepEqual(findAccount('portcullis:x:998:0::/:/bin/sh\n', 'portcullis', 70_000), own)
  })

  test('have numbers that neither systemd, logins, containers nor subordinate ids use', () => {
    for (const map of [wholeMap, '0 100000 65536\n'])
      for (const hash of [0, 1, 28, 29, 2 ** 31, 2 ** 32 - 1]) {
        const block = blockOf(hash, map)
        for (const uid of accountNames.map((name) => findAccount('', name, block).uid)) {
          assert.ok(uid > 60_705, `${uid} is not a login`)
          assert.ok(uid < 61_184 || uid > 65_535, `${uid} is not a dynamic user`)
          assert.ok(uid < 100_000, `${uid} is not a subordinate id`)
          assert.ok(map === wholeMap || uid < 65_536, `${uid} exists in this namespace`)
        }
      }
  })

  test('a person of the site who has a number of the block does not get what belongs to the gateway', () => {
    const block = blockOf(7, wholeMap)
    for (const lists of [
      { passwd: `jane:x:${block + 3}:100::/home/jane:/bin/sh`, group: '', lent: '' },
      { passwd: '', group: `staff:x:${block}:`, lent: '' },
      { passwd: '', group: '', lent: `jane:${block - 100}:101` },
    ])
      assert.equal(blockOf(7, wholeMap, takenNumbers(lists)), blockOf(8, wholeMap))
    assert.equal(
      blockOf(7, wholeMap, takenNumbers({ passwd: 'root:x:0:0::/:/bin/sh\n', group: '\n', lent: '' })),
      block,
    )
    assert.equal(
      blockOf(7, wholeMap, () => true),
      block,
    )
  })

  test('differ between state folders and between processes', () => {
    assert.notEqual(blockOf(1, wholeMap), blockOf(2, wholeMap))
    const uids = accountNames.map((name) => findAccount('', name, 70_000).uid)
    assert.equal(new Set(uids).size, accountNames.length)
  })

  test('every kind of account gives up the way back', () => {
    for (const kind of ['separate', 'powerless', 'same'] as const)
      assert.ok(dropOptions({ kind, uid: 1, gid: 1 }).includes('--no-new-privs'))
    assert.ok(dropOptions({ kind: 'powerless', uid: 0, gid: 0 }).includes('--bounding-set=-all'))
  })

  test("the lab's servers can neither read what belongs to gatewayd nor trace each other", () => {
    const service = { kind: 'separate', uid: 70_000, gid: 70_000 } as const
    const [web, dns] = (['portcullis-lab-web', 'portcullis-lab-dns'] as const).map((name) =>
      labAccount({ block: 70_000, service }, name),
    )
    assert.equal(new Set([service.uid, web?.uid, dns?.uid]).size, 3)
  })
})
