// What can be done to custom signatures and protected networks beyond the declarations of lists.ts: signatures bring their
// sid along, come in files, and must not hide those of rule files; one network remains.

import { GatewayError, invalid, type Problem, refuse } from '../../contract/error.ts'
import { plainText } from '../../contract/fields.ts'
import { addTo, type ReferencesTo, removeFrom } from '../../model/lists.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { parseRule, type Rule } from '../../signatures/rule.ts'
import { readRules } from '../../signatures/rule-file.ts'
import { custom } from './config.ts'
import type { CustomFields } from './contract-signatures.ts'
import { customList, netList, sidFault, sidTaken } from './lists.ts'
import { lastNet, verify } from './verify.ts'

/** Knows the signatures that are not configuration. */
export type IsTaken = (sid: number) => boolean

export function addCustom(config: Config, fields: CustomFields, isTaken: IsTaken): readonly [Config, string] {
  const result = parseRule(fields.rule, 'custom')
  if ('fault' in result) throw invalid('rule', result.fault)
  const { sid } = result.rule.signature
  const id = String(sid)
  const next = addTo(config, customList, id, fields)
  if (isTaken(sid)) refuse([{ field: 'rule', message: sidTaken(sid) }], 'conflict')
  return [next, id]
}

const maxProblems = 100

/** All rules of a file or none. Faults are named by the number of their line. */
export function loadCustom(config: Config, text: string, isTaken: IsTaken): readonly [Config, number] {
  const rules = new Map<string, Rule>()
  const problems: Problem[] = []
  for (const entry of readRules(text, 'custom')) {
    const fault = 'rule' in entry ? ruleFault(entry.rule, rules, isTaken) : entry.message
    if (fault !== null) problems.push({ field: `line ${entry.line}`, message: fault })
    else if ('rule' in entry) rules.set(String(entry.rule.signature.sid), entry.rule)
    if (problems.length >= maxProblems) break
  }
  if (problems.length > 0) {
    const lines = problems.map(({ field }) => field.slice('line '.length)).join(', ')
    throw new GatewayError('invalid', `These lines of the file are invalid: ${lines}. Nothing was loaded.`, {
      problems,
    })
  }
  if (rules.size === 0) throw invalid('body', 'The file has no rules.')
  const kept = read(config, custom).map((one) => {
    const rule = rules.get(one.id)
    return rule && rule.text !== one.rule ? { ...one, rule: rule.text } : one
  })
  const known = new Set(kept.map(({ id }) => id))
  const added = [...rules].filter(([id]) => !known.has(id)).map(([id, rule]) => ({ id, comment: '', rule: rule.text }))
  return [write(config, custom, [...kept, ...added]), rules.size]
}

function ruleFault(rule: Rule, before: ReadonlyMap<string, Rule>, isTaken: IsTaken): string | null {
  const { sid } = rule.signature
  if (rule.text.length > maxRuleLength) return `A rule must have at most ${maxRuleLength} characters.`
  if (!isPlain.test(rule.text)) return 'A rule must not contain control characters.'
  if (before.has(String(sid))) return `The sid ${sid} is used twice in the file.`
  return sidFault(sid) ?? (isTaken(sid) ? sidTaken(sid) : null)
}

/** The same limit as for one rule in a body. */
const maxRuleLength = 8196
const isPlain = new RegExp(plainText, 'u')

export function removeNet(config: Config, id: string, referencesTo: ReferencesTo): Config {
  const next = removeFrom(config, netList, id, referencesTo)
  if (verify(next).length > 0) throw new GatewayError('conflict', lastNet)
  return next
}
