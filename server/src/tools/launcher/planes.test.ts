import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Abilities, choosePlane, unshareFlags } from './planes.ts'

const root: Abilities = { isRoot: true, missingTools: [], namespaceRefusal: null }
const user: Abilities = { ...root, isRoot: false }

describe('the choice of the data plane', () => {
  test('the lab comes as root or in a user namespace', () => {
    assert.deepEqual(choosePlane('lab', root), { plane: 'lab', limitation: null, isolation: 'root' })
    assert.deepEqual(choosePlane('lab', user), { plane: 'lab', limitation: null, isolation: 'user' })
  })

  test('what the lab lacks is reported, and everything else still runs', () => {
    const bare = choosePlane('lab', { ...root, missingTools: ['ip', 'nft'] })
    assert.deepEqual([bare.plane, bare.isolation], ['none', 'root'])
    assert.match(bare.limitation ?? '', /needs ip and nft/)
    const contained = choosePlane('lab', { ...root, namespaceRefusal: 'Operation not permitted' })
    assert.deepEqual([contained.plane, contained.isolation], ['none', 'plain'])
    assert.match(contained.limitation ?? '', /Operation not permitted/)
    assert.match(choosePlane('lab', { ...user, namespaceRefusal: 'no' }).limitation ?? '', /as root/)
  })

  test('the machine itself becomes the gateway only when asked, and only for root', () => {
    assert.deepEqual(choosePlane('host', root), { plane: 'host', limitation: null, isolation: 'mounts' })
    assert.throws(() => choosePlane('host', user), /needs root/)
    assert.throws(() => choosePlane('host', { ...root, missingTools: ['nft'] }), /needs nft/)
  })

  test('an ordinary user without a lab needs no walls', () => {
    assert.equal(choosePlane('none', user).isolation, 'plain')
    assert.equal(choosePlane('none', root).isolation, 'root')
  })

  test('only the host plane lets its engines outlive the launcher', () => {
    assert.ok(unshareFlags('root').includes('--kill-child'))
    assert.ok(unshareFlags('user').includes('--map-root-user'))
    assert.ok(!unshareFlags('mounts').includes('--pid'))
  })
})
