// What a revision changed, by object and field in the words of the forms. Of many objects and of long lists a part is drawn, and more
// when it is asked for: an import has thousands.

import { listAll } from '@gateway/server/contract/objects'
import type { ObjectChange } from '@gateway/server/core/dry-run'
import { type ReactNode, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { useSession } from '../../api/session.ts'
import { labelOf } from '../../contract/words.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { printCount } from '../../util/amount.ts'
import { type NumberOf, tablesIn } from '../../util/rule-numbers.ts'
import { pathOfObject, titleOfObject, wordOfValue } from '../../util/stored-objects.ts'
import { currentLanguage, msg, t } from '../../words.ts'
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

/** Objects that are drawn at once, and entries of one list. */
const objectsAtOnce = 50
const entriesAtOnce = 100

interface SomeProps<One> {
  readonly all: readonly One[]
  readonly atOnce: number
  readonly draw: (one: One) => ReactNode
}

/** The first of many, and a way to the next. */
function Some<One>({ all, atOnce, draw }: SomeProps<One>): ReactNode {
  const [shown, setShown] = useState(atOnce)
  const rest = all.length - shown
  return (
    <>
      {all.slice(0, shown).map(draw)}
      {rest > 0 ? (
        <div>
          <Button size="small" onClick={() => setShown(shown + atOnce)}>
            {t('Show {count} more of {rest}', {
              count: printCount(Math.min(atOnce, rest), currentLanguage()),
              rest: printCount(rest, currentLanguage()),
            })}
          </Button>
        </div>
      ) : null}
    </>
  )
}

/** How many objects there are of each kind of change, where not all are drawn. */
function Totals({ changes }: { readonly changes: readonly ObjectChange[] }): ReactNode {
  const counts = Map.groupBy(changes, ({ action }) => action)
  return (
    <p className={styles.facts}>
      <span>{t('{count, plural, one {# object} other {# objects}}', { count: changes.length })}</span>
      {[...counts].map(([action, of]) => (
        <Chip key={action} tone={actions[action].tone}>
          {`${t(actions[action].word)}: ${printCount(of.length, currentLanguage())}`}
        </Chip>
      ))}
    </p>
  )
}

export function DiffView({ changes }: { readonly changes: readonly ObjectChange[] }): ReactNode {
  const nameOf = useObjectNames()
  const numberOf = useRuleNumbers(tablesIn(changes.map(({ object }) => object)))
  return (
    <div className={styles.changes}>
      {changes.length > objectsAtOnce ? <Totals changes={changes} /> : null}
      <Some
        all={changes}
        atOnce={objectsAtOnce}
        draw={(change) => <ChangedObject key={change.object} change={change} nameOf={nameOf} numberOf={numberOf} />}
      />
    </div>
  )
}

interface ChangedObjectProps {
  readonly change: ObjectChange
  readonly nameOf: (id: string) => string
  readonly numberOf: NumberOf
}

function ChangedObject({ change: { object, action, fields }, nameOf, numberOf }: ChangedObjectProps): ReactNode {
  const path = action === 'removed' ? null : pathOfObject(object)
  const title = titleOfObject(object, fields, numberOf)
  const { word, tone } = actions[action]
  return (
    <section className={styles.object} aria-label={title}>
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
            <Some
              all={lists.out}
              atOnce={entriesAtOnce}
              draw={(one) => (
                <span key={`-${JSON.stringify(one)}`} className={styles.entry}>
                  <del className={styles.beforeMark}>
                    <PlainText text={wordOfValue(one, nameOf)} limit={400} />
                  </del>
                </span>
              )}
            />
            <Some
              all={lists.in}
              atOnce={entriesAtOnce}
              draw={(one) => (
                <span key={`+${JSON.stringify(one)}`} className={styles.entry}>
                  <ins className={styles.afterMark}>
                    <PlainText text={wordOfValue(one, nameOf)} limit={400} />
                  </ins>
                </span>
              )}
            />
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
