import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import type { EngineSeen } from '../../../core/contract/inspection-state.ts'
import type { Catalogue } from '../../../domain/signatures/catalogue.ts'
import { createCatalogue } from '../../../domain/signatures/catalogue.ts'
import type { ProfileRule } from '../../../domain/signatures/profile.ts'
import { parseRule } from '../../../domain/signatures/rule.ts'
import type { CanaryOptions, CanaryResult } from './canary.ts'
import type { EngineReport } from './command-socket.ts'
import { Inspection, type WantedChannel } from './rule-supply.ts'

const catalogueOf = (...texts: readonly string[]): Catalogue =>
  createCatalogue(
    texts.map((text) => {
      const parsed = parseRule(text, 'standard')
      assert.ok('rule' in parsed, text)
      return parsed.rule
    }),
  )

const signature = (sid: number): string =>
  `alert tcp any any -> any any (msg:"s${sid}"; content:"x${sid}"; sid:${sid};)`
const nothingReported: EngineReport = {
  version: '7.0.10',
  loaded: null,
  refused: 0,
  skipped: 0,
  failed: [],
  counters: {},
}
const everything: readonly ProfileRule[] = [{ id: 1, filters: [], action: 'drop' }]

const channel = (number: number): WantedChannel => ({
  key: `p${number}`,
  number,
  prevention: `p${number}`,
  applications: '',
  older: null,
  rules: everything,
  denied: [],
  isFailOpen: true,
})

describe('inspection', () => {
  let folder = ''
  let inspection: Inspection
  let wanted: readonly WantedChannel[] = []
  let catalogue: Catalogue | null = null
  let tested: CanaryOptions[] = []
  let answer: (options: CanaryOptions) => CanaryResult['found'] = () => 'silent'
  let report: EngineReport | null = null
  let factsCount = 0
  const now = 1_800_000_000_000
  let elapsed = 5_000

  const start = (): Inspection =>
    new Inspection({
      folder: join(folder, 'compiled'),
      keptPath: join(folder, 'kept.json'),
      commandSocket: join(folder, 'none.sock'),
      wanted: (numbers) => wanted.map((one) => ({ ...one, number: numbers[one.key] ?? one.number })),
      catalogue: () => catalogue,
      applications: [],
      room: () => 1_000_000,
      clock: { now: () => new Date(now), elapsed: () => elapsed / 1000 },
      onFacts: () => {
        factsCount++
      },
      onFault: (error) => assert.fail(error as Error),
      isTested: true,
      timings: { debounceMs: 1, hurryMs: 600_000, lookMs: 600_000, staleMs: 500_000 },
      test: async (options) => {
        tested.push(options)
        return { found: answer(options), fault: '' }
      },
      ask: async () => report,
    })
  /** An engine that took all of the rules of the newest file. */
  const takesAll = (): void => {
    report = { ...nothingReported, loaded: rulesText().trimEnd().split('\n').length }
  }

  const rulesText = (): string => {
    const sha256 = inspection.facts()?.rules?.sha256 ?? ''
    return readFileSync(join(folder, 'compiled', `${sha256}.rules`), 'utf8')
  }
  const compiled = (): Promise<void> => until('rules are made', () => inspection.facts()?.rules != null)

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-inspection-'))
    wanted = []
    catalogue = catalogueOf(signature(1), signature(2))
    tested = []
    answer = () => 'silent'
    report = null
    factsCount = 0
    elapsed = 5_000
    inspection = start()
  })
  afterEach(async () => {
    await inspection.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('does nothing while no channel is in use', () => {
    inspection.follow()
    assert.equal(inspection.facts(), null)
    assert.equal(inspection.state().state, 'off')
    assert.equal(factsCount, 0)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('makes the rules of the channels in use, under their hash, for the group of the folder', async () => {
    wanted = [channel(1), channel(2)]
    inspection.follow()
    assert.deepEqual(inspection.facts()?.numbers, { p1: 1, p2: 2 })
    await compiled()
    const { sha256 } = inspection.facts()?.rules ?? { sha256: '' }
    const text = rulesText()
    assert.equal(createHash('sha256').update(text).digest('hex'), sha256)
    assert.match(text, /content:"x2"; sid:2; flowbits:isset,@1\|@2; gid:2;\)/)
    assert.equal(statSync(join(folder, 'compiled', `${sha256}.rules`)).mode & 0o777, 0o640)
    assert.equal(inspection.state().signatures, 2)
  })

  it('waits for the first signatures', async () => {
    catalogue = null
    wanted = [channel(1)]
    inspection.follow()
    assert.equal(inspection.state().state, 'waiting')
    catalogue = catalogueOf(signature(7))
    inspection.follow()
    await compiled()
    assert.match(rulesText(), /sid:7;/)
  })

  it('is active only when every channel was seen to be inspected with the newest rules', async () => {
    wanted = [channel(1), channel(2)]
    answer = ({ port }) => (port === 7101 ? 'inspected' : 'passed')
    inspection.follow()
    await compiled()
    await inspection.look()
    assert.equal(inspection.state().state, 'loading')
    assert.deepEqual(inspection.facts()?.ready, [1])
    assert.deepEqual(
      inspection.state().channels.map(({ number, ready, inForce }) => [number, ready, inForce !== null]),
      [
        [1, true, true],
        [2, false, false],
      ],
    )
    elapsed += 200_000
    assert.match(inspection.state().message, /does not inspect with the newest rules in channels 2\./)
    assert.equal(inspection.state().state, 'failed')
    answer = () => 'inspected'
    await inspection.look()
    assert.deepEqual(inspection.facts()?.ready, [1, 2])
    assert.deepEqual(
      [inspection.state().state, inspection.state().message],
      ['failed', 'The engine does not say which rules it has.'],
    )
    takesAll()
    await inspection.look()
    assert.equal(inspection.state().state, 'active')
    assert.equal(inspection.state().channels[0]?.lastTestAt, now / 1000)
    answer = () => 'silent'
    await inspection.look()
    assert.equal(inspection.state().state, 'failed')
    assert.deepEqual(inspection.facts()?.ready, [1, 2], 'a channel that was inspected stays in the queue')
  })

  for (const found of ['silent', 'passed', 'failed'] as const)
    it(`a channel that blocks leaves the queue while its test is ${found}, and comes back`, async () => {
      wanted = [channel(1), { ...channel(2), isFailOpen: false }]
      answer = () => 'inspected'
      inspection.follow()
      await compiled()
      await inspection.look()
      assert.deepEqual(inspection.facts()?.ready, [1, 2])
      answer = () => found
      const count = factsCount
      await inspection.look()
      assert.deepEqual(inspection.facts()?.ready, [1])
      assert.equal(factsCount, count + 1, 'planning knows')
      assert.equal(inspection.state().channels[1]?.inForce, null)
      await inspection.look()
      assert.deepEqual(inspection.facts()?.ready, [1])
      answer = () => 'inspected'
      await inspection.look()
      assert.deepEqual(inspection.facts()?.ready, [1, 2])
    })

  it('an engine that is busy for a moment is asked once more before a channel is blocked', async () => {
    wanted = [{ ...channel(2), isFailOpen: false }]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    await inspection.look()
    answer = ({ patienceMs }) => (patienceMs === undefined ? 'silent' : 'inspected')
    await inspection.look()
    assert.deepEqual(inspection.facts()?.ready, [2])
  })

  it('fails with the name of a rule that the engine refused, and with rules that it does not have', async () => {
    wanted = [channel(1)]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    takesAll()
    const all = report?.loaded ?? 0
    const failed = [{ sid: 2, name: 'Planted', reason: 'The engine does not take this rule.' }]
    report = { ...nothingReported, loaded: all - 1, refused: 1, failed }
    await inspection.look()
    assert.equal(inspection.state().state, 'failed')
    assert.equal(
      inspection.state().message,
      `The engine refused 1 of ${all} rules, which are not in force. The first is signature 2 (Planted): The engine does not take this rule.`,
    )
    assert.deepEqual([inspection.state().refusedCount, inspection.state().failed], [1, failed])
    report = { ...nothingReported, loaded: all - 1 }
    await inspection.look()
    assert.equal(inspection.state().state, 'loading')
    elapsed += 200_000
    await inspection.look()
    assert.equal(inspection.state().message, `The engine has ${all - 1} rules, and should have ${all}.`)
    report = { ...nothingReported, loaded: all - 1, skipped: 1 }
    await inspection.look()
    assert.equal(inspection.state().state, 'active')
    // It was asked at a bad moment.
    report = null
    await inspection.look()
    assert.equal(inspection.state().state, 'active')
  })

  it('does not believe a test of long ago', async () => {
    wanted = [channel(1)]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    takesAll()
    await inspection.look()
    assert.equal(inspection.state().state, 'active')
    elapsed += 600_000
    assert.equal(inspection.state().state, 'failed')
    assert.equal(inspection.state().channels[0]?.inForce, null)
  })

  it('does not believe a test of an engine before this one, and tests this one at once', async () => {
    wanted = [channel(1), { ...channel(2), isFailOpen: false }]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    takesAll()
    await inspection.look()
    const first: EngineSeen = { heldSince: 4, isChanging: false, blocked: [] }
    assert.equal(inspection.state(first).state, 'active')
    elapsed += 200_000
    const second = { ...first, heldSince: elapsed / 1000 - 1 }
    const [known, count] = [inspection.facts(), tested.length]
    report = null
    const { state, channels } = inspection.state(second)
    assert.equal(state, 'loading')
    assert.deepEqual(
      channels.map(({ inForce }) => inForce),
      [null, null],
    )
    assert.equal(inspection.state(first).state, 'loading', 'an answer that comes late does not bring the old one back')
    await until('it is tested', () => tested.length === count + 2)
    await inspection.idle()
    assert.equal(inspection.state(second).state, 'loading', 'this one has not said which rules it has')
    takesAll()
    await inspection.look()
    assert.equal(inspection.state(second).state, 'active')
    assert.equal(inspection.facts(), known, 'the kernel does the same with packets')
  })

  it('does not believe a test that began with an engine before this one', async () => {
    wanted = [channel(1)]
    const begun = elapsed
    answer = () => {
      elapsed = begun + 2_000
      return 'inspected'
    }
    inspection.follow()
    await compiled()
    takesAll()
    elapsed = begun
    await inspection.look()
    const engine: EngineSeen = { heldSince: (begun + 1_000) / 1000, isChanging: false, blocked: [] }
    assert.equal(inspection.state(engine).state, 'loading')
  })

  it('knows the rules before as long as the engine works with them', async () => {
    wanted = [channel(1)]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    await inspection.look()
    const before = inspection.facts()?.rules?.generation ?? ''
    answer = ({ text }) => (text.endsWith(before) ? 'inspected' : 'passed')
    catalogue = catalogueOf(signature(1), signature(3))
    inspection.follow()
    await until('other rules are made', () => inspection.facts()?.rules?.generation !== before)
    await inspection.look()
    const { state, channels } = inspection.state()
    assert.equal(state, 'loading')
    assert.equal(channels[0]?.inForce, before)
    const kept = readdirSync(join(folder, 'compiled')).length
    assert.equal(kept, 2, 'the rules before stay on the disk until the next ones')
  })

  it('tells planning only what changed', async () => {
    wanted = [channel(1)]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    takesAll()
    await inspection.look()
    const [known, count] = [inspection.facts(), factsCount]
    inspection.follow()
    await inspection.look()
    catalogue = catalogueOf(signature(1), signature(2))
    inspection.follow()
    await until('the same rules are made again', () => inspection.state().state === 'active')
    await inspection.look()
    assert.equal(inspection.facts(), known)
    assert.equal(factsCount, count)
  })

  it('remembers numbers, rules and ready channels over a restart', async () => {
    wanted = [channel(5)]
    answer = () => 'inspected'
    inspection.follow()
    await compiled()
    await inspection.look()
    const known = inspection.facts()
    await inspection.close()
    inspection = start()
    assert.deepEqual(inspection.facts(), known)
    wanted = [{ ...channel(9), key: 'p5' }]
    inspection.follow()
    assert.deepEqual(inspection.facts()?.numbers, { p5: 5 })
  })

  it('forgets the rules with the last channel, and keeps the numbers', async () => {
    wanted = [channel(1)]
    inspection.follow()
    await compiled()
    wanted = []
    inspection.follow()
    assert.deepEqual(inspection.facts(), { numbers: { p1: 1 }, rules: null, ready: [] })
    assert.equal(inspection.state().state, 'off')
  })

  it('begins again with a file that cannot be read', () => {
    for (const text of [
      '',
      '[]',
      '{"numbers":{"a":99,"b":"x"},"rules":{"sha256":"../x","generation":"1"},"ready":[0,"y"]}',
    ]) {
      writeFileSync(join(folder, 'kept.json'), text)
      assert.equal(start().facts(), null)
    }
  })

  it('says that rules could not be made, and keeps those before', async () => {
    wanted = [channel(1)]
    inspection.follow()
    await compiled()
    const before = inspection.facts()?.rules
    await inspection.close()
    const faults: unknown[] = []
    inspection = new Inspection({
      folder: join(folder, 'compiled'),
      keptPath: join(folder, 'kept.json'),
      commandSocket: '',
      isTested: false,
      wanted: () => wanted,
      catalogue: () => catalogue,
      applications: [],
      room: () => 10,
      clock: { now: () => new Date(now), elapsed: () => elapsed / 1000 },
      onFacts: () => {},
      onFault: (error) => faults.push(error),
      timings: { debounceMs: 1 },
    })
    inspection.follow()
    await until('it failed', () => inspection.state().state === 'failed')
    assert.match(String(faults[0]), /more room/)
    assert.deepEqual(inspection.facts()?.rules, before)
  })
})
