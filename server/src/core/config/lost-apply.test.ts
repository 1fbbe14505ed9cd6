// Requirement 59.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { type Plan, unsent } from '../plan/artifacts.ts'

const away = new GatewayError('unavailable', say`The apply service does not answer: the connection was lost.`)

describe('L9: when applyd dies in a change, the answer says what became of it', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    await gateway.engine.reconcile()
  })
  afterEach(() => gateway.close())

  /** The next apply runs as given; later ones as always. */
  function breakNextApply(apply: (plan: Plan) => void): void {
    const { applier } = gateway
    applier.canTry = false
    const whole = applier.apply.bind(applier)
    applier.apply = async (plan) => {
      applier.apply = whole
      apply(plan)
      throw away
    }
  }
  const change = async () => {
    const answer = await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    assert.equal(answer.status, 503)
    assert.equal((await admin('GET', '/firewall/settings')).body.automatic_snat_enabled, true, 'it was not kept')
    return String(answer.body.message)
  }
  const notKept = 'The apply service stopped answering during the change. The change was not kept.'

  it('not kept, and the machine never had it', async () => {
    breakNextApply(() => {})
    assert.equal(await change(), `${notKept} The machine has the previous configuration.`)
  })

  it('not kept, and the machine had it already', async () => {
    breakNextApply((plan) => {
      gateway.applier.applied = plan
    })
    assert.equal(await change(), `${notKept} The machine had already taken it over and is being reverted.`)
    await gateway.engine.reconcile()
    assert.match(JSON.stringify(gateway.applier.applied), /masquerade/)
  })

  it('not kept, and the machine cannot be asked', async () => {
    breakNextApply(() => {
      gateway.applier.failWith = away
    })
    assert.match(await change(), /not kept\. Whether the machine has it is not known until the service answers again/)
    gateway.applier.failWith = null
  })

  /** The next attempt has no answer, and then this happens. */
  function breakNextAttempt(then: () => void): void {
    const { applier } = gateway
    const whole = applier.attempt.bind(applier)
    applier.attempt = async (plan) => {
      applier.attempt = whole
      await whole(plan)
      then()
      throw away
    }
  }

  it('not kept, and undone by applyd itself when the connection ended', async () => {
    breakNextAttempt(() => gateway.applier.disconnect())
    assert.equal(await change(), `${notKept} The machine has the previous configuration.`)
    assert.equal(gateway.engine.applied.error, null)
  })

  it('not kept, and undone on request when the connection is still there', async () => {
    breakNextAttempt(() => {})
    assert.equal(await change(), `${notKept} The machine has the previous configuration.`)
    assert.equal(gateway.applier.tried, null)
  })

  it('not kept, and whether it is undone cannot be asked', async () => {
    breakNextAttempt(() => {
      gateway.applier.failWith = away
    })
    assert.match(await change(), /not kept\. Whether the machine has it is not known until the service answers again/)
    assert.match(gateway.engine.applied.error ?? '', /does not answer/)
    gateway.applier.disconnect()
    gateway.applier.failWith = null
    await gateway.engine.reconcile()
    assert.equal(gateway.engine.applied.error, null)
  })

  it('not kept and not even sent: it is said at once, without asking the machine', async () => {
    const { applier } = gateway
    applier.failWith = new GatewayError('unavailable', say`The apply service does not answer: it cannot be reached.`, {
      cause: unsent,
    })
    assert.equal(await change(), 'The apply service does not answer: it cannot be reached.')
    assert.equal(applier.calls.at(-1), `attempt ${gateway.engine.revision + 1}`)
    applier.failWith = null
  })

  it('a change that was only being checked changed nothing', async () => {
    gateway.applier.canTry = false
    gateway.applier.failWith = away
    const before = gateway.engine.revision
    assert.equal((await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false })).status, 503)
    assert.equal(gateway.engine.revision, before)
    gateway.applier.failWith = null
  })
})
