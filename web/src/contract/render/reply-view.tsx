// What a call answered: labels and values of an object, rows of a list, or the text itself.

import type { Endpoint } from '@gateway/server/contract'
import { type ReactNode, useMemo } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { t } from '../../words.ts'
import type { FieldSpec, Item } from '../define.ts'
import { isItem } from '../draft.ts'
import { type FormField, formFields, mainSchema, type Schema } from '../schema.ts'
import { FieldCell } from './cells.tsx'
import formStyles from './form.module.css'
import { useSpeaking } from './use-speaking.ts'
import { titleOf } from './widget.tsx'

interface ReplyViewProps {
  readonly endpoint: Endpoint
  readonly reply: unknown
  readonly fields?: Readonly<Record<string, FieldSpec>> | undefined
  readonly only?: readonly string[] | undefined
}

/** The schema of an object reply, or of one of its parts. */
const objectFields = (schema: Schema, specs: Readonly<Record<string, FieldSpec>>): FormField[] =>
  formFields(mainSchema(schema).schema, specs)

export function ReplyView({ endpoint, reply, fields: specs = {}, only }: ReplyViewProps): ReactNode {
  const fields = useMemo(() => {
    const all = objectFields((endpoint.reply ?? {}) as Schema, specs)
    return only ? only.flatMap((name) => all.find((field) => field.name === name) ?? []) : all
  }, [endpoint, specs, only])
  if (typeof reply === 'string') return <PlainText text={reply} limit={20_000} isMono />
  if (!isItem(reply)) return <p className={formStyles.hint}>{t('Nothing to show.')}</p>
  return <ObjectView fields={fields} value={reply} />
}

export function ObjectView({
  fields,
  value,
}: {
  readonly fields: readonly FormField[]
  readonly value: Item
}): ReactNode {
  const speaking = useSpeaking(fields)
  return (
    <dl className={formStyles.shown}>
      {fields.map((field) => {
        const own = value[field.name]
        const isInner = field.kind === 'group' && isItem(own)
        return (
          <div key={field.name} style={{ display: 'contents' }}>
            <dt>{titleOf(field)}</dt>
            <dd>
              {isInner ? (
                <ObjectView fields={field.fields} value={own} />
              ) : own === null || own === undefined || own === '' || (Array.isArray(own) && own.length === 0) ? (
                <span className={formStyles.none}>{t('none')}</span>
              ) : field.schema['x-secret'] && typeof own === 'string' && own !== '***' ? (
                <PlainText text={own} isMono limit={2_000} />
              ) : (
                <FieldCell field={field} value={own} speaking={speaking} />
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
