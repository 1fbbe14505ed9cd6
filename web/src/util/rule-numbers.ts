// The number of a rule for people: its place in its table, from 1, as the table shows it. The id, which never changes, is for the
// interface; where a rule has no place any more it is written as an id, so that no one takes it for a place
// (docs/decisions/0099-one-number-of-a-rule.md). Pure.

import { t } from '../words.ts'

export const numberedTables = ['forward', 'input', 'dnat', 'snat', 'log'] as const
export type NumberedTable = (typeof numberedTables)[number]

/** The place of a rule; null when there is no such rule, undefined while it is not known. */
export type NumberOf = (table: NumberedTable, id: number | string) => number | null | undefined

export const unknownNumbers: NumberOf = () => undefined

/** `FWD` of the log and `forward` of the interface are the same table. */
export function tableNamed(name: string): NumberedTable | null {
  const short = { fwd: 'forward', inp: 'input', logging: 'log' } as const
  const wanted = name.toLowerCase()
  if (Object.hasOwn(short, wanted)) return short[wanted as keyof typeof short]
  return numberedTables.find((one) => one === wanted) ?? null
}

/** The number alone: "3", "(id 42)", or nothing while it is not known. */
export function sayNumber(number: number | null | undefined, id: number | string): string {
  if (number === undefined) return ''
  return number === null ? `(${t('id {id}', { id })})` : String(number)
}

/** "FORWARD 3". */
export function sayRule(table: string, id: number | string, numberOf: NumberOf): string {
  const known = tableNamed(table)
  if (known === null) return `${table.toUpperCase()} ${id}`
  return `${known.toUpperCase()} ${sayNumber(numberOf(known, id), id)}`.trimEnd()
}

/** In the languages of the console: "FORWARD rule 3" is "Правило FORWARD 3". */
const named = /\b(FORWARD|INPUT|DNAT|SNAT|LOG|Logging)( rule)? (\d+)\b/g
const alone = /((?:\brules?|правил[оа]) )(\d+(?:, \d+)*(?: (?:and|и) \d+)?)\b/gi

/** Sentences of the gateway name rules by their ids. `table`: of a sentence that does not say it. */
export function renumber(text: string, numberOf: NumberOf, table?: string): string {
  const said = text.replace(named, (_, name: string, rule: string | undefined, id: string) => {
    const known = tableNamed(name)
    return `${name}${rule ?? ''} ${known === null ? id : sayNumber(numberOf(known, id), id)}`.trimEnd()
  })
  const own = table === undefined ? null : tableNamed(table)
  if (own === null) return said
  return said.replace(alone, (_, word: string, ids: string) =>
    `${word}${ids.replace(/\d+/g, (id) => sayNumber(numberOf(own, id), id))}`.trimEnd(),
  )
}

/** The tables whose rules are mentioned, in stored objects (`firewall.forward[7]`) or in sentences. */
export function tablesIn(texts: Iterable<string>): readonly NumberedTable[] {
  const found = new Set<NumberedTable>()
  for (const text of texts)
    for (const [, stored = '', said = ''] of text.matchAll(
      /\bfirewall\.(forward|input|dnat|snat|log)\[|\b(FORWARD|INPUT|DNAT|SNAT|LOG|Logging) rule \d/g,
    )) {
      const table = tableNamed(stored || said)
      if (table !== null) found.add(table)
    }
  return [...found]
}

type Listed = readonly { readonly id: number }[]

/** Made once for a list, which many cells ask about. */
const places = new WeakMap<Listed, ReadonlyMap<string, number>>()

function placesIn(rules: Listed): ReadonlyMap<string, number> {
  const known = places.get(rules)
  if (known !== undefined) return known
  const made = new Map(rules.map((rule, at) => [String(rule.id), at + 1]))
  places.set(rules, made)
  return made
}

export const numbersOf =
  (tables: ReadonlyMap<NumberedTable, Listed>): NumberOf =>
  (table, id) => {
    const rules = tables.get(table)
    return rules === undefined ? undefined : (placesIn(rules).get(String(id)) ?? null)
  }
