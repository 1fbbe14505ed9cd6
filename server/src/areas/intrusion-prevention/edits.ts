// What can be done to custom signatures and protected networks beyond the declarations of lists.ts: signatures bring their
// sid along, come in files, and must not hide those of rule files; one network remains.

import { GatewayError, invalid, maxProblems, type Problem, refuse } from '../../core/contract/error.ts'
import { plainText } from '../../core/contract/fields.ts'
import { addTo, type ReferencesTo, removeFrom } from '../../core/model/lists.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { weakeningFault } from '../../domain/signatures/refused.ts'
import { parseRule, type Rule } from '../../domain/signatures/rule.ts'
import { readRules } from '../../domain/signatures/rule-file.ts'
import { type SaidText, say } from '../../shared/said.ts'
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

/** A line of a file that cannot be used; a sid of 0 when it could not be read, a line of 0 when it is all of them. */
export interface FileFault {
  readonly line: number
  readonly sid: number
  readonly message: SaidText
}

/** The rules of a file, read step by step so that others get their turn; all of them can be used, or none. */
export class FileReading {
  readonly rules = new Map<string, FileRule>()
  /** Of a file with this many nothing more is read. */
  readonly faults: FileFault[] = []
  readonly #isTaken: IsTaken

  constructor(isTaken: IsTaken) {
    this.#isTaken = isTaken
  }

  *steps(text: string): Generator<void> {
    for (const entry of readRules(text, 'custom')) {
      const fault = 'rule' in entry ? this.#faultOf(entry.rule) : entry.message
      const sid = 'rule' in entry ? entry.rule.signature.sid : 0
      if (fault !== null) this.faults.push({ line: entry.line, sid, message: fault })
      else if ('rule' in entry) this.rules.set(String(sid), entry)
      if (this.faults.length >= mostFaults) return
      yield
    }
    if (this.faults.length === 0 && this.rules.size === 0) throw invalid('body', say`The file has no rules.`)
  }

  #faultOf(rule: Rule): SaidText | null {
    const { sid } = rule.signature
    if (rule.text.length > maxRuleLength) return say`A rule must have at most ${maxRuleLength} characters.`
    if (!isPlain.test(rule.text)) return say`A rule must not contain control characters.`
    if (this.rules.has(String(sid))) return say`The sid ${sid} is used twice in the file.`
    return weakeningFault(rule) ?? sidFault(sid) ?? (this.#isTaken(sid) ? sidTaken(sid) : null)
  }
}

/** Faults are named by the numbers of their lines: the first ones here, all of them by another call. */
export function refuseLines(faults: readonly FileFault[]): void {
  if (faults.length === 0) return
  const problems = faults.slice(0, maxProblems).map(({ line, message }): Problem => {
    return { field: line === 0 ? 'body' : `line ${line}`, message }
  })
  const lines = problems.map(({ field }) => field.replace('line ', '')).join(', ')
  const more = faults.length - problems.length
  const rest = more === 0 ? '' : ` and ${more.toLocaleString('en')} more, which GET /ips/custom_refusals lists`
  throw new GatewayError('invalid', say`These lines of the file are invalid: ${lines}${rest}. Nothing was loaded.`, {
    problems,
  })
}

/** A rule of the file replaces the signature with the same sid. */
export function loadCustom(config: Config, rules: ReadonlyMap<string, FileRule>, isTaken: IsTaken): Config {
  const faults = [...rules.values()].flatMap(
    ({
      line,
      rule: {
        signature: { sid },
      },
    }): FileFault[] => (isTaken(sid) ? [{ line, sid, message: sidTaken(sid) }] : []),
  )
  refuseLines(faults)
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

const mostFaults = 100_000
/** The same limit as for one rule in a body. */
const maxRuleLength = 8196
const isPlain = new RegExp(plainText, 'u')

export function removeNet(config: Config, id: string, referencesTo: ReferencesTo): Config {
  const next = removeFrom(config, netList, id, referencesTo)
  if (verify(next).length > 0) throw new GatewayError('conflict', lastNet)
  return next
}
