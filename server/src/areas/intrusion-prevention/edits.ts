// What can be done to custom signatures and protected networks beyond the declarations of lists.ts: signatures bring their
// sid along, come in files, and must not hide those of rule files; one network remains.

import { GatewayError, invalid, maxProblems, type Problem, refuse } from '../../contract/error.ts'
import { plainText } from '../../contract/fields.ts'
import { addTo, type ReferencesTo, removeFrom } from '../../model/lists.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { weakeningFault } from '../../signatures/refused.ts'
import { parseRule, type Rule } from '../../signatures/rule.ts'
import { readRules } from '../../signatures/rule-file.ts'
import { custom } from './config.ts'
import type { CustomFields } from './contract-signatures.ts'
import { customList, netList, sidFault, sidTaken, signatureProblems } from './lists.ts'
import { lastNet, verify } from './verify.ts'

/** Knows the signatures that are not configuration. */
export type IsTaken = (sid: number) => boolean

export function addCustom(config: Config, fields: CustomFields, isTaken: IsTaken): readonly [Config, string] {
  const result = parseRule(fields.rule, 'custom')
  if ('fault' in result) throw invalid('rule', result.fault)
  const { sid } = result.rule.signature
  requireUsable(fields.rule, String(sid))
  const id = String(sid)
  const next = addTo(config, customList, id, fields)
  if (isTaken(sid)) refuse([{ field: 'rule', message: sidTaken(sid) }], 'conflict')
  return [next, id]
}

/** What our own reading says of the new text of a signature. */
export function requireUsable(rule: string, id: string): void {
  const problems = signatureProblems({ id, comment: '', rule })
  const fault = problems[0]?.message ?? weakeningFault(rule)
  if (fault !== null) refuse([{ field: 'rule', message: fault }])
}

/** A rule of a file, and its line. */
export interface FileRule {
  readonly line: number
  readonly rule: Rule
}

/** The rules of a file, read step by step so that others get their turn; all of them can be used, or none. */
export class FileReading {
  readonly rules = new Map<string, FileRule>()
  readonly #isTaken: IsTaken

  constructor(isTaken: IsTaken) {
    this.#isTaken = isTaken
  }

  *steps(text: string): Generator<void> {
    const problems: Problem[] = []
    for (const entry of readRules(text, 'custom')) {
      const fault = 'rule' in entry ? this.#faultOf(entry.rule) : entry.message
      if (fault !== null) problems.push({ field: `line ${entry.line}`, message: fault })
      else if ('rule' in entry) this.rules.set(String(entry.rule.signature.sid), entry)
      if (problems.length >= maxProblems) break
      yield
    }
    refuseLines(problems)
    if (this.rules.size === 0) throw invalid('body', 'The file has no rules.')
  }

  #faultOf(rule: Rule): string | null {
    const { sid } = rule.signature
    if (rule.text.length > maxRuleLength) return `A rule must have at most ${maxRuleLength} characters.`
    if (!isPlain.test(rule.text)) return 'A rule must not contain control characters.'
    if (this.rules.has(String(sid))) return `The sid ${sid} is used twice in the file.`
    return weakeningFault(rule) ?? sidFault(sid) ?? (this.#isTaken(sid) ? sidTaken(sid) : null)
  }
}

/** Faults are named by the numbers of their lines. */
export function refuseLines(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const shown = problems.slice(0, maxProblems)
  const lines = shown.map(({ field }) => field.replace('line ', '')).join(', ')
  throw new GatewayError('invalid', `These lines of the file are invalid: ${lines}. Nothing was loaded.`, {
    problems: shown,
  })
}

/** A rule of the file replaces the signature with the same sid. */
export function loadCustom(config: Config, rules: ReadonlyMap<string, FileRule>, isTaken: IsTaken): Config {
  const problems = [...rules.values()].flatMap(({ line, rule: { signature } }): Problem[] =>
    isTaken(signature.sid) ? [{ field: `line ${line}`, message: sidTaken(signature.sid) }] : [],
  )
  refuseLines(problems)
  const kept = read(config, custom).map((one) => {
    const found = rules.get(one.id)
    return found && found.rule.text !== one.rule ? { ...one, rule: found.rule.text } : one
  })
  const known = new Set(kept.map(({ id }) => id))
  const added = [...rules]
    .filter(([id]) => !known.has(id))
    .map(([id, { rule }]) => ({ id, comment: '', rule: rule.text }))
  return write(config, custom, [...kept, ...added])
}

/** The same limit as for one rule in a body. */
const maxRuleLength = 8196
const isPlain = new RegExp(plainText, 'u')

export function removeNet(config: Config, id: string, referencesTo: ReferencesTo): Config {
  const next = removeFrom(config, netList, id, referencesTo)
  if (verify(next).length > 0) throw new GatewayError('conflict', lastNet)
  return next
}
