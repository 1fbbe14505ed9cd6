// A value of the wire as text: in cells that sort and filter, in lists of what changed, in conflicts. Pure.

import { printBytes, printCount, printRate } from '../util/amount.ts'
import { momentOf, printDuration, printMoment, type TimeForm } from '../util/time.ts'
import { msg, t } from '../words.ts'
import type { FieldSpec } from './define.ts'
import { mainSchema, type Schema } from './schema.ts'
import { labelOf, valueWord } from './words.ts'

export const secretMask = '***'

export interface Speaking {
  readonly zone: string
  readonly language: string
  /** The name of an id, where there is one. */
  readonly nameOf: (id: string, kinds: readonly string[]) => string | null
}

export const wordOf = (value: unknown, spec: FieldSpec): string => {
  const own = spec.options?.[String(value)]
  return own === undefined ? t(valueWord(value)) : t(own)
}

export const refersOf = (schema: Schema, spec: FieldSpec): readonly string[] =>
  spec.refers ?? schema['x-refers'] ?? schema.items?.['x-refers'] ?? schema.items?.anyOf?.[0]?.['x-refers'] ?? []

const seconds: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, days: 86_400 }

/** A number with its unit, as people read it. */
export function amountText(value: number, unit: string | undefined, language: string): string {
  if (unit === 'bytes') return printBytes(value, language)
  if (unit === 'megabytes') return printBytes(value * 1_000_000, language)
  if (unit === 'mebibytes') return printBytes(value * 1_048_576, language)
  if (unit === 'bytes_per_second') return printRate(value, language)
  const length = unit === undefined ? undefined : seconds[unit]
  return length === undefined ? printCount(value, language) : printDuration(value * length, language)
}

export function valueText(value: unknown, schema: Schema, spec: FieldSpec, speaking: Speaking): string {
  const { schema: main } = mainSchema(schema)
  if (value === null || value === undefined || value === '') return ''
  if (main['x-secret'] || spec.widget === 'secret') return t('set')
  if (typeof value === 'boolean') return value === (spec.isInverted !== true) ? t('yes') : t('no')
  const form = (main['x-time'] ?? (spec.widget === 'moment' ? 'unix' : undefined)) as TimeForm | undefined
  if (form !== undefined) {
    const unix = momentOf(value, form, speaking.zone)
    return unix === null ? '' : printMoment(unix, speaking.zone, speaking.language)
  }
  const kinds = refersOf(main, spec)
  if (Array.isArray(value)) {
    const items = main.items ?? {}
    return value.map((one) => nameOrText(one, items, { ...spec, refers: kinds }, speaking)).join(', ')
  }
  return nameOrText(value, main, { ...spec, refers: kinds }, speaking)
}

function nameOrText(value: unknown, schema: Schema, spec: FieldSpec, speaking: Speaking): string {
  const kinds = spec.refers ?? []
  if (kinds.length > 0 || spec.choices) return speaking.nameOf(String(value), kinds) ?? String(value)
  const { schema: main } = mainSchema(schema)
  if (main.enum || spec.options) return wordOf(value, spec)
  if (typeof value === 'number') {
    const unit = main['x-unit']
    return unit === undefined ? String(value) : amountText(value, unit, speaking.language)
  }
  if (typeof value === 'object' && value !== null) return objectText(value, main, spec, speaking)
  return String(value)
}

function objectText(value: object, schema: Schema, spec: FieldSpec, speaking: Speaking): string {
  return Object.entries(value)
    .filter(([, inner]) => inner !== '' && inner !== null && !(Array.isArray(inner) && inner.length === 0))
    .map(([name, inner]) => {
      const text = valueText(inner, schema.properties?.[name] ?? {}, spec.fields?.[name] ?? {}, speaking)
      return `${t(labelOf(name))}: ${text}`
    })
    .join('; ')
}

/** The units of the contract in words, for the end of an input. */
export const unitWords: Readonly<Record<string, string>> = {
  microseconds: msg('µs'),
  seconds: msg('seconds'),
  minutes: msg('minutes'),
  days: msg('days'),
  bytes: msg('bytes'),
  megabytes: msg('MB'),
  mebibytes: msg('MiB'),
  packets: msg('packets'),
  bytes_per_second: msg('bytes/s'),
  packets_per_second: msg('packets/s'),
}
