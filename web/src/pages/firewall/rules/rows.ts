// Rules as rows of the table: true position, texts of the cells, and one text to search in. Made once for a list, because ten
// thousand of them are filtered at every key. Pure.

import { literalOf, type ObjectIndex, titleOf } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { actionWords, protocolWords, type Rule } from './tables.ts'

export interface RuleRow {
  readonly key: string
  readonly rule: Rule
  /** From 1, in the whole table, whatever is filtered. */
  readonly position: number
  /** Of all cells, in lower case. */
  readonly text: string
}

/** The row of a rule that did not change is the same object, so that its cells are not drawn once more. */
export function createRowMaker(): (rules: readonly Rule[], index: ObjectIndex) => readonly RuleRow[] {
  let known = new WeakMap<Rule, RuleRow>()
  let lastIndex: ObjectIndex | null = null
  return (rules, index) => {
    if (lastIndex !== index) known = new WeakMap()
    lastIndex = index
    const texts = new Map<string, string>()
    return rules.map((rule, at) => {
      const before = known.get(rule)
      if (before?.position === at + 1) return before
      const row = { key: String(rule.id), rule, position: at + 1, text: before?.text ?? textOf(rule, index, texts) }
      known.set(rule, row)
      return row
    })
  }
}

const namesOf = (ids: readonly string[], index: ObjectIndex, known: Map<string, string>): string =>
  ids
    .map((id) => {
      const before = known.get(id)
      if (before !== undefined) return before
      const object = index.byId.get(id)
      const text = object ? `${object.title} ${literalOf(object)} ${id}` : id
      known.set(id, text)
      return text
    })
    .join(' ')

function textOf(rule: Rule, index: ObjectIndex, known: Map<string, string>): string {
  const parts = [
    namesOf(rule.source_addresses, index, known),
    namesOf(rule.destination_addresses, index, known),
    namesOf(rule.source_ports, index, known),
    namesOf(rule.destination_ports, index, known),
    namesOf(rule.timetable, index, known),
    protocolWords[rule.protocol] ?? rule.protocol,
    actionText(rule.action),
    rule.action,
    rule.comment,
    rule.incoming_interface ? titleOf(index, rule.incoming_interface) : '',
    rule.outgoing_interface ? titleOf(index, rule.outgoing_interface) : '',
    targetOf(rule, index),
  ]
  return parts.join('\n').toLowerCase()
}

export const actionText = (action: string): string => t(actionWords[action] ?? action)

export const protocolText = (protocol: string): string => t(protocolWords[protocol] ?? protocol)

/** `-> 10.0.0.7:8080` of a translation; '' where nothing is translated. */
export function targetOf(rule: Rule, index: ObjectIndex): string {
  const address = rule.change_destination_address ?? rule.change_source_address ?? null
  const port = rule.change_destination_port ?? null
  const name = (text: string): string => titleOf(index, text)
  if (address === null && port === null) return ''
  return `${address === null ? '' : name(address)}${port === null ? '' : `:${name(port)}`}`
}

/** `tcp https, 8080`, `icmp`, `any`. */
export function serviceText(rule: Rule, index: ObjectIndex): string {
  const ports = isAny(rule.destination_ports) ? '' : rule.destination_ports.map((id) => titleOf(index, id)).join(', ')
  const protocol = protocolText(rule.protocol)
  return ports === '' ? protocol : `${protocol} ${ports}`
}

export const isAny = (ids: readonly string[]): boolean => ids.length === 0 || (ids.length === 1 && ids[0] === 'any')

const listText = (ids: readonly string[], isNegated: boolean, index: ObjectIndex): string => {
  if (isAny(ids)) return t('any')
  const names = ids.slice(0, 3).map((id) => titleOf(index, id))
  const rest = ids.length - names.length
  const all = rest > 0 ? t('{names} and {rest} more', { names: names.join(', '), rest }) : names.join(', ')
  return isNegated ? t('all but {names}', { names: all }) : all
}

export const sourceText = (rule: Rule, index: ObjectIndex): string =>
  listText(rule.source_addresses, rule.source_addresses_negate, index)

export const destinationText = (rule: Rule, index: ObjectIndex): string =>
  listText(rule.destination_addresses, rule.destination_addresses_negate, index)

/** A rule in one sentence, for screen readers, the tracer and dialogs. */
export function ruleSentence(rule: Rule, index: ObjectIndex): string {
  const sentence = t('{action}: {service} from {source} to {destination}', {
    action: actionText(rule.action),
    service: serviceText(rule, index),
    source: sourceText(rule, index),
    destination: destinationText(rule, index),
  })
  const target = targetOf(rule, index)
  const translated = target === '' ? sentence : t('{sentence}, becomes {target}', { sentence, target })
  const timed = isAny(rule.timetable)
    ? translated
    : t('{sentence}, only in {times}', {
        sentence: translated,
        times: rule.timetable.map((id) => titleOf(index, id)).join(', '),
      })
  return rule.enabled ? timed : t('{sentence} (off)', { sentence: timed })
}
