// The verb that begins an upgrade: what applyd reads, and that the program which does the rest is started. What that program refuses is
// in upgrade/offer.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUpgrader, parseUpgrade } from './upgrade.ts'

const digest = 'a'.repeat(64)

test('a digest is read and nothing else', () => {
  assert.deepEqual(parseUpgrade({ digest }), { digest })
  for (const wrong of [{}, { digest: 'A'.repeat(64) }, { digest: '/etc/passwd' }, { digest, path: '/x' }, null])
    assert.throws(() => parseUpgrade(wrong))
})

test('a program takes the package, one at a time; from a folder of sources nothing is upgraded', async () => {
  for (const plane of ['host', 'lab'] as const) {
    const upgrader = createUpgrader({ stateDir: '/nowhere', plane, service: null })
    const [first, second] = await Promise.all([upgrader.start(digest), upgrader.start(digest)])
    assert.match(first.status === 'refused' ? first.message : '', /^This gateway was not installed as a package/)
    if (plane === 'host') assert.match(second.status === 'refused' ? second.message : '', /^Another upgrade is running/)
  }
})
