// The period of a report, as its address has it, and values of a log in an address. Pure.

import { msg } from '../words.ts'

export const periods = ['-1d', '-7d', '-30d'] as const
export type Period = (typeof periods)[number]

export const periodSeconds: Readonly<Record<Period, number>> = { '-1d': 86_400, '-7d': 604_800, '-30d': 2_592_000 }

export const periodTitles: Readonly<Record<Period, string>> = {
  '-1d': msg('Last day'),
  '-7d': msg('Last 7 days'),
  '-30d': msg('Last 30 days'),
}

/** What the address does not say or says wrongly is the last day. */
export const readPeriod = (search: Readonly<Record<string, string>>): Period =>
  periods.find((period) => period === search.from) ?? '-1d'

/** Commas part values in the address of a log, and a sign before a value turns it round. */
export const searchedValue = (value: string): string => value.replace(/[\\,]/g, '\\$&').replace(/^!/, '\\!')
