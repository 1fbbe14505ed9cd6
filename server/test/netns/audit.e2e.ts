// The audit trail of a real gateway: killed under answered actions it misses none of them, and records that were deleted
// while it was stopped are missed.
// Requirement 54.

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const kills = process.env.PORTCULLIS_NIGHTLY === '1' ? 100 : 6
const clients = 4
const path = '/web/auth/blocks'

describe('the audit trail of a gateway', () => {
  let gateway: LabGateway
  let api: ApiClient
  const parent = mkdtempSync(join(tmpdir(), 'portcullis-audit-'))
  const start = async (): Promise<void> => {
    gateway = await startGateway({ adminPassword: password, dataplane: 'none', stateDir: join(parent, 'state') })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
  }
  before(() => {
    // The service account must be able to pass it.
    chmodSync(parent, 0o711)
    return start()
  })
  after(async () => {
    api.close()
    await gateway.stop()
    rmSync(parent, { recursive: true, force: true })
  })

  const verified = async () => (await api.call('GET', '/journal/verify')).body

  it('M5: has a record of every action that was answered before a kill', async () => {
    let answered = 0
    for (let kill = 0; kill < kills; kill++) {
      let isOver = false
      const loops = Array.from({ length: clients }, async () => {
        while (!isOver) {
          try {
            if ((await api.call('DELETE', path, undefined, {}, 5_000)).status === 200) answered++
          } catch {
            // The process died before it answered.
          }
        }
      })
      const before = answered
      await until('some were answered', () => answered >= before + 5 + kill)
      await gateway.killGatewayd()
      isOver = true
      await Promise.all(loops)
      await until('it is back', async () => (await api.call('GET', '/web/whoami').catch(() => null))?.status === 200)
    }
    const { body } = await api.call('GET', '/journal/records?limit=10000')
    const recorded = body.filter(({ what }: { what: string }) => what === `DELETE ${path}`).length
    assert.ok(answered > kills * 5)
    // One whose connection broke is sent again, so there can be more.
    assert.ok(recorded >= answered, `${answered} answered, ${recorded} recorded`)
    assert.equal((await verified()).intact, true)
  })

  it('M4: misses the last records when they were deleted while it was stopped', async () => {
    const { intact, checkpoints } = await verified()
    assert.equal(intact, true)
    assert.ok(checkpoints > 0)
    await api.call('DELETE', path)
    api.close()
    await gateway.stop()
    const database = new DatabaseSync(join(parent, 'state', 'gateway', 'gateway.db'))
    const { last } = database.prepare('SELECT max(sequence) AS last FROM audit').get() as { last: number }
    // Not a change: only the checkpoint at the end can tell.
    database.prepare('DELETE FROM audit WHERE sequence = ?').run(last)
    database.close()
    await start()
    gateway.log.expect(/the audit trail is not the one that was signed/)
    // The sign-in has taken its number.
    const found = await verified()
    assert.equal(found.intact, false)
    assert.equal(found.first_bad.sequence, last)
    const { body } = await api.call('GET', '/journal/records')
    assert.ok(body.some(({ message }: { message: string }) => /not the one that was signed/.test(message)))
  })
})
