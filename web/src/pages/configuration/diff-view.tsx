// What a revision changed, by object and field in the words of the forms.

import { listAll } from '@gateway/server/contract/objects'
import type { ObjectChange } from '@gateway/server/shared/dry-run'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { useSession } from '../../api/session.ts'
import { labelOf } from '../../contract/words.ts'
import { Chip } from '../../ui/chip.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { tablesIn } from '../../util/rule-numbers.ts'
import { pathOfObject, titleOfObject, wordOfValue } from '../../util/stored-objects.ts'
import { msg, t } from '../../words.ts'
import styles from './configuration.module.css'

export type { ObjectChange }

type FieldChange = ObjectChange['fields'][number]

const actions = {
  added: { word: msg('added'), tone: 'ok' },
  changed: { word: msg('changed'), tone: 'accent' },
  moved: { word: msg('moved'), tone: 'plain' },
  removed: { word: msg('removed'), tone: 'bad' },
} as const

/** Titles of objects by their ids; the id itself where there is none. */
function useObjectNames(): (id: string) => string {
  const { may } = useSession()
  const { data } = useRead(listAll, { isEnabled: may('view') })
  return useMemo(() => {
    const titles = new Map(data?.data.map(({ id, title }) => [id, title]))
    return (id: string) => titles.get(id) ?? id
  }, [data])
}

export function DiffView({ changes }: { readonly changes: readonly ObjectChange[] }): ReactNode {
  const nameOf = useObjectNames()
  const numberOf = useRuleNumbers(tablesIn(changes.map(({ object }) => object)))
  return (
    <div className={styles.changes}>
      {changes.map(({ object, action, fields }) => {
        const path = action === 'removed' ? null : pathOfObject(object)
        const title = titleOfObject(object, fields, numberOf)
        const { word, tone } = actions[action]
        return (
          <section key={object} className={styles.object} aria-label={title}>
            <h3 className={styles.objectHead}>
              {path === null ? <PlainText text={title} /> : <Link to={path}>{title}</Link>}
              <Chip tone={tone}>{t(word)}</Chip>
            </h3>
            {fields.length === 0 ? null : (
              <table className={styles.fields}>
                <tbody>
                  {fields
                    .filter(({ field }) => field !== 'id')
                    .map((field) => (
                      <FieldRow key={field.field} change={field} action={action} nameOf={nameOf} />
                    ))}
                </tbody>
              </table>
            )}
          </section>
        )
      })}
    </div>
  )
}

interface FieldRowProps {
  readonly change: FieldChange
  readonly action: ObjectChange['action']
  readonly nameOf: (id: string) => string
}

/** Of two lists only what is out and what is in: long lists differ in few entries. */
function listDifference({ before, after }: FieldChange): { readonly out: unknown[]; readonly in: unknown[] } | null {
  if (!Array.isArray(before) || !Array.isArray(after)) return null
  const [old, next] = [
    new Set(before.map((one) => JSON.stringify(one))),
    new Set(after.map((one) => JSON.stringify(one))),
  ]
  const out = before.filter((one) => !next.has(JSON.stringify(one)))
  const into = after.filter((one) => !old.has(JSON.stringify(one)))
  return out.length + into.length === 0 ? null : { out, in: into }
}

function FieldRow({ change, action, nameOf }: FieldRowProps): ReactNode {
  const lists = action === 'changed' ? listDifference(change) : null
  return (
    <tr>
      <th scope="row">
        {t(labelOf(change.field))}
        {change.unchanged === undefined ? null : (
          <span className={styles.muted}> {t('{count} the same', { count: change.unchanged })}</span>
        )}
      </th>
      <td>
        {lists ? (
          <>
            {lists.out.map((one) => (
              <span key={`-${JSON.stringify(one)}`} className={styles.entry}>
                <del className={styles.beforeMark}>
                  <PlainText text={wordOfValue(one, nameOf)} limit={400} />
                </del>
              </span>
            ))}
            {lists.in.map((one) => (
              <span key={`+${JSON.stringify(one)}`} className={styles.entry}>
                <ins className={styles.afterMark}>
                  <PlainText text={wordOfValue(one, nameOf)} limit={400} />
                </ins>
              </span>
            ))}
          </>
        ) : action === 'added' ? (
          <PlainText text={wordOfValue(change.after, nameOf)} limit={1_000} />
        ) : action === 'removed' ? (
          <span className={styles.before}>
            <PlainText text={wordOfValue(change.before, nameOf)} limit={1_000} />
          </span>
        ) : (
          <>
            <del className={styles.beforeMark}>
              <PlainText text={wordOfValue(change.before, nameOf)} limit={1_000} />
            </del>{' '}
            <span aria-hidden="true">→</span>{' '}
            <ins className={styles.afterMark}>
              <PlainText text={wordOfValue(change.after, nameOf)} limit={1_000} />
            </ins>
          </>
        )}
      </td>
    </tr>
  )
}
