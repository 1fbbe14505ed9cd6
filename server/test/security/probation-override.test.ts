// A change on probation of a lesser role never holds up an administrator with full access: it is reverted, and theirs is made.
// Requirement 61.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { settings } from '../../src/areas/firewall/config.ts'
import { read } from '../../src/core/model/slots.ts'
import { say } from '../../src/shared/said.ts'
import { find } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { gate } from '../support/gate.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const onProbation = { 'portcullis-confirm-within': '3600' }

let gateway: TestGateway
let admin: Client
let lesser: Client

const logMode = (): string => read(gateway.engine.config, settings).log_mode
const change = (client: Client, log_mode: string, headers: Record<string, string> = {}): Promise<Answer> =>
  client('PATCH', '/firewall/settings', { log_mode }, headers)
const settled = (answer: Answer): Answer => {
  assert.equal(answer.status, 200, answer.text)
  return answer
}

describe('L4: a change on probation of a lesser role', () => {
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    lesser = await gateway.client('predefined_firewall_admin')
  })
  afterEach(() => gateway.close())

  it('is reverted by any change of a full administrator, which the reply and the audit trail say', async () => {
    const before = logMode()
    settled(await change(lesser, 'all', onProbation))
    const { revision } = gateway.engine
    const answer = settled(await admin('PATCH', '/dns/safesearch', { enabled: true }))
    assert.equal(answer.headers['portcullis-reverted'], String(revision))
    assert.equal(logMode(), before)
    assert.equal(gateway.engine.probation, null)
    const revert = gateway.engine.listRevisions(10, 0).find((one) => one.revision === revision + 1)
    assert.equal(revert?.author, 'of-predefined_admin_write')
    assert.equal(
      revert?.reason,
      `Revision ${revision} by of-predefined_firewall_admin was not confirmed; ` +
        'it was reverted for a change by of-predefined_admin_write',
    )
    const records = settled(await admin('GET', '/journal/records?limit=10')).body
    const listed = JSON.stringify(records)
    assert.ok(listed.includes(revert?.reason ?? '?'), listed)
    assert.equal(settled(await change(admin, 'all')).headers['portcullis-reverted'], undefined)
  })

  it('does not keep its author from being removed', async () => {
    settled(await change(lesser, 'all', onProbation))
    const list = settled(await admin('GET', '/web/admins/local')).body
    const { id } = list.find((one: { login: string }) => one.login === 'of-predefined_firewall_admin')
    settled(await admin('DELETE', `/web/admins/local/${id}`))
    assert.equal((await lesser('GET', '/web/whoami')).status, 401)
    assert.equal(gateway.engine.probation, null)
  })

  it('stays when the other change is refused anyway', async () => {
    settled(await change(lesser, 'all', onProbation))
    const { revision } = gateway.engine
    assert.equal((await admin('DELETE', '/aliases/networks/network.id.77')).status, 404)
    assert.equal((await change(admin, 'no such mode')).status, 422)
    assert.equal((await change(admin, 'nothing', { 'if-match': '"firewall.settings-0"' })).status, 409)
    assert.equal(gateway.engine.probation?.revision, revision)
    assert.equal(logMode(), 'all')
  })

  it('stays when the checkers refuse the other change, and when it is confirmed while they look', async () => {
    const rule = sample(schemaOf(find('POST /firewall/rules/forward').body ?? {}))
    const { check } = gateway.applier
    settled(await change(lesser, 'all', onProbation))
    const { revision } = gateway.engine
    gateway.applier.refuseWith = [{ field: 'x', message: say`Refused.` }]
    assert.equal((await admin('POST', '/firewall/rules/forward', rule)).status, 422)
    gateway.applier.refuseWith = []
    assert.equal(gateway.engine.probation?.revision, revision)
    gateway.applier.check = async (plan) => {
      gateway.applier.check = check
      assert.equal((await lesser('POST', '/config/confirm')).status, 200)
      return check.call(gateway.applier, plan)
    }
    const answer = settled(await admin('POST', '/firewall/rules/forward', rule))
    assert.equal(answer.headers['portcullis-reverted'], undefined)
    assert.equal(logMode(), 'all')
  })

  it('is named in the refusal when the other change fails on the machine after it was reverted', async () => {
    const rule = sample(schemaOf(find('POST /firewall/rules/forward').body ?? {}))
    settled(await change(lesser, 'all', onProbation))
    const { revision } = gateway.engine
    gateway.log.expect(/a request failed/)
    gateway.applier.putBackWith = [{ field: 'x', message: say`Failed.` }]
    const answer = await admin('POST', '/firewall/rules/forward', rule)
    assert.equal(answer.body.code, 'not_applied')
    assert.ok(answer.body.message.endsWith(`Revision ${revision}, which was on probation, had been reverted before.`))
    assert.deepEqual(answer.body.problems, [{ field: 'x', message: say`Failed.` }])
    assert.equal(logMode(), 'nothing')
  })

  it('is part of what a dry run shows, and stays', async () => {
    settled(await change(lesser, 'all', onProbation))
    const { changes } = settled(await admin('PATCH', '/dns/safesearch?dry_run=true', { enabled: true })).body
    assert.deepEqual(
      changes.map(({ object }: { object: string }) => object),
      ['dns.safesearch'],
    )
    assert.equal(gateway.engine.probation?.revision, gateway.engine.revision)
  })

  it('can be followed by one of the full administrator, which the lesser role does not override', async () => {
    settled(await change(lesser, 'all', onProbation))
    settled(await change(admin, 'selected', onProbation))
    assert.equal(gateway.engine.probation?.author, 'of-predefined_admin_write')
    assert.equal((await change(lesser, 'all')).status, 409)
    assert.equal((await change(lesser, 'all', onProbation)).status, 409)
    assert.equal(logMode(), 'selected')
  })

  it('of a full administrator is not overridden by another one', async () => {
    settled(await change(admin, 'all', onProbation))
    const id = await gateway.addAdministrator('other', 'predefined_admin_write').catch((error: Error) => error.message)
    assert.match(String(id), /is waiting for confirmation/)
    assert.equal((await change(lesser, 'nothing')).status, 409)
  })

  it('renewed by six threads without a pause holds up no change of a full administrator', async () => {
    let isOver = false
    let renewals = 0
    const threads = Array.from({ length: 6 }, async (_, thread) => {
      for (let round = 0; !isOver; round++) {
        const { status } = await change(lesser, ['all', 'nothing'][(thread + round) % 2] ?? '', onProbation)
        if (status === 200) renewals++
        if (round % 3 === 0) await lesser('DELETE', '/config/confirm')
      }
    })
    for (let made = 0; made < 20; made++) {
      const { revision } = gateway.engine
      settled(await admin('PATCH', '/dns/safesearch', { enabled: made % 2 === 0 }))
      assert.ok(gateway.engine.revision > revision)
    }
    isOver = true
    await Promise.all(threads)
    assert.ok(renewals > 0)
  })

  it('and twenty changes that wait hold up a full administrator by one of them', async () => {
    const { check } = gateway.applier
    const [checking, mayEnd] = [gate(), gate()]
    gateway.applier.check = async (plan) => {
      checking.open()
      await mayEnd.opened
      return check.call(gateway.applier, plan)
    }
    const order: string[] = []
    const rule = sample(schemaOf(find('POST /firewall/rules/forward').body ?? {}))
    const many = Array.from({ length: 20 }, () =>
      lesser('POST', '/firewall/rules/forward', rule).then((answer) => {
        settled(answer)
        order.push('lesser')
      }),
    )
    await checking.opened
    const own = admin('PATCH', '/dns/safesearch', { enabled: true }).then((answer) => {
      settled(answer)
      order.push('full')
    })
    mayEnd.open()
    await Promise.all([...many, own])
    assert.ok(order.indexOf('full') <= 2, order.join(' '))
  })

  it('that was reverted for another change is not reverted once more when its time is over', async () => {
    settled(await change(lesser, 'all', { 'portcullis-confirm-within': '1' }))
    settled(await change(admin, 'nothing'))
    const late = await lesser('DELETE', '/config/confirm')
    assert.equal(late.status, 409)
    assert.equal(logMode(), 'nothing')
  })

  it('is not reverted by a call that waited while it was confirmed', async () => {
    settled(await change(lesser, 'all', onProbation))
    const late = lesser('DELETE', '/config/confirm')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const confirmed = gateway.engine.probation ? gateway.engine.confirm() : null
    const { status } = await late
    assert.equal(status, confirmed ? 409 : 200)
    assert.equal(logMode() === 'all', confirmed !== null)
  })
})
