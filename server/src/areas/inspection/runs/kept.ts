// What inspection remembers over restarts: the numbers of channels, the rules that were made last, and the channels that the engine
// was seen to inspect. A file that cannot be read is one that is not there: then numbers are given again.

import { readFileSync } from 'node:fs'
import type { InspectionFacts } from '../../../core/plan/facts.ts'
import { writeDurably } from '../../../shared/files/durable-file.ts'

export const nothingKept: InspectionFacts = { numbers: {}, rules: null, ready: [] }

export function readKept(path: string): InspectionFacts {
  try {
    return checked(JSON.parse(readFileSync(path, 'utf8')) as Partial<InspectionFacts> | null)
  } catch {
    return nothingKept
  }
}

export const writeKept = (path: string, kept: InspectionFacts): void => writeDurably(path, `${JSON.stringify(kept)}\n`)

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 63

function checked(found: Partial<InspectionFacts> | null): InspectionFacts {
  const { numbers, rules, ready } = found ?? {}
  const isRules =
    /^[0-9a-f]{64}$/.test(String(rules?.sha256 ?? '')) && /^[0-9a-f]{8}$/.test(String(rules?.generation ?? ''))
  return {
    numbers: Object.fromEntries(Object.entries(numbers ?? {}).filter(([, number]) => isNumber(number))),
    rules: rules && isRules ? { sha256: rules.sha256, generation: rules.generation } : null,
    ready: Array.isArray(ready) ? ready.filter(isNumber) : [],
  }
}

/** The numbers of the channels in use, and those that were used before, as long as no other channel has them. */
export function rememberNumbers(
  known: InspectionFacts['numbers'],
  inUse: Readonly<Record<string, number>>,
): InspectionFacts['numbers'] {
  const taken = new Set(Object.values(inUse))
  const before = Object.entries(known).filter(([key, number]) => key in inUse || !taken.has(number))
  return Object.fromEntries([...Object.entries({ ...Object.fromEntries(before), ...inUse })])
}
