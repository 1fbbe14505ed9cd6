// What each operation of the gateway costs, as counts that the speed of a machine does not change.

import { readFileSync } from 'node:fs'
import { median } from '../table.ts'
import type { CountedGateway, Counts } from './gateway.ts'
import type { Found, FoundCounts } from './numbers.ts'
import { type Operation, operations } from './operations.ts'
import { countCalls } from './system-calls.ts'

/** Rounds of the loop in applyd that its processor time is compared with. */
const loopRounds = 100

/** How often each operation is done under strace. */
const tracedRounds = 5

interface Sample {
  readonly gatewayd: Counts
  readonly applyd: Counts
  /**
   * Processor time in answers of the bare server, and in rounds of the loop. Of gatewayd it is that of the main thread: others
   * compile, collect and check passwords, which is meant to be costly.
   */
  readonly answers: number
  readonly loops: number
}

export async function measureOperation(gateway: CountedGateway, operation: Operation): Promise<FoundCounts> {
  for (let count = 0; count < operation.warmUps; count++) {
    await once(gateway, operation)
    await gateway.getBare()
  }
  const samples: Sample[] = []
  for (let round = 0; round < operation.rounds; round++) samples.push(await sampleOf(gateway, operation))
  const middle = (pick: (sample: Sample) => number): number => median(samples.map(pick))
  const least = (pick: (sample: Sample) => number): number => Math.min(...samples.map(pick))
  return {
    // What a gateway does by itself every few seconds falls into some rounds, and only adds to them.
    messages: Math.round(least(({ gatewayd }) => gatewayd.messages)),
    'bytes of messages': Math.round(least(({ gatewayd }) => gatewayd.bytes)),
    'SQL statements': Math.round(least(({ gatewayd }) => gatewayd.statements)),
    'kB allocated by gatewayd': rounded(least(({ gatewayd }) => gatewayd.allocated) / 1000),
    'processor time of gatewayd': rounded(middle(({ answers }) => answers)),
    ...(operation.needsLab
      ? {
          'kB allocated by applyd': rounded(least(({ applyd }) => applyd.allocated) / 1000),
          'processor time of applyd': rounded(middle(({ loops }) => loops)),
        }
      : {}),
  }
}

async function once(gateway: CountedGateway, { run, undo }: Operation): Promise<void> {
  const made = await run(gateway)
  await undo?.(gateway, made)
}

/** What it is compared with is done right before and after it, so that a busy moment hits both. */
async function sampleOf(gateway: CountedGateway, operation: Operation): Promise<Sample> {
  const { gatewayd, applyd } = gateway
  const loop = operation.needsLab ? await applyd.calibrate(loopRounds) : Number.NaN
  const half = operation.bare / 2
  const begun = await gatewayd.ask()
  for (let count = 0; count < half; count++) await gateway.getBare()
  const before = [await gatewayd.ask(), await applyd.ask()] as const
  const made: unknown[] = []
  for (let count = 0; count < operation.each; count++) made.push(await operation.run(gateway))
  const after = [await gatewayd.ask(), await applyd.ask()] as const
  for (let count = 0; count < half; count++) await gateway.getBare()
  const ended = await gatewayd.ask()
  for (const one of made) await operation.undo?.(gateway, one)
  const bare = before[0].mainMicroseconds - begun.mainMicroseconds + ended.mainMicroseconds - after[0].mainMicroseconds
  const own = difference(before[0], after[0], operation.each)
  const theirs = difference(before[1], after[1], operation.each)
  return {
    gatewayd: own,
    applyd: theirs,
    answers: own.mainMicroseconds / (bare / operation.bare),
    loops: theirs.microseconds / loop,
  }
}

function difference(before: Counts, after: Counts, each: number): Counts {
  const of = (name: keyof Counts): number => (after[name] - before[name]) / each
  return {
    modules: of('modules'),
    statements: of('statements'),
    threads: of('threads'),
    messages: of('messages'),
    bytes: of('bytes'),
    microseconds: of('microseconds'),
    mainMicroseconds: of('mainMicroseconds'),
    allocated: of('allocated'),
  }
}

/** Null where strace may not look. */
export async function measureCalls(gateway: CountedGateway, operation: Operation): Promise<FoundCounts | null> {
  const made: unknown[] = []
  const work = async (): Promise<void> => void made.push(await operation.run(gateway))
  const calls = await countCalls(
    gateway.lab.pids(),
    Array.from({ length: tracedRounds }, () => work),
  )
  for (const one of made) await operation.undo?.(gateway, one)
  if (calls === null) return null
  return {
    'system calls of gatewayd': calls.gatewayd,
    ...(operation.needsLab
      ? { 'system calls of applyd': calls.applyd, 'listings of the firewall': calls.listings }
      : {}),
  }
}

/** Of a gateway that has just started on a state that exists. */
export async function measureStart(gateway: CountedGateway): Promise<FoundCounts> {
  const gatewayd = await gateway.gatewayd.ask({ atStart: true })
  const applyd = await gateway.applyd.ask()
  const pids = gateway.lab.pids()
  const unit = await unitOf(gateway)
  return {
    'modules of gatewayd': gatewayd.modules,
    'modules of applyd': applyd.modules,
    'threads of gatewayd': gatewayd.threads,
    'threads of applyd': applyd.threads,
    messages: gatewayd.messages,
    'SQL statements': gatewayd.statements,
    'reads and writes of gatewayd': readsAndWrites(pids.gatewayd),
    'kB allocated by gatewayd': rounded(gatewayd.allocated / 1000),
    'processor time of gatewayd': rounded(gatewayd.mainMicroseconds / unit),
  }
}

/** Microseconds of one answer of the bare server, once the runtime knows it well. */
async function unitOf(gateway: CountedGateway): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < 12; round++) {
    const before = await gateway.gatewayd.ask()
    for (let count = 0; count < 60; count++) await gateway.getBare()
    found.push(((await gateway.gatewayd.ask()).mainMicroseconds - before.mainMicroseconds) / 60)
  }
  return median(found.slice(6))
}

function readsAndWrites(pid: number): number {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8')
  return Number(/^syscr: (\d+)$/m.exec(text)?.[1]) + Number(/^syscw: (\d+)$/m.exec(text)?.[1])
}

/** Three digits are enough to compare. */
const rounded = (value: number): number => Number(value.toPrecision(3))

export interface Measured {
  readonly found: Found
  /** Sentences about what could not be counted here. */
  readonly left: readonly string[]
}

/** All operations but the start. */
export async function measureOperations(gateway: CountedGateway): Promise<Measured> {
  const found: Record<string, FoundCounts> = {}
  const left: string[] = []
  await gateway.settle()
  const here = operations.filter(({ needsLab }) => gateway.hasLab || !needsLab)
  for (const operation of here) found[operation.name] = await measureOperation(gateway, operation)
  for (const operation of here) {
    const calls = await measureCalls(gateway, operation)
    if (calls === null)
      left.push(`System calls of ${operation.name} are not counted: strace is missing or may not attach.`)
    found[operation.name] = { ...found[operation.name], ...calls }
  }
  for (const { name } of operations.filter((operation) => !here.includes(operation)))
    left.push(`${name} is not counted: there are no network namespaces, so the gateway runs without a data plane.`)
  return { found, left }
}
