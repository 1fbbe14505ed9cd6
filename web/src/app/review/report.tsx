// What a change would do, as the gateway reported it: objects, lines on the machine, what was not checked, refused connections.

import type { DryRun, ObjectChange, RefusedConnection } from '@gateway/server/shared/dry-run'
import { type ReactNode, useState } from 'react'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { pathOfObject } from '../../util/stored-objects.ts'
import { t } from '../../words.ts'
import styles from './review.module.css'
import { actionWord, fieldWords, objectTitle, shownFields } from './words.ts'

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
          <ChangeView key={`${change.object} ${change.action}`} change={change} />
        ))}
        {changes.length > limit ? (
          <Button kind="quiet" onClick={() => setLimit(limit * 10)}>
            {t('{count, plural, one {# more object} other {# more objects}}', { count: changes.length - limit })}
          </Button>
        ) : null}
      </section>
      {connections_total === 0 && connections_note === null ? null : (
        <Connections {...{ connections, isCutting, onCutting }} total={connections_total} note={connections_note} />
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

function ChangeView({ change }: { readonly change: ObjectChange }): ReactNode {
  const path = change.action === 'added' ? null : pathOfObject(change.object)
  const title = <PlainText text={objectTitle(change)} />
  return (
    <article className={styles.change}>
      <header className={styles.object}>
        {path === null ? <strong>{title}</strong> : <Link to={path}>{title}</Link>}
        <Chip tone={tones[change.action]}>{actionWord(change.action)}</Chip>
      </header>
      <dl className={styles.fields}>
        {shownFields(change).map((field) => {
          const { label, before, after, note } = fieldWords(field)
          return (
            <div key={field.field} className={styles.field}>
              <dt>{label}</dt>
              <dd>
                {change.action === 'added' ? null : (
                  <>
                    <del className={styles.before}>
                      <PlainText text={before} limit={500} />
                    </del>
                    {change.action === 'removed' ? null : <span aria-hidden="true"> → </span>}
                  </>
                )}
                {change.action === 'removed' ? null : (
                  <ins className={styles.after}>
                    <PlainText text={after} limit={500} />
                  </ins>
                )}
                {note === '' ? null : <span className="muted"> {note}</span>}
              </dd>
            </div>
          )
        })}
      </dl>
    </article>
  )
}

interface ConnectionsProps {
  readonly connections: readonly RefusedConnection[]
  readonly total: number
  readonly note: string | null
  readonly isCutting: boolean
  readonly onCutting: (isCutting: boolean) => void
}

function Connections({ connections, total, note, isCutting, onCutting }: ConnectionsProps): ReactNode {
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
            {one.rule === null ? null : <span className="muted"> {one.rule}</span>}
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
