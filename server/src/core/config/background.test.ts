// Changes of an area that is applied in the background: answered at once, applied afterwards, and reverted on the machine
// when that fails; also when a process is killed in between, and without delaying other changes.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { SlowMachine, slowArea, slowSettings, withText } from '../../../test/support/slow-area.ts'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { settings as firewallSettings } from '../../areas/firewall/config.ts'
import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { read, write } from '../model/slots.ts'

const actor = { login: 'admin', address: '127.0.0.1' }
const activating = { state: 'activating', message: '' } as const
const dead = { state: 'failed', message: say`slow ended with status 3.` } as const

describe('a change in the background', () => {
  let gateway: TestGateway
  let machine: SlowMachine
  let admin: Client
  beforeEach(async () => {
    machine = new SlowMachine()
    gateway = await createTestGateway({ applier: machine, extraAreas: [slowArea] })
    admin = await gateway.client('predefined_admin_write')
    await reconcile()
    await change('first')
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', 'first'])
    machine.texts.length = 0
  })
  afterEach(() => gateway.close())

  const engine = () => gateway.engine
  const reconcile = () => engine().reconcile()
  const change = (text: string, more: { confirmWithinSeconds?: number } = {}) =>
    engine().change({ edit: (config) => [withText(config, text), null], actor, reason: 'test', ...more })
  const state = () => gateway.services.backgroundState('slow').state
  const wanted = () => read(engine().config, slowSettings).text
  const snat = (on: boolean) => admin('PATCH', '/firewall/settings', { automatic_snat_enabled: on })
  const isSnatApplied = () => JSON.stringify(machine.applied).includes('masquerade')
  const applies = () => machine.calls.filter((call) => call.startsWith('apply')).length
  const restart = async () => {
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
  }

  it('is checked, committed and answered; then it is applied to the machine', async () => {
    machine.states.set('second', activating)
    const before = applies()
    assert.equal((await change('second')).revision, engine().revision)
    assert.equal(applies(), before, 'it was not answered at once')
    assert.equal(machine.calls.at(-1), `check ${engine().revision}`)
    assert.deepEqual([wanted(), state(), machine.text], ['second', 'reloading', 'first'])
    await reconcile()
    assert.deepEqual([state(), machine.text], ['reloading', 'second'])
    await reconcile()
    assert.equal(state(), 'reloading')
    machine.states.delete('second')
    await reconcile()
    assert.deepEqual(gateway.services.backgroundState('slow'), { state: 'applied', message: '' })
    assert.deepEqual(machine.texts, ['second'])
  })

  it('that the checker refuses changes nothing', async () => {
    const { revision } = engine()
    machine.invalid.add('bad')
    await assert.rejects(change('bad'), { code: 'invalid', message: 'The checker does not accept it.' })
    assert.deepEqual([engine().revision, wanted(), state()], [revision, 'first', 'applied'])
  })

  it('that fails leaves the configuration as asked and restores what was on the machine', async () => {
    machine.states.set('second', activating)
    await change('second')
    await reconcile()
    machine.states.set('second', dead)
    await reconcile()
    assert.deepEqual(gateway.services.backgroundState('slow'), { state: 'failed', message: dead.message })
    assert.deepEqual([wanted(), machine.text], ['second', 'first'])
  })

  it('that fails is retried after growing pauses, and not in between', async () => {
    machine.states.set('second', dead)
    await change('second')
    for (const pause of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      machine.texts.length = 0
      await reconcile()
      assert.deepEqual(machine.texts, ['second', 'first'])
      gateway.clock.advance(pause - 1)
      for (let step = 0; step < 3; step++) await reconcile()
      assert.deepEqual(machine.texts, ['second', 'first'], 'it was tried too soon')
      assert.equal(state(), 'failed')
      gateway.clock.advance(1)
    }
    machine.states.delete('second')
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', 'second'])
  })

  it('that applyd reverts or refuses has failed, and nothing else waits for it', async () => {
    machine.reverting.add('second')
    machine.refusing.add('third')
    machine.refusal = new GatewayError('not_applied', say`The plan names an artifact that is not in the tables.`)
    for (const [text, message] of [
      ['second', 'second failed.'],
      ['third', machine.refusal.message],
    ] as const) {
      await change(text)
      await reconcile()
      assert.deepEqual(gateway.services.backgroundState('slow'), { state: 'failed', message })
      assert.deepEqual(engine().applied.error, null)
      assert.equal(engine().applied.outcome?.status, 'applied')
      assert.equal(machine.text, 'first')
    }
  })

  it('waits for an apply service that is away', async () => {
    await change('second')
    machine.failWith = new GatewayError('unavailable', say`away`)
    await reconcile()
    assert.equal(state(), 'reloading')
    machine.failWith = null
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', 'second'])
  })

  it('that never becomes active has failed when its time is over', async () => {
    machine.states.set('second', activating)
    await change('second')
    await reconcile()
    gateway.clock.advance(899)
    await reconcile()
    assert.equal(state(), 'reloading')
    gateway.clock.advance(1)
    await reconcile()
    assert.match(gateway.services.backgroundState('slow').message, /did not become active in 15 minutes/)
    assert.equal(machine.text, 'first')
  })

  it('does not hold up changes of other areas, which leave it as it is', async () => {
    machine.states.set('second', activating)
    await change('second')
    assert.equal((await snat(false)).status, 200)
    assert.deepEqual([isSnatApplied(), machine.text, state()], [false, 'first', 'reloading'])
    await reconcile()
    assert.equal((await snat(true)).status, 200)
    assert.deepEqual([isSnatApplied(), machine.text, state()], [true, 'second', 'reloading'])
    machine.states.set('second', dead)
    await reconcile()
    assert.equal((await snat(false)).status, 200)
    assert.deepEqual([isSnatApplied(), machine.text, state()], [false, 'first', 'failed'])
    assert.deepEqual(machine.texts, ['second', 'first'])
  })

  it('can be changed again while it is in progress, without waiting for the first change', async () => {
    machine.states.set('second', activating)
    await change('second')
    await reconcile()
    machine.states.set('third', dead)
    await change('third')
    assert.equal((await snat(false)).status, 200)
    await reconcile()
    assert.deepEqual(machine.texts, ['second', 'third', 'first'], 'what goes back is what was in force')
    await change('first')
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', 'first'])
  })

  it('that also changes other areas is one change: when they fail, nothing of it remains', async () => {
    const both = () =>
      engine().change({
        edit: (config) => {
          const other = { ...read(config, firewallSettings), automatic_snat_enabled: false }
          return [write(withText(config, 'second'), firewallSettings, other), null]
        },
        actor,
        reason: 'test',
      })
    machine.putBackWith = [{ field: 'x', message: say`the kernel died` }]
    await assert.rejects(both(), { code: 'not_applied' })
    machine.putBackWith = []
    assert.deepEqual([wanted(), state()], ['first', 'applied'])
    await reconcile()
    assert.deepEqual(machine.texts, [])
    await both()
    assert.deepEqual([isSnatApplied(), machine.text, state()], [false, 'first', 'reloading'])
    await reconcile()
    assert.deepEqual([machine.text, state()], ['second', 'applied'])
  })

  it('is shown by a dry run, which starts nothing', async () => {
    const request = { edit: (config: object) => [withText({ ...config }, 'second'), null] as const, actor, reason: '' }
    const { artifacts } = await engine().dryRun(request)
    assert.deepEqual(artifacts, [
      { artifact: 'file slow.conf', action: 'changed', removed_lines: ['first'], added_lines: ['second'] },
    ])
    machine.invalid.add('second')
    await assert.rejects(engine().dryRun(request), { code: 'invalid' })
    await reconcile()
    assert.deepEqual([state(), machine.texts], ['applied', []])
  })

  it('on probation that fails stays until it is confirmed or reverted', async () => {
    machine.states.set('second', dead)
    await change('second', { confirmWithinSeconds: 3600 })
    await reconcile()
    assert.deepEqual([state(), wanted(), engine().probation?.author], ['failed', 'second', 'admin'])
    await engine().putBack(actor, 'test')
    assert.deepEqual([state(), wanted(), engine().probation], ['reloading', 'first', null])
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', 'first'])
  })

  it('is reverted like any other', async () => {
    const { revision } = engine()
    await change('second')
    await reconcile()
    assert.equal((await admin('POST', `/config/revisions/${revision}/revert`)).status, 200)
    assert.deepEqual([state(), wanted(), machine.text], ['reloading', 'first', 'second'])
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', 'first'])
  })

  it('starts or stops an engine', async () => {
    await change('')
    await reconcile()
    assert.deepEqual([state(), machine.text], ['applied', null])
    machine.states.set('second', dead)
    await change('second')
    await reconcile()
    assert.deepEqual([state(), machine.text], ['failed', null])
  })

  describe('survives a restart', () => {
    it('right after it was committed', async () => {
      await change('second')
      await restart()
      assert.equal(state(), 'reloading')
      await reconcile()
      assert.deepEqual([state(), machine.text], ['applied', 'second'])
      await restart()
      assert.equal(state(), 'applied')
    })

    it('while the machine works on it, and still knows what was good', async () => {
      machine.states.set('second', activating)
      await change('second')
      await reconcile()
      await restart()
      await reconcile()
      assert.deepEqual([state(), machine.text], ['reloading', 'second'])
      machine.states.set('second', dead)
      await reconcile()
      assert.deepEqual([state(), machine.text], ['failed', 'first'])
    })

    it('after it failed, and does not try again at once', async () => {
      machine.states.set('second', dead)
      await change('second')
      await reconcile()
      await restart()
      assert.deepEqual(gateway.services.backgroundState('slow'), { state: 'failed', message: dead.message })
      machine.texts.length = 0
      await reconcile()
      assert.deepEqual(machine.texts, [])
      gateway.clock.advance(30)
      machine.states.delete('second')
      await reconcile()
      assert.deepEqual([state(), machine.text], ['applied', 'second'])
    })

    it('when the result could not be written to disk', async () => {
      for (const [text, outcome] of [
        ['second', dead],
        ['third', null],
      ] as const) {
        if (outcome) machine.states.set(text, outcome)
        await change(text)
        gateway.database.prepare('PRAGMA query_only=1').run()
        await reconcile()
        assert.equal(state(), outcome ? 'failed' : 'applied')
        assert.equal(machine.text, outcome ? 'first' : text)
        await restart()
        assert.equal(state(), 'reloading')
        await reconcile()
        assert.equal(state(), outcome ? 'failed' : 'applied')
        assert.equal(machine.text, outcome ? 'first' : text)
      }
    })
  })
})
