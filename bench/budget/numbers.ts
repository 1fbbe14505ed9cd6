// The budget: the most that an operation may cost, in numbers.json. A number may only fall, unless a reason is given, which is kept
// beside it.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from './operations.ts'

export type FoundCounts = Readonly<Record<string, number>>
/** By the name of an operation. */
export type Found = Readonly<Record<string, FoundCounts>>

export interface Raised {
  readonly from: number
  readonly reason: string
  readonly date: string
}

export interface Budgeted {
  readonly most: number
  /** Of the last time that it was raised. */
  readonly raised?: Raised
}

export type Numbers = Readonly<Record<string, Readonly<Record<string, Budgeted>>>>

export const numbersPath = join(import.meta.dirname, 'numbers.json')
export const startName = 'start'

/** By how much of itself a number may be exceeded, because it is not exact. Those that are not named are. */
const tolerances: Readonly<Record<string, number>> = {
  'bytes of messages': 0.05,
  'system calls of gatewayd': 0.25,
  'system calls of applyd': 0.25,
  'reads and writes of gatewayd': 0.25,
  'kB allocated by gatewayd': 0.25,
  'kB allocated by applyd': 0.25,
  'processor time of gatewayd': 0.3,
  'processor time of applyd': 0.5,
}

/** While something is done for the first times, the runtime still compiles it. */
const coldTolerance = 0.5

/** What begins at a start goes on beside it, and may come a moment sooner. */
const startTolerances: Readonly<Record<string, number>> = { messages: 0.5, 'SQL statements': 0.5 }

const isRuntimes = (count: string): boolean => /^(kB allocated|processor time)/.test(count)

export function toleranceOf(operation: string, count: string): number {
  const atStart = operation === startName ? startTolerances[count] : undefined
  const isCold = isRuntimes(count) && !operations.some(({ name, isHot }) => name === operation && isHot)
  return atStart ?? (isCold ? coldTolerance : (tolerances[count] ?? 0))
}

/** A long answer may be written in one call or in two, and the runtime allocates its own things in pieces. */
const slackOf = (count: string): number =>
  count.startsWith('system calls') ? 1 : count.startsWith('kB allocated') ? 10 : 0

const isOver = (operation: string, count: string, found: number, most: number): boolean =>
  found > most * (1 + toleranceOf(operation, count)) + slackOf(count)

export interface Excess {
  readonly operation: string
  readonly count: string
  readonly most: number
  readonly found: number
}

/** What costs more than it may. A count without a budget is not judged here; see findUnknown. */
export function findExcess(numbers: Numbers, found: Found): readonly Excess[] {
  return Object.entries(found).flatMap(([operation, counts]) =>
    Object.entries(counts).flatMap(([count, value]) => {
      const most = numbers[operation]?.[count]?.most
      const excess = most !== undefined && isOver(operation, count, value, most)
      return excess ? [{ operation, count, most, found: value }] : []
    }),
  )
}

/** Counts that the file does not have. */
export const findUnknown = (numbers: Numbers, found: Found): readonly string[] =>
  Object.entries(found).flatMap(([operation, counts]) =>
    Object.keys(counts)
      .filter((count) => numbers[operation]?.[count] === undefined)
      .map((count) => `${operation}: ${count} has no budget. Run: npm run budget -- --write`),
  )

export function describe({ operation, count, most, found }: Excess): string {
  const tolerance = toleranceOf(operation, count)
  const allowed = tolerance === 0 ? '' : ` (and ${Math.round(tolerance * 100)} % of tolerance)`
  return `${operation}: ${count}: ${found} found, the budget is ${most}${allowed}. Find what the last changes added ("Budgets" in docs/performance.md). If it has to cost that: npm run budget -- --write --reason "why"`
}

/** A lower number counts as one only beyond the noise; otherwise each run would lower it a little, down to luck. */
const isLower = (operation: string, count: string, found: number, most: number): boolean =>
  found < most * (1 - toleranceOf(operation, count) / 2)

/**
 * The numbers after a run: lower ones are taken over, higher ones only with a reason. What was not counted on this machine
 * stays; operations and counts that are no longer known go.
 */
export function updateNumbers(
  numbers: Numbers,
  found: Found,
  { reason, date }: { readonly reason: string | null; readonly date: string },
): Numbers {
  const known = new Set([...operations.map(({ name }) => name), startName])
  const excess = findExcess(numbers, found)
  const next = (operation: string, count: string, value: number): Budgeted => {
    const old = numbers[operation]?.[count]
    if (old === undefined) return { most: value }
    const isExcess = excess.some((one) => one.operation === operation && one.count === count)
    if (isExcess) return reason === null ? old : { most: value, raised: { from: old.most, reason, date } }
    return isLower(operation, count, value, old.most) ? { ...old, most: value } : old
  }
  const all = [...new Set([...Object.keys(numbers), ...Object.keys(found)])].filter((name) => known.has(name))
  return Object.fromEntries(
    all.map((operation) => {
      const counts = Object.entries(found[operation] ?? {})
      const updated = Object.fromEntries(counts.map(([count, value]) => [count, next(operation, count, value)]))
      return [operation, { ...numbers[operation], ...updated }]
    }),
  )
}

/** Numbers that are higher than in an earlier version of the file, without a reason that is newer than it. */
export function findRaised(earlier: Numbers, numbers: Numbers): readonly string[] {
  return Object.entries(numbers).flatMap(([operation, counts]) =>
    Object.entries(counts).flatMap(([count, { most, raised }]) => {
      const before = earlier[operation]?.[count]
      if (before === undefined || most <= before.most) return []
      const isNewReason = raised !== undefined && JSON.stringify(raised) !== JSON.stringify(before.raised)
      if (isNewReason && raised.reason.trim() !== '') return []
      return [
        `${operation}: ${count}: ${most} is more than ${before.most} before. Give a reason: npm run budget -- --write --reason "why"`,
      ]
    }),
  )
}

export function parseNumbers(text: string): Numbers {
  try {
    return JSON.parse(text) as Numbers
  } catch (error) {
    throw new Error(
      `bench/budget/numbers.json cannot be read (${(error as Error).message}). After a merge, take the file of either side and run: npm run budget -- --write`,
    )
  }
}

export const readNumbers = (): Numbers => parseNumbers(readFileSync(numbersPath, 'utf8'))

/** One line for each number, so that a change of one is a change of one line. */
export function printNumbers(numbers: Numbers): string {
  const blocks = Object.entries(numbers).map(([operation, counts]) => {
    const lines = Object.entries(counts).map(([count, value]) => `    ${JSON.stringify(count)}: ${printLine(value)}`)
    return `  ${JSON.stringify(operation)}: {\n${lines.join(',\n')}\n  }`
  })
  return `{\n${blocks.join(',\n')}\n}\n`
}

const printLine = (value: object): string => JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ')

export const writeNumbers = (numbers: Numbers): void => writeFileSync(numbersPath, printNumbers(numbers))
