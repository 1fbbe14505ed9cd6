// The stand-in for applyd refuses what applyd refuses, so that no test passes with a plan that a gateway could not apply.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { productionTables } from '../../src/applyd/production.ts'
import { GatewayError } from '../../src/core/contract/error.ts'
import type { Artifact, Plan } from '../../src/core/plan/artifacts.ts'
import { planLink } from '../../src/core/plan/link.ts'
import { makePiece } from '../../src/core/plan/nft-piece.ts'
import { FakeApplier } from './fake-applier.ts'

const plan = (...artifacts: Artifact[]): Plan => ({ revision: 1, artifacts })
const chain = (line: string) => makePiece({ kind: 'chain', name: 'input', head: '', lines: [line], origin: '' })
const ruleset = (line: string): Artifact => ({ kind: 'nft', name: 'inet portcullis', pieces: [chain(line)] })
const link = (device: string) => planLink('network.connections[1]', device)

const units = productionTables('/nonexistent', null, 'lab').units
const [unitWithFiles = ''] =
  [...units].find(([, unit]) => Object.keys(unit.files).some((file) => !file.endsWith('.*'))) ?? []

describe('the fake applier', () => {
  const unreadable: readonly (readonly [string, Artifact])[] = [
    ['a table that is not in the tables of applyd', { kind: 'nft', name: 'inet other', pieces: [] }],
    ['a file that is not in the tables', { kind: 'file', name: 'passwd', text: '' }],
    ['a unit that is not in the tables', { kind: 'unit', name: 'shell' }],
    [
      'a piece whose hash does not match',
      { kind: 'nft', name: 'inet portcullis', pieces: [{ ...chain('accept'), parts: chain('drop').parts }] },
    ],
    ['a device name that is a path', { kind: 'network', name: 'links', links: [link('../x')] }],
    [
      'an address without a prefix length',
      { kind: 'network', name: 'links', links: [{ ...link('lan0'), addresses: ['10.0.0.1'] }] },
    ],
  ]
  for (const [what, artifact] of unreadable)
    it(`does not read ${what}`, async () => {
      const applier = new FakeApplier()
      const isRefused = (code: string) => (fault: unknown) => fault instanceof GatewayError && fault.code === code
      await assert.rejects(applier.check(plan(artifact)), isRefused('internal'))
      await assert.rejects(applier.apply(plan(artifact)), isRefused('not_applied'))
      assert.equal(applier.applied, null)
    })

  const faulty: readonly (readonly [string, Artifact])[] = [
    ['a rule that closes a brace it did not open', ruleset('accept }')],
    ['a rule that includes a file', ruleset('include "x"')],
    ['a device that is listed twice', { kind: 'network', name: 'links', links: [link('lan0'), link('lan0')] }],
    ['the loopback device', { kind: 'network', name: 'links', links: [link('lo')] }],
    ['a unit without its files', { kind: 'unit', name: unitWithFiles }],
  ]
  for (const [what, artifact] of faulty)
    it(`refuses ${what}`, async () => {
      const applier = new FakeApplier()
      assert.notDeepEqual((await applier.check(plan(artifact))).problems, [])
      assert.equal((await applier.apply(plan(artifact))).status, 'put_back')
      assert.equal(applier.applied, null)
    })

  it('applies a plan that applyd would apply', async () => {
    const applier = new FakeApplier()
    assert.deepEqual(await applier.check(plan(ruleset('accept'))), { problems: [], unchecked: [] })
    assert.equal((await applier.apply(plan(ruleset('accept')))).status, 'applied')
  })

  describe('tries', () => {
    const settled = async (): Promise<FakeApplier> => {
      const applier = new FakeApplier()
      await applier.apply(plan(ruleset('accept')))
      return applier
    }
    const next = (revision: number, ...artifacts: Artifact[]): Plan => ({ revision, artifacts })

    it('a change of tables, which is in the kernel until it is undone, and stays when it is settled', async () => {
      const applier = await settled()
      for (const end of ['undo', 'settle'] as const) {
        assert.equal((await applier.attempt(next(2, ruleset('drop')))).status, 'applied')
        assert.deepEqual([applier.tried?.revision, applier.applied?.revision], [2, 1])
        await applier[end](2)
        assert.deepEqual([applier.tried, applier.applied?.revision], [null, end === 'undo' ? 1 : 2])
      }
      assert.deepEqual(applier.misuses, [])
    })

    it('nothing before the first apply, and no plan with other links, files or units', async () => {
      assert.equal((await new FakeApplier().attempt(plan(ruleset('accept')))).status, 'mixed')
      const links: Artifact = { kind: 'network', name: 'links', links: [link('lan0')] }
      assert.equal((await (await settled()).attempt(next(2, ruleset('accept'), links))).status, 'mixed')
    })

    it('and refuses what a check would refuse', async () => {
      const applier = await settled()
      const tried = await applier.attempt(next(2, ruleset('include "x"')))
      assert.equal(tried.status, 'refused')
      assert.equal(applier.tried, null)
    })

    it('and notes calls in the wrong order', async () => {
      const applier = await settled()
      await assert.rejects(applier.settle(2))
      await assert.rejects(applier.undo(2))
      await applier.attempt(next(3, ruleset('drop')))
      await applier.apply(next(4, ruleset('accept')))
      applier.disconnect()
      await assert.rejects(applier.settle(3))
      await assert.rejects(applier.attempt(next(2, ruleset('drop'))), { code: 'not_applied' })
      assert.equal(applier.misuses.length, 4)
    })
  })

  it('takes no packets and checkpoints that applyd would not take', async () => {
    const applier = new FakeApplier()
    const packet = { protocol: 'tcp', source: '10.0.0.1', sourcePort: 1, destinationPort: 1 } as const
    await assert.rejects(applier.trial([{ ...packet, device: 'lan0', destination: 'gateway.test' }]))
    await assert.rejects(applier.checkpoint(1, 'not a hash', false))
  })
})
