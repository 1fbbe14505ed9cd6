// A file of rules: one rule a line, `#` before comments and rules that are switched off, a backslash before a line break.

import { type SaidText, say } from '../../shared/said.ts'
import { parseRule, type Rule, type Source } from './rule.ts'

export interface LineFault {
  /** From 1; of a rule over several lines the first. */
  readonly line: number
  readonly message: SaidText
}

export interface RuleLine {
  readonly line: number
  readonly rule: Rule
}

/** Every rule and every fault in order, so that a reader of long files can pause between them. */
export function* readRules(text: string, source: Source): Generator<RuleLine | LineFault> {
  let pending = ''
  let first = 0
  let number = 0
  for (const line of linesOf(text)) {
    number++
    if (pending === '') first = number
    if (line.endsWith('\\') && !line.startsWith('#')) {
      pending += `${line.slice(0, -1)} `
      continue
    }
    const whole = pending + line
    pending = ''
    if (whole === '' || whole.startsWith('#')) continue
    const parsed = parseRule(whole, source)
    yield 'fault' in parsed ? { line: first, message: parsed.fault } : { line: first, rule: parsed.rule }
  }
  if (pending !== '') yield { line: first, message: say`The file ends inside a rule.` }
}

/** One after the other: a whole rule set at once would take long, and the memory of it twice. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    yield text.slice(from, end < 0 ? text.length : end).trim()
    if (end < 0) return
    from = end + 1
  }
}
