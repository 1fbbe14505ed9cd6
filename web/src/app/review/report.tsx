// What a change would do, as the gateway reported it: objects, lines on the machine, what was not checked, refused connections.

import { listAll } from '@gateway/server/contract/objects'
import type { DryRun, ObjectChange, RefusedConnection } from '@gateway/server/core/dry-run'
import { type ReactNode, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type NumberOf, renumber, tablesIn } from '../../util/rule-numbers.ts'
import { nameIn, parseObject, pathOfObject } from '../../util/stored-objects.ts'
import { t } from '../../words.ts'
import styles from './review.module.css'
import { actionWord, type FieldWords, fieldWords, isUsual, objectTitle, shownFields } from './words.ts'

const shownAtFirst = 40
const connectionsAtFirst = 8

interface Props {
  readonly report: DryRun
  readonly isCutting: boolean
  readonly onCutting: (isCutting: boolean) => void
}

export function Report({ report, isCutting, onCutting }: Props): ReactNode {
  const { changes, artifacts, unchecked, connections, connections_total, connections_note } = report
  const [limit, setLimit] = useState(shownAtFirst)
  const nameOf = useNameOf(changes)
  const numberOf = useRuleNumbers(tablesIn(mentionsIn(report)))
  if (changes.length === 0)
    return <p className="muted">{t('The gateway already has all of this. There is nothing to apply.')}</p>
  return (
    <>
      {unchecked.length === 0 ? null : (
        <Bar tone="warn">
          <p>{t('Not checked here:')}</p>
          <ul>
            {unchecked.map((line) => (
              <li key={line}>
                <PlainText text={line} limit={2000} />
              </li>
            ))}
          </ul>
        </Bar>
      )}
      <section className={styles.section}>
        <h3>{t('Changes')}</h3>
        {changes.slice(0, limit).map((change) => (
          <ChangeView key={`${change.object} ${change.action}`} {...{ change, nameOf, numberOf }} />
        ))}
        {changes.length > limit ? (
          <Button kind="quiet" onClick={() => setLimit(limit * 10)}>
            {t('{count, plural, one {# more object} other {# more objects}}', { count: changes.length - limit })}
          </Button>
        ) : null}
      </section>
      {connections_total === 0 && connections_note === null ? null : (
        <Connections
          {...{ connections, isCutting, onCutting, numberOf }}
          total={connections_total}
          note={connections_note}
        />
      )}
      {artifacts.length === 0 ? null : (
        <section className={styles.section}>
          <h3>{t('On the machine')}</h3>
          {artifacts.map(({ artifact, removed_lines, added_lines }) => (
            <details key={artifact} className={styles.artifact} open={removed_lines.length + added_lines.length <= 60}>
              <summary>
                <span className="mono">{artifact}</span>
                <span className={styles.counts}>
                  −{removed_lines.length} +{added_lines.length}
                </span>
              </summary>
              <Diff before={removed_lines} after={added_lines} />
            </details>
          ))}
        </section>
      )}
    </>
  )
}

const tones = { added: 'ok', changed: 'accent', moved: 'plain', removed: 'bad' } as const

type NameOf = (id: string) => string

/** Where rules are named: the objects, and who refuses a connection. */
const mentionsIn = ({ changes, connections }: DryRun): readonly string[] => [
  ...changes.map(({ object }) => object),
  ...connections.flatMap(({ rule }) => rule ?? []),
]

interface ChangeViewProps {
  readonly change: ObjectChange
  readonly nameOf: NameOf
  readonly numberOf: NumberOf
}

function ChangeView({ change, nameOf, numberOf }: ChangeViewProps): ReactNode {
  const [isWhole, setWhole] = useState(false)
  const path = change.action === 'added' ? null : pathOfObject(change.object)
  const title = <PlainText text={objectTitle(change, numberOf)} />
  const fields = shownFields(change)
  const chosen = fields.filter((field) => isWhole || change.action !== 'added' || !isUsual(field))
  const folded = fields.length - chosen.length
  return (
    <article className={styles.change}>
      <header className={styles.object}>
        {path === null ? <strong>{title}</strong> : <Link to={path}>{title}</Link>}
        <Chip tone={tones[change.action]}>{actionWord(change.action)}</Chip>
      </header>
      <dl className={styles.fields}>
        {chosen.map((field) => (
          <FieldView key={field.field} words={fieldWords(field, nameOf)} action={change.action} />
        ))}
      </dl>
      {folded === 0 ? null : (
        <div className={styles.folded}>
          <Button kind="quiet" size="small" onClick={() => setWhole(true)}>
            {t('{count, plural, one {# usual value} other {# usual values}}', { count: folded })}
          </Button>
        </div>
      )}
    </article>
  )
}

interface FieldProps {
  readonly words: FieldWords
  readonly action: ObjectChange['action']
}

function FieldView({ words: { label, before, after, note }, action }: FieldProps): ReactNode {
  return (
    <div className={styles.field}>
      <dt>{label}</dt>
      <dd>
        {action === 'added' ? null : (
          <>
            <del className={styles.before}>
              <PlainText text={before} limit={500} />
            </del>
            {action === 'removed' ? null : <span aria-hidden="true"> → </span>}
          </>
        )}
        {action === 'removed' ? null : (
          <ins className={styles.after}>
            <PlainText text={after} limit={500} />
          </ins>
        )}
        {note === '' ? null : <span className="muted"> {note}</span>}
      </dd>
    </div>
  )
}

/** Ids of objects as their names, read only when the change has some. */
function useNameOf(changes: readonly ObjectChange[]): NameOf {
  const hasIds = changes.some(({ fields }) =>
    fields.some(({ before, after }) => /\.id\.\d/.test(JSON.stringify([before, after]))),
  )
  const { data } = useRead(listAll, { isEnabled: hasIds })
  const names = useMemo(() => {
    // What the change itself adds is not listed yet.
    const added = changes.flatMap(({ object, action, fields }) => {
      const { slot, id } = parseObject(object)
      const name = action === 'added' && slot.startsWith('objects.') ? nameIn(fields) : null
      return id === null || name === null ? [] : [[id, name] as const]
    })
    return new Map([...(data?.data ?? []).map(({ id, title }) => [id, title] as const), ...added])
  }, [data, changes])
  return (id) => names.get(id) ?? id
}

interface ConnectionsProps {
  readonly connections: readonly RefusedConnection[]
  readonly total: number
  readonly note: string | null
  readonly isCutting: boolean
  readonly onCutting: (isCutting: boolean) => void
  readonly numberOf: NumberOf
}

function Connections({ connections, total, note, isCutting, onCutting, numberOf }: ConnectionsProps): ReactNode {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? connections : connections.slice(0, connectionsAtFirst)
  return (
    <section className={styles.section}>
      <h3>
        {t('{count, plural, one {# live connection would be refused} other {# live connections would be refused}}', {
          count: total,
        })}
      </h3>
      <ul className={styles.connections}>
        {shown.map((one) => (
          <li key={`${one.protocol} ${one.source}:${one.source_port} ${one.destination}:${one.destination_port}`}>
            <span className="muted">{one.protocol}</span>{' '}
            <Link to={`overview/host/${one.source}`}>
              <span className="mono">{one.source}</span>
            </Link>
            <span className="mono">
              :{one.source_port} → {one.destination}:{one.destination_port}
            </span>
            {one.rule === null ? null : <span className="muted"> {renumber(one.rule, numberOf)}</span>}
          </li>
        ))}
      </ul>
      {connections.length > shown.length ? (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          {t('List all {count}', { count: connections.length })}
        </Button>
      ) : null}
      {note === null ? null : (
        <p className="muted">
          <PlainText text={note} limit={500} />
        </p>
      )}
      {total === 0 ? null : (
        <Checkbox
          isOn={isCutting}
          onChange={onCutting}
          label={t('Cut them at once; otherwise they last until they end by themselves')}
        />
      )}
    </section>
  )
}
