// A disk that is full or read-only under a running gatewayd: new changes are refused with a clear message, everything else
// works, nothing is stored in part, and once the disk accepts writes again everything works without a restart.
// Requirements 62 and 63.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import type { Slot } from '../../src/core/model/slots.ts'
import { isNightly } from '../security/random.ts'
import { type ApiAnswer, ApiClient } from '../support/api-client.ts'
import { unlessComplete } from '../support/requires.ts'
import { createTestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { reasonToSkip, type SmallDisk, startOnSmallDisk, startOnSpoiltDisk } from './small-disk.ts'
import { readStored } from './stored.ts'

const password = 'correct horse 9'
const sentence = 'The change could not be written: the disk is full, read-only or failing.'
const mebibyte = 1 << 20
const moments = isNightly ? 50 : 6
const writers = 4
/** The log of SQLite is used again from its beginning: what fits into it is written even on a full disk. */
const enoughToFindOut = 2_000
const slots: readonly Slot[] = areas.flatMap((area) => area.slots)

interface Ledger {
  readonly id: string
  acknowledged: number
}

describe('a disk without room', { skip: reasonToSkip() }, () => {
  let disk: SmallDisk
  let api: ApiClient
  const ledgers: Ledger[] = []
  before(async () => {
    disk = await startOnSmallDisk((isNightly ? 64 : 16) * mebibyte, password)
    api = new ApiClient(disk.address)
    await api.signIn('admin', password)
    for (let index = 0; index < writers; index++) {
      const { body, status } = await api.call('POST', '/web/admins/local', {
        enabled: true,
        role: 'predefined_admin_readonly',
        password: 'never used here',
        login: `writer-${index}`,
        name: '0',
        comment: '0',
      })
      assert.equal(status, 200)
      ledgers.push({ id: body.id, acknowledged: 0 })
    }
  })
  after(() => {
    api.close()
    disk.end()
  })

  /** One change of two fields, which must be stored together. */
  async function write(ledger: Ledger): Promise<ApiAnswer> {
    const value = String(ledger.acknowledged + 1)
    const answer = await api.call('PATCH', `/web/admins/local/${ledger.id}`, { name: value, comment: value })
    if (answer.status === 200) ledger.acknowledged++
    return answer
  }

  async function writeUntilRefused(ledger: Ledger): Promise<ApiAnswer> {
    for (let count = 0; count < enoughToFindOut; count++) {
      const answer = await write(ledger)
      if (answer.status !== 200) return answer
    }
    throw new Error('the full disk took everything')
  }

  function assertRefused({ status, body }: ApiAnswer): void {
    assert.equal(status, 503)
    assert.equal(body.code, 'unavailable')
    assert.equal(body.message, sentence)
  }

  async function assertExactlyWhatWasAnswered(): Promise<void> {
    const { body, status } = await api.call('GET', '/web/admins/local')
    assert.equal(status, 200)
    for (const { id, acknowledged } of ledgers) {
      const { name, comment } = body.find((item: { id: string }) => item.id === id)
      assert.deepEqual([name, comment], [String(acknowledged), String(acknowledged)])
    }
  }

  const login = (given: string): Promise<ApiAnswer> =>
    new ApiClient(disk.address).call('POST', '/web/auth/login', { login: 'admin', password: given, rest_path: '/' })

  /** The same for both kinds of disk: what works, what does not, and what recovers. */
  async function assertReadsOnly(isFull: boolean): Promise<void> {
    for (const ledger of ledgers) assertRefused(await writeUntilRefused(ledger))
    for (const path of [
      '/web/whoami',
      '/firewall/settings',
      '/web/admins/local',
      '/config/revisions',
      '/journal/records',
    ]) {
      assert.equal((await api.call('GET', path)).status, 200, path)
    }
    await assertExactlyWhatWasAnswered()
    // gatewayd gives back what it does not need, which is not for long.
    let store = await storeItem()
    await until('the status of the store shows it', async () => {
      if (isFull) disk.fill()
      store = await storeItem()
      return store.status === 'failed'
    })
    assert.match(store.msg.join(' '), /^The disk is full or takes no writes: new changes are refused\. Delete backups/)
  }

  /** Nothing of this is a new change, so the disk has no say in it. */
  async function assertAccountsWork(): Promise<void> {
    const other = new ApiClient(disk.address)
    await other.signIn('admin', password)
    assert.equal((await other.call('GET', '/web/whoami')).status, 200)
    assert.equal((await other.call('DELETE', '/web/auth/login')).status, 200)
    assert.equal((await other.call('GET', '/web/whoami')).status, 401, 'the session goes on after the sign-out')
    const third = new ApiClient(disk.address)
    await third.signIn('admin', password)
    const { body } = await api.call('GET', '/monitor_backend/admin_sessions')
    const newest = body.at(-1)
    assert.equal((await api.call('DELETE', `/monitor_backend/admin_sessions/${newest.id}`)).status, 200)
    assert.equal((await third.call('GET', '/web/whoami')).status, 401)
    const guesses = []
    for (let count = 0; count < 7; count++) guesses.push((await login('a wrong pass phrase')).status)
    assert.deepEqual(guesses, [401, 401, 401, 401, 401, 401, 429])
    assert.equal((await api.call('GET', '/web/auth/blocks')).body.length, 1)
    assert.equal((await api.call('DELETE', '/web/auth/blocks')).status, 200)
    assert.equal((await login(password)).status, 200)
    for (const client of [other, third]) client.close()
  }

  const storeItem = async (): Promise<{ status: string; msg: string[] }> => {
    const { body } = await api.call('GET', '/config/status')
    return body.find((item: { name: string }) => item.name === 'store')
  }

  const addAdministrator = async (name: string): Promise<string> => {
    const role = 'predefined_admin_write'
    const fields = { enabled: true, role, password, login: name, name, comment: '' }
    const { body, status } = await api.call('POST', '/web/admins/local', fields)
    assert.equal(status, 200)
    return body.id
  }

  async function assertBack(): Promise<void> {
    for (const ledger of ledgers) assert.equal((await write(ledger)).status, 200)
    await assertExactlyWhatWasAnswered()
    const again = new ApiClient(disk.address)
    await again.signIn('admin', password)
    assert.equal((await again.call('DELETE', '/web/auth/login')).status, 200)
    again.close()
    await until('the status of the store is good again', async () => (await storeItem()).status === 'active')
    assert.ok(disk.isAlive, disk.log)
  }

  it('M8: only new changes are refused, and it recovers without a restart', async () => {
    await disk.fillAll()
    await assertReadsOnly(true)
    await assertAccountsWork()
    disk.free()
    await assertBack()
  })

  it('M8: an administrator is disabled and another one removed, and their sessions end', async () => {
    const ids = [await addAdministrator('leaver-one'), await addAdministrator('leaver-two')]
    const clients = [new ApiClient(disk.address), new ApiClient(disk.address)]
    await Promise.all(clients.map((client, index) => client.signIn(`leaver-${['one', 'two'][index]}`, password)))
    await disk.fillAll()
    const [first, second] = ids.map((id) => `/web/admins/local/${id}`)
    assert.equal((await api.call('PATCH', `${first}`, { enabled: false })).status, 200)
    assert.equal((await api.call('DELETE', `${second}`)).status, 200)
    for (const client of clients) assert.equal((await client.call('GET', '/web/whoami')).status, 401)
    assertRefused(await writeUntilRefused(ledgers[0] ?? assert.fail()))
    const { body } = await api.call('GET', '/journal/records?limit=1000')
    for (const id of ids) assert.ok(JSON.stringify(body).includes(id), 'what was done is not in the audit trail')
    for (const client of clients) client.close()
    disk.free()
    await assertBack()
  })

  it('M8: a disk that accepts no writes at all is treated the same, with accounts in memory', async () => {
    disk.setWritable(false)
    await assertReadsOnly(false)
    await assertAccountsWork()
    disk.setWritable(true)
    await assertBack()
    const { body } = await api.call('GET', '/journal/records?limit=1000')
    const signOuts = body.filter(({ event }: { event: string }) => event === 'sign-out')
    assert.equal(signOuts.length, 5, 'of this test, the two before it, and when each had ended')
  })

  it('records what it refused as soon as there is room again', async () => {
    await until('the refusals are in the audit trail', async () => {
      const { body } = await api.call('GET', '/journal/records?limit=1000')
      return body.some((record: { event: string; result: string }) => {
        return record.event === 'refused' && record.result === 'unavailable'
      })
    })
  })

  it(`filled at ${moments} moments while clients write loses no confirmed change and lets administrators in and out`, async () => {
    for (let moment = 0; moment < moments; moment++) {
      const fillAfter = ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) + 1 + moment * 3
      let isFull = false
      await Promise.all(
        ledgers.map(async (ledger) => {
          for (let count = 0; count < enoughToFindOut; count++) {
            const answer = await write(ledger)
            if (answer.status !== 200) return assertRefused(answer)
            const total = ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
            if (isFull || total < fillAfter) continue
            isFull = true
            disk.fill()
          }
          throw new Error('the full disk took everything')
        }),
      )
      await assertExactlyWhatWasAnswered()
      const other = new ApiClient(disk.address)
      await other.signIn('admin', password)
      assert.equal((await other.call('DELETE', '/web/auth/login')).status, 200)
      assert.equal((await other.call('GET', '/web/whoami')).status, 401)
      other.close()
      disk.free()
      await Promise.all(ledgers.map(async (ledger) => assert.equal((await write(ledger)).status, 200)))
    }
  })

  it('ends with a disk that holds what the API shows, every change once, in an intact audit trail', async () => {
    // Flushes the audit trail, so that the copy is of a quiet moment.
    assert.equal((await api.call('GET', '/journal/records?limit=1')).status, 200)
    const { body } = await api.call('GET', '/web/admins/local')
    const copy = disk.copy()
    const stored = await readStored(copy, slots)
    rmSync(copy, { recursive: true })
    assert.deepEqual(stored.loaded.damage, [])
    const shown = (stored.loaded.snapshot.config['administrators.local'] as Record<string, unknown>[]).map(
      ({ password_hash: _, ...rest }) => rest,
    )
    assert.deepEqual(shown, body)
    assert.deepEqual(stored.replayed, stored.loaded.snapshot)
    assert.deepEqual(stored.audited, stored.revisions)
    assert.equal(stored.auditFault, null)
    assert.ok(disk.isAlive)
  })

  it('does not keep gatewayd from stopping cleanly', async () => {
    disk.setWritable(false)
    for (const ledger of ledgers) assertRefused(await writeUntilRefused(ledger))
    api.close()
    await disk.stop()
  })
})

describe('a disk that fails', { skip: reasonToSkip() }, () => {
  it('a failed sync ends the process, because the content of the disk is unknown, and never answers with 200', async (t) => {
    const disk = await startOnSmallDisk(16 * mebibyte, password)
    const api = new ApiClient(disk.address)
    try {
      if (!(await disk.failSyncs())) return t.skip(unlessComplete('strace is missing or may not attach'))
      await assert.rejects(api.signIn('admin', password))
      assert.equal(await disk.ended, 70)
      assert.match(disk.log, /the disk failed; starting again from what it holds/)
    } finally {
      api.close()
      disk.end()
    }
  })

  for (const [title, spoil] of [
    ['full', 'cat /dev/zero > filler 2>/dev/null || true'],
    ['read-only', 'cd / && mount -o remount,bind,ro "$1"'],
  ] as const) {
    it(`that is ${title} at the start is reported with a clear message`, async () => {
      const state = mkdtempSync(join(tmpdir(), 'portcullis-state-'))
      mkdirSync(join(state, 'gateway'))
      const gateway = await createTestGateway({ folder: join(state, 'gateway') })
      await gateway.engine.idle()
      gateway.database.close()
      const { code, text } = startOnSpoiltDisk(state, spoil)
      assert.equal(code, 1, text)
      assert.match(text, /"level":"error","message":"The (stored data|disk) [^"]*full, read-only or failing/)
      rmSync(state, { recursive: true })
    })
  }
})
