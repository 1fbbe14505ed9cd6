// Changes of the configuration: no-ops, refusals, probation, reverts, damage. With a real store and a fake applier.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { ruleLists } from '../../areas/firewall/lists.ts'
import { say } from '../../shared/said.ts'
import { addTo } from '../model/lists.ts'
import type { Config } from '../model/slots.ts'

describe('change()', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    await gateway.engine.reconcile()
  })
  afterEach(() => gateway.close())

  const snat = (on: boolean, headers = {}) =>
    admin('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, headers)
  const isSnatOn = async (): Promise<boolean> => (await admin('GET', '/firewall/settings')).body.automatic_snat_enabled
  const isSnatApplied = (): boolean => JSON.stringify(gateway.applier.applied).includes('masquerade')
  const revision = (): number => gateway.engine.revision
  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve))
  }

  it('makes no revision when nothing changes', async () => {
    const before = revision()
    assert.equal((await snat(true)).status, 200)
    assert.equal(revision(), before)
  })

  it('leaves everything as it was when the checker refuses, and names the object', async () => {
    const before = revision()
    const problem = { field: 'firewall.settings.automatic_snat_enabled', message: say`the kernel does not want it` }
    gateway.applier.refuseWith = [problem]
    const answer = await snat(false)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body.problems, [problem])
    assert.equal(revision(), before)
    assert.ok(isSnatApplied())
    assert.equal(await isSnatOn(), true)
  })

  it('is reverted as a new revision when it fails on the machine', async () => {
    const before = revision()
    gateway.applier.canTry = false
    gateway.applier.putBackWith = [{ field: 'x', message: say`the kernel died` }]
    gateway.log.expect(/^error: a request failed .*failed on the machine\. It was reverted/s)
    const answer = await snat(false)
    assert.equal(answer.status, 500)
    assert.equal(answer.body.code, 'not_applied')
    assert.equal(await isSnatOn(), true)
    assert.equal(revision(), before + 2)
    const [undone] = (await admin('GET', '/config/revisions?limit=1')).body
    assert.equal(undone.author, 'system')
  })

  it('that would lock its author out is refused, unless it is on probation', async () => {
    const { engine } = gateway
    const before = revision()
    const dropAll = {
      edit: (config: Config) => [addTo(config, ruleLists.input, 1, { action: 'drop' }), null] as const,
      actor: { login: 'admin', address: '10.10.0.77', reached: { address: '10.10.0.1', port: 8443 } },
      reason: 'drop everything',
    }
    await assert.rejects(engine.change(dropAll), { code: 'conflict', message: /your own connection .*-Confirm-Within/ })
    await assert.rejects(engine.dryRun(dropAll), { code: 'conflict' })
    assert.equal(revision(), before)
    await engine.change({ ...dropAll, confirmWithinSeconds: 30 })
    assert.equal(revision(), before + 1)
  })

  it('answers 503 and keeps nothing when the apply service is away', async () => {
    gateway.applier.failWith = new (await import('../contract/error.ts')).GatewayError('unavailable', say`away`)
    assert.equal((await snat(false)).status, 503)
    gateway.applier.failWith = null
    assert.equal(await isSnatOn(), true)
  })

  it('answers a dry run with objects and artifacts and changes nothing', async () => {
    const before = revision()
    const { body, status } = await admin('PATCH', '/firewall/settings?dry_run=true', { automatic_snat_enabled: false })
    assert.equal(status, 200)
    assert.equal(body.dry_run, true)
    assert.deepEqual(body.changes, [
      {
        object: 'firewall.settings',
        action: 'changed',
        fields: [{ field: 'automatic_snat_enabled', before: true, after: false }],
      },
    ])
    assert.match(body.artifacts[0].removed_lines.join('\n'), /masquerade/)
    assert.equal(revision(), before)
    assert.ok(isSnatApplied())
  })

  it('keeps author, address, time, reason and a readable diff', async () => {
    await snat(false, { 'portcullis-reason': Buffer.from('wegen Wartung – nachts').toString('latin1') })
    const shown = (await admin('GET', `/config/revisions/${revision()}`)).body
    assert.equal(shown.author, 'of-predefined_admin_write')
    assert.equal(shown.address, '127.0.0.1')
    assert.equal(shown.reason, 'wegen Wartung – nachts')
    assert.deepEqual(shown.changes[0].fields, [{ field: 'automatic_snat_enabled', before: true, after: false }])
  })

  it('reverts to any revision as a new one', async () => {
    const before = revision()
    await snat(false)
    await admin('PATCH', '/gather_stat/settings', { enabled: true })
    assert.equal((await admin('POST', `/config/revisions/${before}/revert`)).status, 200)
    assert.equal(await isSnatOn(), true)
    assert.ok(isSnatApplied())
    assert.equal((await admin('GET', '/gather_stat/settings')).body.enabled, false)
    assert.equal(revision(), before + 3)
    assert.equal((await admin('POST', '/config/revisions/9999/revert')).status, 404)
  })

  describe('with confirm-or-revert', () => {
    const onProbation = { 'portcullis-confirm-within': '1' }

    it('is reverted automatically when it is not confirmed', async () => {
      const answer = await snat(false, onProbation)
      assert.equal(answer.status, 200)
      assert.ok(answer.headers['portcullis-confirm-before'])
      assert.equal(isSnatApplied(), false)
      await until(() => isSnatApplied())
      assert.equal(await isSnatOn(), true)
      assert.equal((await admin('GET', '/config/confirm')).body.waiting, null)
    })

    it('stays when it is confirmed', async () => {
      await snat(false, { 'portcullis-confirm-within': '3600' })
      assert.equal((await admin('GET', '/config/confirm')).body.waiting.seconds_left, 3600)
      assert.equal((await admin('POST', '/config/confirm')).status, 200)
      assert.equal(await isSnatOn(), false)
      assert.equal((await admin('POST', '/config/confirm')).status, 409)
    })

    it('refuses other changes until then and can be reverted at once', async () => {
      await snat(false, { 'portcullis-confirm-within': '3600' })
      assert.equal((await admin('PATCH', '/gather_stat/settings', { enabled: true })).status, 409)
      assert.equal((await admin('DELETE', '/config/confirm')).status, 200)
      assert.equal(await isSnatOn(), true)
      assert.equal((await admin('PATCH', '/gather_stat/settings', { enabled: true })).status, 200)
    })

    it('is reverted after a restart when the time is over, and after a reboot at once', async () => {
      for (const isReboot of [false, true]) {
        await snat(false, { 'portcullis-confirm-within': '3600' })
        if (isReboot) gateway.clock.boot = 'another boot'
        else gateway.clock.advance(3601)
        gateway = await gateway.restart()
        admin = await gateway.client('predefined_admin_write')
        gateway.engine.resumeProbation()
        await until(() => gateway.engine.probation === null && isSnatApplied())
        assert.equal(await isSnatOn(), true)
      }
    })

    it('is reverted even while the apply service is away', async () => {
      await snat(false, onProbation)
      gateway.applier.failWith = new Error('away')
      await until(() => gateway.engine.probation === null)
      gateway.applier.failWith = null
      assert.equal(await isSnatOn(), true)
      await gateway.engine.reconcile()
      assert.ok(isSnatApplied())
    })

    it('is decided by its author or an administrator with full access only', async () => {
      const author = await gateway.client('predefined_firewall_admin')
      const other = await gateway.client('predefined_security_admin')
      const patch = { automatic_snat_enabled: false }
      for (const decide of [author, admin]) {
        await author('PATCH', '/firewall/settings', patch, { 'portcullis-confirm-within': '3600' })
        assert.equal((await other('POST', '/config/confirm')).status, 403)
        assert.equal((await other('DELETE', '/config/confirm')).status, 403)
        assert.equal((await decide('DELETE', '/config/confirm')).status, 200)
      }
    })

    for (const value of ['0', '3601', '-1', '1.5', 'soon', '']) {
      it(`refuses ${JSON.stringify(value)} seconds`, async () => {
        const answer = await snat(false, { 'portcullis-confirm-within': value })
        assert.equal(answer.status, 422)
        assert.equal(answer.body.problems[0].field, 'Portcullis-Confirm-Within')
        assert.equal(await isSnatOn(), true)
      })
    }
  })

  it('rebuilds damaged items from the revisions and says so', async () => {
    await snat(false)
    await admin('PATCH', '/gather_stat/settings', { enabled: true })
    gateway.applier.calls.length = 0
    const { folder } = gateway
    gateway.engine.close()
    const raw = new DatabaseSync(join(folder, 'gateway.db'))
    raw.exec(`UPDATE items SET body = replace(body, 'false', 'true') WHERE slot = 'firewall.settings'`)
    raw.close()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.equal(await isSnatOn(), false)
    assert.match(gateway.engine.damage.join(), /rebuilt/)
    const status = (await admin('GET', '/config/status')).body
    assert.equal(status.find((item: { name: string }) => item.name === 'store').status, 'failed')
  })

  it('falls back to the last good revision when the history itself is damaged', async () => {
    await snat(false)
    const good = revision()
    await snat(true)
    const raw = new DatabaseSync(join(gateway.folder, 'gateway.db'))
    raw.exec(`UPDATE revisions SET changes = replace(changes, 'automatic', 'Automatic') WHERE revision = ${good + 1}`)
    raw.exec(`UPDATE items SET body = body || ' ' WHERE slot = 'firewall.settings'`)
    raw.close()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.equal(await isSnatOn(), false)
    assert.match(gateway.engine.damage.join(), new RegExp(`Revision ${good + 1} is damaged`))
    assert.ok(revision() > good + 1, 'a number was used again')
    await gateway.engine.reconcile()
    assert.equal(isSnatApplied(), false)
    assert.equal((await snat(true)).status, 200)
    const next = await gateway.restart()
    assert.deepEqual(next.services.engine.damage, [])
    gateway = next
  })
})
