// The zone, the language and the names that values are shown with.

import { useMemo } from 'react'
import { useGatewayZone } from '../../ui/zone.ts'
import { useLanguage } from '../../words.ts'
import type { Choices } from '../define.ts'
import type { FormField } from '../schema.ts'
import { refersOf, type Speaking } from '../values.ts'
import { type Names, useNames } from './use-names.ts'

/** Every kind that the fields refer to, at any depth. */
export const kindsOf = (fields: readonly FormField[]): string[] => [
  ...new Set(
    fields.flatMap((field) => [
      ...refersOf(field.schema, field.spec),
      ...kindsOf(field.fields),
      ...field.forms.flatMap((form) => kindsOf(form)),
    ]),
  ),
]

export const choicesIn = (fields: readonly FormField[]): Choices[] =>
  fields.flatMap(({ spec, fields: inner, forms }) => [
    ...(spec.choices ? [spec.choices] : []),
    ...choicesIn(inner),
    ...forms.flatMap((form) => choicesIn(form)),
  ])

export function useSpeaking(fields: readonly FormField[]): Speaking & { readonly names: Names } {
  const language = useLanguage()
  const zone = useGatewayZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const names = useNames(kindsOf(fields), choicesIn(fields))
  return useMemo(() => ({ language, zone, names, nameOf: names.nameOf }), [language, zone, names])
}
