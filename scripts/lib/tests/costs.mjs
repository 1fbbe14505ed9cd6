// What the files of a run cost, beside what they may: a suite that takes too long is not run. Numbers are seconds of processor
// time on the reference machine (cost.mjs), by day; at night sizes are larger, and only the sum is shown.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayBudgets } from './budgets.mjs'

const unitSeconds = 5
const wireSeconds = 20
const shown = 15
/** What the same file may take on one run more than on another. */
const tolerance = 2

/** Files with what they cost, the dearest first. */
export function readCosts(folder) {
  const path = join(folder, 'costs.jsonl')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n').filter(Boolean)
  const costs = lines.map((line) => JSON.parse(line))
  const slowness = middleOf(costs.map((cost) => cost.slowness))
  return costs
    .map(({ file, cpuMs, slowness: own }) => {
      const spent = cpuMs / 1000
      return { file, spent, seconds: spent / slowness, least: spent / Math.max(slowness, own) }
    })
    .sort((one, other) => other.seconds - one.seconds)
}

/**
 * One file says little: two threads of a core slow each other down by half, from one moment to the next. So a file is over its
 * budget only by the speed of the whole run and by its own: beside other work some files find the machine slower than the rest do.
 */
const middleOf = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]

export const budgetOf = (file) => dayBudgets[file]?.seconds ?? (file.endsWith('.e2e.ts') ? wireSeconds : unitSeconds)

export function describeCosts(costs, { isNightly }) {
  const overBudget = isNightly ? [] : costs.filter(({ file, least }) => least > budgetOf(file) * tolerance)
  const sum = (key) => costs.reduce((total, cost) => total + cost[key], 0)
  const lines = [
    '',
    `${costs.length} files took ${sum('spent').toFixed(0)} s of processor time, ${sum('seconds').toFixed(0)} s on the reference machine. Most:`,
    ...costs.slice(0, shown).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`),
    ...overBudget.map(
      ({ file, seconds }) =>
        `Over its budget: ${file} took ${seconds.toFixed(1)} s of processor time and may take ${budgetOf(file)} s.`,
    ),
    '',
  ]
  return { text: lines.join('\n'), overBudget }
}
