// What can be done to custom signatures and protected networks. A custom signature is stored as its text, under its sid.

import { GatewayError, invalid, type Problem, refuse } from '../../contract/error.ts'
import { plainText } from '../../contract/fields.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { type Config, type Item, read, write } from '../../model/slots.ts'
import { parseNetwork, printSpan } from '../../net/ipv4.ts'
import { parseRule, type Rule } from '../../signatures/rule.ts'
import { readRules } from '../../signatures/rule-file.ts'
import { custom, nets } from './config.ts'
import { type CustomFields, maxCustomSid } from './contract-signatures.ts'

const item = 'custom signature'

export type IsTaken = (sid: number) => boolean

type StoredCustom = CustomFields & Item & { readonly id: string }

const parsed = new WeakMap<StoredCustom, Rule | null>()

/** Stored rules as data; one that a later release cannot read any more is left out. */
export const customRules = (stored: readonly StoredCustom[]): { stored: StoredCustom; rule: Rule }[] =>
  stored.flatMap((one) => {
    let rule = parsed.get(one)
    if (rule === undefined) {
      const result = parseRule(one.rule, 'custom')
      rule = 'rule' in result ? result.rule : null
      parsed.set(one, rule)
    }
    return rule ? [{ stored: one, rule }] : []
  })

const sidFault = (sid: number): string | null =>
  sid > maxCustomSid ? `The sid of a custom signature must be from 1 to ${maxCustomSid}.` : null

function requireRule(text: string): Rule {
  const result = parseRule(text, 'custom')
  if ('fault' in result) throw invalid('rule', result.fault)
  const fault = sidFault(result.rule.signature.sid)
  if (fault !== null) throw invalid('rule', fault)
  return result.rule
}

/** `isTaken` knows the signatures that are not configuration. */
export function addCustom(config: Config, fields: CustomFields, isTaken: IsTaken): readonly [Config, string] {
  const { sid } = requireRule(fields.rule).signature
  const id = String(sid)
  if (isTaken(sid) || read(config, custom).some((one) => one.id === id)) {
    refuse([{ field: 'rule', message: `There is already a signature with the sid ${sid}.` }], 'conflict')
  }
  return [addItem(config, custom, { id, ...fields }), id]
}

export function updateCustom(config: Config, id: string, patch: Partial<CustomFields>): Config {
  const current = requireItem(config, custom, id, item)
  const next = { ...current, ...patch }
  if (String(requireRule(next.rule).signature.sid) !== current.id) {
    throw invalid('rule', `The sid must stay ${current.id}; add a new signature to use another one.`)
  }
  return updateItem(config, custom, next)
}

export const removeCustom = (config: Config, id: string): Config => removeItem(config, custom, id, item)

const maxProblems = 100

/** All rules of a file or none; what is wrong is named by the number of its line. */
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
    throw new GatewayError('invalid', `The file has faults in these lines: ${lines}.`, { problems })
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
  if (before.has(String(sid))) return `The sid ${sid} stands twice in the file.`
  return sidFault(sid) ?? (isTaken(sid) ? `There is already a signature with the sid ${sid}.` : null)
}

/** As long as one rule may be in a body. */
const maxRuleLength = 8196
const isPlain = new RegExp(plainText, 'u')

export function addNet(config: Config, id: string, address: string): Config {
  const network = parseNetwork(address)
  if (!network) throw invalid('address', 'Must be an IPv4 network such as 192.168.0.0/16.')
  if (network.address !== network.low) {
    throw invalid('address', `Has bits behind its prefix; did you mean ${printSpan(network.low, network.high)}?`)
  }
  if (read(config, nets).some((net) => net.address === address)) {
    refuse([{ field: 'address', message: `The network ${address} is already protected.` }], 'conflict')
  }
  return addItem(config, nets, { id, address })
}

/** Without any network no rule would know what to protect. */
export function removeNet(config: Config, id: string): Config {
  const next = removeItem(config, nets, id, 'protected network')
  if (read(next, nets).length === 0) throw new GatewayError('conflict', 'At least one protected network must stay.')
  return next
}
