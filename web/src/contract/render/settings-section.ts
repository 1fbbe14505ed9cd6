// One section of a settings page: its fields, the call that changes it and what is sent for it.

import { useMemo } from 'react'
import type { Problem } from '../../api/failure.ts'
import type { Item, Section } from '../define.ts'
import { patchBody, wholeBody } from '../draft.ts'
import { bodyObject, type FormField, formFields, type Schema } from '../schema.ts'

export interface Edited {
  readonly base: Item
  readonly value: Item
}

export const changeOf = ({ endpoints }: Section) => endpoints.update ?? endpoints.replace

/** What is sent for a section: what changed, or the whole for PUT. */
export function bodyOf(section: Section, base: Item, value: Item): Item {
  const endpoint = changeOf(section)
  const schema = (endpoint?.body ?? {}) as Schema
  const isWhole = endpoint?.method === 'PUT' || (bodyObject(schema).required ?? []).length > 0
  return isWhole ? wholeBody(schema, value) : patchBody(schema, base, value)
}

export interface SectionFields {
  /** By section: what can be changed. */
  readonly fields: readonly (readonly FormField[])[]
  /** By section: what is only shown. */
  readonly rest: readonly (readonly FormField[])[]
}

export function useSectionFields(sections: readonly Section[]): SectionFields {
  const fields = useMemo(
    () =>
      sections.map((section) => {
        const endpoint = changeOf(section)
        return formFields((endpoint?.body ?? {}) as Schema, section.fields)
      }),
    [sections],
  )
  const rest = useMemo(
    () =>
      sections.map(({ endpoints: { show }, fields: specs }, at) => {
        const names = new Set(fields[at]?.map(({ name }) => name))
        return formFields((show.reply ?? {}) as Schema, specs).filter(({ name }) => !names.has(name))
      }),
    [sections, fields],
  )
  return { fields, rest }
}

/** Refusals of several calls name the call: `calls[1].body.port` belongs to the second section that changed. */
export function spread(
  found: readonly Problem[],
  changed: readonly number[],
  count: number,
): readonly (readonly Problem[])[] {
  const lists: Problem[][] = Array.from({ length: count }, () => [])
  for (const problem of found) {
    const match = /^calls\[(\d+)\]\.(?:body\.)?(.*)$/.exec(problem.field)
    const at = match ? changed[Number(match[1])] : changed[0]
    lists[at ?? 0]?.push(match ? { ...problem, field: match[2] ?? '' } : problem)
  }
  return lists
}
