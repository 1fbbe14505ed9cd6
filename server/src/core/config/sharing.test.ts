// Changes that arrive together: one attempt, one commit and one settle for all of them, and a verdict for each when they
// are refused together. With a real store and a fake applier, whose calls are counted.
// Requirement 59.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { FakeApplier } from '../../../test/support/fake-applier.ts'
import { type Gate, gate } from '../../../test/support/gate.ts'
import { createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { safeSearch } from '../../areas/dns/config.ts'
import { settings } from '../../areas/firewall/config.ts'
import { ruleLists } from '../../areas/firewall/lists.ts'
import { say } from '../../shared/said.ts'
import { GatewayError, type Problem } from '../contract/error.ts'
import { addTo, removeFrom } from '../model/lists.ts'
import { read, write } from '../model/slots.ts'
import type { Attempt, Outcome, Plan } from '../plan/artifacts.ts'
import type { ChangeRequest } from './change.ts'

const list = ruleLists.forward
const actor = { login: 'admin', address: '127.0.0.1' }

/** Refuses what it is told to, counts commits, and can be held in the middle of an attempt. */
class WatchedApplier extends FakeApplier {
  judge: (text: string) => readonly Problem[] = () => []
  hold: Gate | null = null
  readonly begun = { count: 0 }
  whileHeld = (): void => {}

  override async attempt(plan: Plan): Promise<Attempt> {
    this.begun.count++
    this.refuseWith = this.judge(JSON.stringify(plan))
    const tried = await super.attempt(plan)
    await this.hold?.opened
    this.whileHeld()
    return tried
  }

  override async apply(plan: Plan): Promise<Outcome> {
    this.putBackWith = this.judge(JSON.stringify(plan))
    return super.apply(plan)
  }
}

describe('changes that arrive together', () => {
  let gateway: TestGateway
  let applier: WatchedApplier
  let commits: number
  beforeEach(async () => {
    applier = new WatchedApplier()
    gateway = await createTestGateway({ applier })
    await gateway.engine.reconcile()
    applier.calls.length = 0
    commits = 0
    const { database } = gateway
    const transact = database.transact.bind(database)
    let depth = 0
    database.transact = (work, urgency) => {
      if (depth++ === 0) commits++
      try {
        return transact(work, urgency)
      } finally {
        depth--
      }
    }
  })
  afterEach(() => gateway.close())

  type Options = Partial<ChangeRequest<number>>
  const addRule = (options: Options = {}, body: object = {}): Promise<number> =>
    gateway.engine
      .change<number>({
        edit: (config, tools) => {
          const id = tools.nextId(list.slot)
          return [addTo(config, list, id, { action: 'accept', log: true, ...body }), id]
        },
        actor,
        reason: 'test',
        ...options,
      })
      .then(({ result }) => result)
  const setSnat = (on: boolean) =>
    gateway.engine.change({
      edit: (config) => [write(config, settings, { ...read(config, settings), automatic_snat_enabled: on }), null],
      actor,
      reason: 'test',
    })
  const refuseRejects = (text: string): readonly Problem[] =>
    [...text.matchAll(/reject[^"]*comment \\"(firewall\.forward[^"\\]+)/g)].slice(0, 1).map(([, field = '']) => ({
      field,
      message: say`The kernel does not take it.`,
    }))
  const bad = { action: 'reject' }
  const originOf = (id: number): string => `${list.slot.key}[${id}]`
  const ids = (): unknown[] => read(gateway.engine.config, list.slot).map(({ id }) => id)
  const setDns = () =>
    gateway.services.changeAsGateway((config) => write(config, safeSearch, { enabled: true }), { reason: 'test' })
  const isInKernel = (id: number): boolean => JSON.stringify(applier.applied).includes(originOf(id))

  it('share one attempt, one commit and one settle, and keep their order', async () => {
    const before = gateway.engine.revision
    const added = await Promise.all(Array.from({ length: 8 }, () => addRule()))
    assert.deepEqual(applier.calls, [`attempt ${before + 8}`, `settle ${before + 8}`])
    assert.equal(commits, 1)
    assert.deepEqual(ids(), added)
    assert.ok(added.every(isInKernel))
    assert.equal(gateway.engine.listRevisions(100, 0).length, before + 8)
  })

  it('form the next group while an attempt is in progress', async () => {
    const before = gateway.engine.revision
    applier.hold = gate()
    const first = addRule()
    while (applier.begun.count === 0) await new Promise((resolve) => setImmediate(resolve))
    const later = Array.from({ length: 5 }, () => addRule())
    assert.equal(gateway.engine.revision, before, 'a revision was shown before it was committed')
    applier.hold.open()
    await Promise.all([first, ...later])
    assert.deepEqual(
      applier.calls.filter((call) => call.startsWith('attempt')),
      [`attempt ${before + 1}`, `attempt ${before + 6}`],
    )
    assert.equal(commits, 2)
  })

  describe('and whose authors come back', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
    afterEach(() => mock.timers.reset())

    /** Seven changes in the kernel, one that waits; returns when the seven are answered. */
    const sevenAndOne = async (): Promise<{ readonly waiting: Promise<number> }> => {
      applier.hold = gate()
      const first = Array.from({ length: 7 }, () => addRule())
      while (applier.begun.count === 0) await new Promise((resolve) => setImmediate(resolve))
      const waiting = addRule()
      applier.hold.open()
      await Promise.all(first)
      await new Promise((resolve) => setImmediate(resolve))
      return { waiting }
    }

    it('are waited for, so that all of them share again', async () => {
      const before = gateway.engine.revision
      const { waiting } = await sevenAndOne()
      await Promise.all([waiting, ...Array.from({ length: 7 }, () => addRule())])
      assert.deepEqual(
        applier.calls.filter((call) => call.startsWith('attempt')),
        [`attempt ${before + 7}`, `attempt ${before + 15}`],
      )
    })

    it('are not waited for longer than a moment', async () => {
      const before = gateway.engine.revision
      const { waiting } = await sevenAndOne()
      mock.timers.tick(2)
      await waiting
      assert.equal(gateway.engine.revision, before + 8)
    })
  })

  it('and are refused together get their own verdicts: those at fault are named, the others are made', async () => {
    applier.judge = refuseRejects
    const before = gateway.engine.revision
    const answers = await Promise.allSettled([
      addRule(),
      addRule({}, bad),
      addRule(),
      addRule(),
      addRule({}, bad),
      setSnat(false),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    const faults = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as GatewayError] : []))
    // Numbers of rules that were not made are used again.
    const kept = ids() as number[]
    assert.equal(kept.length, 3)
    assert.equal(gateway.engine.revision, before + 4)
    for (const { code, problems } of faults) {
      assert.deepEqual([code, problems.length], ['invalid', 1])
      assert.match(problems[0]?.field ?? '', /^firewall\.forward\[\d+\]$/)
    }
    assert.ok(kept.every(isInKernel))
    assert.doesNotMatch(JSON.stringify(applier.applied), /masquerade/)
    assert.equal(applier.tried, null)
  })

  const remove = (id: number, options: Options = {}) =>
    gateway.engine.change({
      edit: (config, { referencesTo }) => [removeFrom(config, list, id, referencesTo), id],
      actor,
      reason: 'test',
      ...options,
    })

  it('and are refused because of one that is not kept are judged again without it', async () => {
    applier.judge = refuseRejects
    const id = await addRule()
    const replaced = gateway.engine.change({
      edit: (config, tools) => {
        const without = removeFrom(config, list, id, tools.referencesTo)
        return [addTo(without, list, tools.nextId(list.slot), bad), null]
      },
      actor,
      reason: 'test',
    })
    const [one, two, three] = await Promise.allSettled([replaced, remove(id), addRule()])
    assert.equal(one.status === 'rejected' && one.reason.code, 'invalid')
    assert.deepEqual([two.status, three.status], ['fulfilled', 'fulfilled'])
    assert.deepEqual(ids(), [three.status === 'fulfilled' && three.value])
  })

  it('and are refused because of one that is kept share its attempt', async () => {
    const id = await addRule()
    applier.calls.length = 0
    const before = gateway.engine.revision
    const answers = await Promise.allSettled([remove(id), remove(id), addRule()])
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'made')),
      ['made', 'not_found', 'made'],
    )
    assert.deepEqual(applier.calls, [`attempt ${before + 2}`, `settle ${before + 2}`])
  })

  it('are answered like one after the other when each builds on the one before it', async () => {
    applier.judge = refuseRejects
    let id = 0
    const first = gateway.engine.change({
      edit: (config, tools) => {
        id = tools.nextId(list.slot)
        return [addTo(config, list, id, bad), null]
      },
      actor,
      reason: 'test',
    })
    const second = gateway.engine.change({
      edit: (config, { referencesTo }) => [removeFrom(config, list, id, referencesTo), null],
      actor,
      reason: 'test',
    })
    const third = gateway.engine.change({
      edit: (config, tools) => [addTo(config, list, tools.nextId(list.slot), bad), null],
      actor,
      reason: 'test',
    })
    const [one, two, three] = await Promise.allSettled([first, second, third])
    assert.equal(one.status === 'rejected' && one.reason.code, 'invalid')
    assert.equal(two.status === 'rejected' && two.reason.code, 'not_found')
    assert.equal(three.status === 'rejected' && three.reason.code, 'invalid')
  })

  it('are made one by one when the machine cannot try them', async () => {
    applier.canTry = false
    const before = gateway.engine.revision
    const added = await Promise.all([addRule(), addRule()])
    assert.ok(added.every(isInKernel))
    assert.deepEqual(
      applier.calls.filter((call) => !call.startsWith('attempt')),
      [`check ${before + 1}`, `apply ${before + 1}`, `check ${before + 2}`, `apply ${before + 2}`],
    )
    assert.equal(applier.begun.count, 2)
  })

  it('and change more than tables split the group, and nothing overtakes', async () => {
    const before = gateway.engine.revision
    const order: string[] = []
    const note = (name: string) => () => order.push(name)
    await Promise.all([
      addRule().then(note('rule')),
      setDns().then(note('dns')),
      addRule().then(note('rule')),
      addRule().then(note('rule')),
    ])
    assert.deepEqual(order, ['rule', 'dns', 'rule', 'rule'])
    assert.deepEqual(applier.calls, [
      `attempt ${before + 1}`,
      `settle ${before + 1}`,
      `check ${before + 2}`,
      `apply ${before + 2}`,
      `attempt ${before + 4}`,
      `settle ${before + 4}`,
    ])
  })

  it('that are not kept because the disk is full are undone in the kernel', async () => {
    applier.whileHeld = () => gateway.database.prepare('PRAGMA query_only=1').all()
    const before = gateway.engine.revision
    const answers = await Promise.allSettled([addRule(), addRule(), addRule()])
    for (const one of answers) assert.equal(one.status === 'rejected' && one.reason.code, 'unavailable')
    assert.deepEqual(applier.calls, [`attempt ${before + 3}`, `undo ${before + 3}`])
    assert.deepEqual([gateway.engine.revision, applier.tried, ids()], [before, null, []])
    applier.whileHeld = () => {}
    gateway.database.prepare('PRAGMA query_only=0').all()
    assert.ok(isInKernel(await addRule()))
    assert.equal(gateway.engine.revision, before + 1)
  })

  it('and whose author may not make them any longer are undone; the others are made', async () => {
    const before = gateway.engine.revision
    let isSignedOut = false
    const authorize = (): void => {
      if (isSignedOut) throw new GatewayError('unauthenticated', say`Your session has ended.`)
    }
    applier.whileHeld = () => {
      isSignedOut = true
    }
    const answers = await Promise.allSettled([addRule(), addRule({ authorize }), addRule()])
    assert.deepEqual(
      answers.map((one) => (one.status === 'rejected' ? one.reason.code : 'kept')),
      ['kept', 'unauthenticated', 'kept'],
    )
    assert.deepEqual(applier.calls, [
      `attempt ${before + 3}`,
      `undo ${before + 3}`,
      `attempt ${before + 2}`,
      `settle ${before + 2}`,
    ])
    assert.ok((ids() as number[]).every(isInKernel))
  })

  it('take their time in slices, and a session that ends between two of them ends the change', async () => {
    const before = gateway.engine.revision
    let isSignedOut = false
    const slowly = (options: Options = {}) =>
      addRule({
        ...options,
        edit: (config, tools) => {
          gateway.clock.advance(1)
          const id = tools.nextId(list.slot)
          return [addTo(config, list, id, { action: 'accept', enabled: false }), id]
        },
      })
    const authorize = (): void => {
      if (isSignedOut) throw new GatewayError('unauthenticated', say`Your session has ended.`)
    }
    const work = Promise.allSettled([slowly({ authorize }), slowly(), slowly(), slowly()])
    // Timers and connections have their turn while the group is prepared.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(gateway.engine.revision, before)
    isSignedOut = true
    assert.deepEqual(
      (await work).map((one) => (one.status === 'rejected' ? one.reason.code : 'kept')),
      ['unauthenticated', 'kept', 'kept', 'kept'],
    )
    assert.equal(gateway.engine.revision, before + 3)
  })

  it('have preconditions judged against what is committed', async () => {
    const { engine } = gateway
    const expects = [{ slot: list.slot.key, revision: engine.slotRevision(list.slot.key) }]
    const answers = await Promise.allSettled([addRule({ expects }), addRule({ expects }), addRule()])
    assert.deepEqual(
      answers.map((one) => (one.status === 'rejected' ? one.reason.code : 'kept')),
      ['kept', 'precondition_failed', 'kept'],
    )
  })

  it('do not share with one on probation, which is tried and kept alone', async () => {
    const before = gateway.engine.revision
    const answers = await Promise.allSettled([addRule(), addRule({ confirmWithinSeconds: 60 }), addRule()])
    assert.deepEqual(
      answers.map((one) => (one.status === 'rejected' ? one.reason.code : 'kept')),
      ['kept', 'kept', 'conflict'],
    )
    assert.deepEqual(applier.calls, [
      `attempt ${before + 1}`,
      `settle ${before + 1}`,
      `attempt ${before + 2}`,
      `settle ${before + 2}`,
    ])
    await gateway.engine.putBack(actor, 'test')
    assert.deepEqual(applier.calls.slice(4), [`apply ${before + 3}`])
    assert.equal(ids().length, 1)
  })

  it('wait for an apply of the reconcile loop, and it waits for them', async () => {
    const steps = [gateway.engine.reconcile(), addRule(), gateway.engine.reconcile(), addRule()]
    await Promise.all(steps)
    await gateway.engine.reconcile()
    assert.ok((ids() as number[]).every(isInKernel))
    assert.equal(applier.applied?.revision, gateway.engine.revision)
  })
})
