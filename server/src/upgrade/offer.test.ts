// The program that begins an upgrade: gatewayd is not believed, neither about the file nor about where it is.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { makeKey, packageOf, unsignedPackage } from '../../test/support/update-packages.ts'
import { offerUploaded } from './offer.ts'
import { upgradePlaces } from './places.ts'
import { readStatus } from './record.ts'
import { readRequest } from './take.ts'

const signer = makeKey()
const digestOf = (file: Buffer): string => createHash('sha256').update(file).digest('hex')

describe('an uploaded package', () => {
  let state: string
  let started: number
  let fault: string | null
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'portcullis-upgrade-'))
    mkdirSync(join(state, 'upgrade'))
    mkdirSync(join(state, 'run'))
    started = 0
    fault = null
  })
  afterEach(() => rmSync(state, { recursive: true }))

  const offer = (digest: string, parts: { app?: string } = {}) =>
    offerUploaded(
      { stateDir: state, digest, uid: process.geteuid?.() ?? 0 },
      {
        app: parts.app ?? '/usr/lib/portcullis',
        keys: () => signer.keys,
        installed: () => ({ version: '0.1.0', architecture: 'arm64', built: 1_794_700_800 }),
        start: async () => {
          started += 1
          return fault
        },
      },
    )
  const uploaded = (): string => join(state, 'upgrade', 'package.deb')
  const root = (): string => join(state, 'applyd', 'upgrade')

  async function assertRefused(digest: string, reason: RegExp): Promise<void> {
    const result = await offer(digest)
    assert.equal(result.status, 'refused')
    assert.match(result.status === 'refused' ? result.message : '', reason)
    assert.equal(started, 0)
    assert.equal(existsSync(join(root(), 'request.json')), false)
    const left = existsSync(root()) ? readdirSync(root()) : []
    assert.deepEqual(left, [])
  }

  it('takes the package into a folder of root and starts the unit', async () => {
    const file = packageOf(signer.secret)
    writeFileSync(uploaded(), file)
    assert.deepEqual(await offer(digestOf(file)), { status: 'started', from: '0.1.0', to: '0.2.0' })
    assert.equal(started, 1)
    assert.deepEqual(readFileSync(join(root(), 'package.deb')), file)
    const request = readRequest(upgradePlaces(state))
    assert.deepEqual([request?.phase, request?.by, request?.to], ['asked', 'gateway', '0.2.0'])
    assert.equal(readStatus(upgradePlaces(state).status)?.state, 'running')
    const second = await offer(digestOf(file))
    assert.match(second.status === 'refused' ? second.message : '', /^Another upgrade is running/)
  })

  it('refuses what gatewayd must not have let through', async () => {
    const older = packageOf(signer.secret, { version: '0.0.1' })
    const changed = packageOf(signer.secret)
    changed[400] = (changed[400] ?? 0) ^ 1
    for (const [file, reason] of [
      [unsignedPackage(), /not signed/],
      [packageOf(makeKey().secret), /does not trust/],
      [changed, /signature of the package is broken/],
      [older, /older than the installed/],
      [packageOf(signer.secret, { version: '0.1.0', timestamp: 1_794_700_799 }), /an older build of version 0\.1\.0/],
      [packageOf(signer.secret, { architecture: 'amd64' }), /is for amd64/],
    ] as const) {
      writeFileSync(uploaded(), file)
      await assertRefused(digestOf(file), reason)
    }
    writeFileSync(uploaded(), packageOf(signer.secret))
    await assertRefused('0'.repeat(64), /not the one that was uploaded/)
  })

  it('refuses what cannot read the state by what root recorded, whatever gatewayd stored', async () => {
    const file = packageOf(signer.secret)
    writeFileSync(uploaded(), file)
    for (const name of ['applyd', 'gateway']) mkdirSync(join(state, name))
    writeFileSync(join(state, 'applyd', 'format'), '4\n')
    await assertRefused(digestOf(file), /its format is 3, and 4 is stored/)
    writeFileSync(join(state, 'applyd', 'format'), '3\n')
    writeFileSync(join(state, 'gateway', 'format'), '999999999\n')
    assert.equal((await offer(digestOf(file))).status, 'started')
  })

  it('follows no link, and opens nothing but a plain file', async () => {
    const file = packageOf(signer.secret)
    await assertRefused(digestOf(file), /no uploaded package/)
    writeFileSync(join(state, 'elsewhere'), file)
    symlinkSync(join(state, 'elsewhere'), uploaded())
    await assertRefused(digestOf(file), /no uploaded package/)
    rmSync(uploaded())
    mkdirSync(uploaded())
    await assertRefused(digestOf(file), /no uploaded package/)
  })

  it('does nothing where the program was not installed as a package', async () => {
    const file = packageOf(signer.secret)
    writeFileSync(uploaded(), file)
    const result = await offer(digestOf(file), { app: '/opt/elsewhere' })
    assert.match(result.status === 'refused' ? result.message : '', /^This gateway was not installed as a package/)
    assert.equal(existsSync(root()), false)
  })

  it('says so when the unit cannot be started, and can be asked again', async () => {
    const file = packageOf(signer.secret)
    writeFileSync(uploaded(), file)
    fault = 'Unit not found.'
    const result = await offer(digestOf(file))
    assert.match(result.status === 'refused' ? result.message : '', /could not be started: Unit not found/)
    assert.equal(readStatus(upgradePlaces(state).status)?.state, 'failed')
    fault = null
    assert.equal((await offer(digestOf(file))).status, 'started')
  })
})
