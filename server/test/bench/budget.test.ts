// What operations of the real gateway cost, held to bench/budget/numbers.json, and slowdowns that are planted to see that they are
// found. One gateway serves all of it.
// Own process: what the bench starts is ended with it.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { CountedGateway } from '../../../bench/budget/gateway.ts'
import { measureCalls, measureOperation, measureStart } from '../../../bench/budget/measure.ts'
import {
  describe as describeExcess,
  type Excess,
  type Found,
  type FoundCounts,
  findExcess,
  findUnknown,
  type Numbers,
  readNumbers,
  startName,
} from '../../../bench/budget/numbers.ts'
import { type Operation, operations } from '../../../bench/budget/operations.ts'
import { countEverything, type Run, reconsider } from '../../../bench/budget/run.ts'
import { unlessComplete } from '../support/requires.ts'

const hasLab = process.env.PORTCULLIS_SKIP_NETNS !== '1'
const skip = hasLab ? false : unlessComplete('without network namespaces applyd has nothing to do')

const rule = 'one firewall rule'

const operationOf = (name: string): Operation => {
  const found = operations.find((operation) => operation.name === name)
  assert.ok(found, `there is no operation ${name}`)
  return found
}

/** What was found as a budget. */
const asNumbers = (found: Found): Numbers =>
  Object.fromEntries(
    Object.entries(found).map(([operation, counts]) => [
      operation,
      Object.fromEntries(Object.entries(counts).map(([count, most]) => [count, { most }])),
    ]),
  )

describe('the budget', () => {
  let run: Run

  before(async () => {
    run = await countEverything(readNumbers(), [join(import.meta.dirname, 'plants.mjs')])
  })

  after(async () => {
    await run.gateway[Symbol.asyncDispose]()
  })

  it('is kept by every operation', (context) => {
    for (const sentence of run.left) context.diagnostic(sentence)
    const numbers = readNumbers()
    const faults = [...findExcess(numbers, run.found).map(describeExcess), ...findUnknown(numbers, run.found)]
    assert.deepEqual(faults, [], faults.join('\n'))
  })

  type Measure = (gateway: CountedGateway, operation: Operation) => Promise<FoundCounts | null>

  /** What is over the budget with a slowdown, where the budget is what was found without it. */
  async function excessWith(plant: string, side: 'gatewayd' | 'applyd', measure: Measure): Promise<readonly Excess[]> {
    // Counts need few rounds, and the gateway is warm.
    const operation = { ...operationOf(rule), warmUps: 0, rounds: 4 }
    await run.gateway[side].ask({ plant })
    try {
      const counts = await measure(run.gateway, operation)
      assert.ok(counts, 'strace is missing or may not attach')
      return findExcess(asNumbers(run.found), { [rule]: counts })
    } finally {
      await run.gateway[side].ask({ plant: '' })
    }
  }

  const sentencesOf = (excess: readonly Excess[]): string => excess.map(describeExcess).join('\n')

  it('finds one more message for each change', { skip }, async () => {
    const sentences = sentencesOf(await excessWith('message', 'gatewayd', measureOperation))
    assert.match(sentences, /one firewall rule: messages: \d+ found, the budget is \d+/)
  })

  it('finds a needless listing of the firewall', { skip }, async () => {
    const sentences = sentencesOf(await excessWith('listing', 'applyd', measureCalls))
    assert.match(sentences, /one firewall rule: listings of the firewall: [1-9]\d* found/)
  })

  it('finds one more SQL statement for each change', { skip }, async () => {
    const sentences = sentencesOf(await excessWith('statement', 'gatewayd', measureOperation))
    assert.match(sentences, /one firewall rule: SQL statements: \d+ found, the budget is \d+/)
  })

  it('finds 60 % more processor time of a GET', async () => {
    const { gateway } = run
    const operation = operationOf('settings GET')
    const measureTime = async (): Promise<Found> => ({
      [operation.name]: await measureOperation(gateway, operation),
    })
    const numbers = asNumbers(await reconsider(gateway, asNumbers(run.found), await measureTime()))
    const began = await gateway.gatewayd.ask()
    const each = 400
    for (let count = 0; count < each; count++) await gateway.get('/firewall/settings')
    const ended = await gateway.gatewayd.ask()
    const microseconds = Math.round((0.6 * (ended.microseconds - began.microseconds)) / each)
    await gateway.gatewayd.ask({ plant: `time ${microseconds}` })
    const found = await reconsider(gateway, numbers, await measureTime())
    await gateway.gatewayd.ask({ plant: '' })
    assert.match(
      sentencesOf(findExcess(numbers, found)),
      /settings GET: processor time of gatewayd: [\d.]+ found, the budget is [\d.]+/,
    )
  })

  it('finds a module that is loaded at the start', { skip }, async () => {
    const { sockets } = run.gateway
    writeFileSync(join(sockets, 'planted.mjs'), 'export const planted = true\n')
    writeFileSync(join(sockets, 'plant-module'), 'gatewayd')
    const numbers = asNumbers({ [startName]: await measureStart(run.gateway) })
    run = { ...run, gateway: await run.gateway.restart() }
    const sentences = sentencesOf(findExcess(numbers, { [startName]: await measureStart(run.gateway) }))
    assert.match(sentences, /start: modules of gatewayd: \d+ found, the budget is \d+/)
  })
})
