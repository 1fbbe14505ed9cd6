// The filter of a log: conditions on columns and a text. It is in the address as `action=drop,!reject&q=text`, and a person can type it
// as `action=drop source_ip!=10.0.0.1 text`. Pure.

export interface Condition {
  readonly column: string
  readonly value: string
  /** Without lines that have the value. */
  readonly isNot: boolean
}

export interface LogFilter {
  readonly text: string
  readonly conditions: readonly Condition[]
}

export const noFilter: LogFilter = { text: '', conditions: [] }

type Search = Readonly<Record<string, string>>

const escapeValue = (value: string): string => value.replace(/[\\,]/g, '\\$&').replace(/^!/, '\\!')

/** Commas part the values, a backslash takes the meaning of the sign behind it. */
function splitValues(text: string): { readonly value: string; readonly isNot: boolean }[] {
  const values: { value: string; isNot: boolean }[] = []
  let value = ''
  let isNot = false
  let isBegin = true
  const end = (): void => {
    values.push({ value, isNot })
    value = ''
    isNot = false
    isBegin = true
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === ',') {
      end()
      continue
    }
    if (sign === '!' && isBegin) isNot = true
    else if (sign === '\\' && at + 1 < text.length) {
      at += 1
      value += text.charAt(at)
    } else value += sign
    isBegin = false
  }
  end()
  return values
}

export function readFilter(search: Search, columns: readonly string[]): LogFilter {
  const conditions = columns.flatMap((column) => {
    const text = search[column]
    if (text === undefined || text === '') return []
    return splitValues(text).map((read) => ({ column, ...read }))
  })
  return { text: search.q ?? '', conditions: withoutTwins(conditions) }
}

/** For `setSearch`: a column without conditions is removed from the address. */
export function writeFilter(
  { text, conditions }: LogFilter,
  columns: readonly string[],
): Record<string, string | null> {
  const patch: Record<string, string | null> = { q: text === '' ? null : text }
  for (const column of columns) {
    const values = conditions
      .filter((condition) => condition.column === column)
      .map(({ value, isNot }) => (isNot ? `!${value.replace(/[\\,]/g, '\\$&')}` : escapeValue(value)))
    patch[column] = values.length === 0 ? null : values.join(',')
  }
  return patch
}

const isSame = (a: Condition, b: Condition): boolean => a.column === b.column && a.value === b.value

function withoutTwins(conditions: readonly Condition[]): Condition[] {
  return conditions.filter((one, at) => conditions.findIndex((other) => isSame(one, other)) === at)
}

/** A click on a value: only it. The same click again takes the condition away; the other click turns it round. */
export function toggle(filter: LogFilter, condition: Condition): LogFilter {
  const rest = filter.conditions.filter((one) => !isSame(one, condition))
  const isThere = filter.conditions.some((one) => isSame(one, condition) && one.isNot === condition.isNot)
  return { ...filter, conditions: isThere ? rest : [...rest, condition] }
}

export const without = (filter: LogFilter, condition: Condition): LogFilter => ({
  ...filter,
  conditions: filter.conditions.filter((one) => !isSame(one, condition)),
})

/** What was typed: `column=value` and `column!=value` become conditions, everything else stays text. */
export function parseTyped(typed: string, columns: readonly string[]): LogFilter {
  const conditions: Condition[] = []
  const words: string[] = []
  for (const word of typed.trim().split(/\s+/)) {
    const [, column = '', sign = '', value = ''] = /^([a-z_]+)(!?=)(.+)$/.exec(word) ?? []
    if (columns.includes(column)) conditions.push({ column, value, isNot: sign === '!=' })
    else if (word !== '') words.push(word)
  }
  return { text: words.join(' '), conditions: withoutTwins(conditions) }
}

export const join = (a: LogFilter, b: LogFilter): LogFilter => ({
  text: b.text,
  conditions: withoutTwins([...b.conditions, ...a.conditions]),
})

export interface WireFilter {
  items: {
    column_name: string
    operator: 'equals' | 'not_equals' | 'date_range' | 'greater_equal' | 'less'
    value: (string | number)[]
  }[]
}

/** The same as conditions of a query, for logs whose gateway side filters. */
export function wireFilter({ conditions }: LogFilter): WireFilter[] {
  const groups = new Map<string, WireFilter['items'][number]>()
  for (const { column, value, isNot } of conditions) {
    const operator = isNot ? 'not_equals' : 'equals'
    const key = `${operator} ${column}`
    const item = groups.get(key) ?? { column_name: column, operator, value: [] }
    item.value.push(value)
    groups.set(key, item)
  }
  return [...groups.values()].map((item) => ({ items: [item] }))
}
