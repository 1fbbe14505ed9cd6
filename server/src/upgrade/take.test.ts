// How an upgrade begins: applyd and gw are two processes, and each may take a package while the other does.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { makeKey, packageOf } from '../../test/support/update-packages.ts'
import { beginUpgrade } from './begin.ts'
import { type UpgradePlaces, upgradePlaces } from './places.ts'
import { readRequest, takePackage, type UpgradeRequest, writeRequest } from './take.ts'

const { keys, secret } = makeKey()
const installed = { version: '0.1.0', architecture: 'arm64', built: null, format: 3 }

describe('a package that is offered', () => {
  let state: string
  let places: UpgradePlaces
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'portcullis-upgrade-'))
    places = upgradePlaces(state)
    mkdirSync(places.root, { recursive: true })
  })
  afterEach(() => rmSync(state, { recursive: true }))

  async function take(name: string, content: Buffer): Promise<UpgradeRequest> {
    writeFileSync(join(state, name), content)
    const file = openSync(join(state, name), 'r')
    try {
      return await takePackage(places, { file, by: 'root', keys, installed })
    } finally {
      closeSync(file)
    }
  }
  const left = (): string[] => readdirSync(places.root).sort()

  // Longer than what is read at once, so that both are under way at the same time.
  const large = packageOf(secret, { version: '0.3.0' }, 3_000_000)
  const other = packageOf(secret, { version: '0.2.0' }, 3_000_000)
  const broken = Buffer.from(large)
  broken[70] = 1
  for (const [title, one, two, wanted] of [
    ['a good and a broken one', large, broken, 1],
    ['a broken and a good one', broken, large, 1],
    ['two good ones', large, other, 1],
    ['two broken ones', broken, broken, 0],
  ] as const)
    it(`is taken once and as it was checked: ${title} at the same time`, async () => {
      const both = await Promise.allSettled([one, two].map((content, index) => take(`offered-${index}`, content)))
      const reasons = both.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
      assert.equal(2 - reasons.length, wanted, reasons.join(', '))
      for (const reason of reasons)
        assert.match(reason, /^Error: (?:Another upgrade is running|The signature of the p)/)
      const request = readRequest(places)
      assert.deepEqual(left(), wanted === 0 ? [] : ['package.deb', 'request.json'])
      if (request === null) return
      const file = readFileSync(join(places.root, 'package.deb'))
      assert.equal(createHash('sha256').update(file).digest('hex'), request.digest)
    })

  it('leaves nothing for long when its process ends in the middle', async () => {
    writeFileSync(join(places.root, 'package.deb.999999999-1.new'), 'half')
    const ofOneThatLives = `package.deb.${process.pid}-0.new`
    writeFileSync(join(places.root, ofOneThatLives), 'half')
    await take('offered', other)
    assert.deepEqual(left(), ['package.deb', ofOneThatLives, 'request.json'])
  })

  it('is begun also while the unit of the upgrade before is still ending', async () => {
    const request = await take('offered', other)
    let starts = 0
    // The first start finds a unit that is active, and does nothing.
    const start = async (): Promise<null> => {
      if (++starts === 2) writeRequest(places, { ...request, attempts: 1 })
      return null
    }
    assert.equal(await beginUpgrade(places, start, async () => {}), null)
    assert.equal(starts, 2)
  })

  it('is given up when the unit cannot be started, or never takes it', async () => {
    await take('offered', other)
    const pause = async (): Promise<void> => {}
    assert.equal(await beginUpgrade(places, async () => 'no unit', pause), 'no unit')
    assert.match((await beginUpgrade(places, async () => null, pause)) ?? '', /does not take it/)
  })
})
