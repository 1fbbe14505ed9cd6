// The answer about a packet: the verdict in one line, the path, the rules that did not match, and the same packet elsewhere.

import { useState } from 'react'
import { useEditing } from '../../../api/editing.ts'
import { useRuleNumbers } from '../../../api/rule-numbers.ts'
import { useGo } from '../../../place.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { IconName } from '../../../ui/icons.ts'
import { Link } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import type { ObjectIndex } from '../../../util/objects.ts'
import { type NumberOf, renumber, sayRule, tablesIn } from '../../../util/rule-numbers.ts'
import { t } from '../../../words.ts'
import { DecidingRule } from './deciding-rule.tsx'
import { searchOfPacket } from './packet.ts'
import { isRefused, plainReason, readPath, type TracePath, type Verdict, verdictWords } from './path.ts'
import { PathDrawing } from './path-drawing.tsx'
import styles from './trace-view.module.css'
import type { Answer } from './use-trace.ts'

export interface TraceViewProps {
  readonly answer: Answer
  readonly index: ObjectIndex
  readonly against: 'running' | 'revision' | 'draft'
}

const verdictIcons: Readonly<Record<Verdict, IconName>> = {
  accept: 'accept',
  drop: 'drop',
  reject: 'reject',
  depends: 'split',
}

export function TraceView({ answer, index, against }: TraceViewProps) {
  const { explanation, other } = answer
  const [at, setAt] = useState(0)
  const numberOf = useRuleNumbers(tablesIn([JSON.stringify([explanation, other?.explanation])]))
  const path = readPath(explanation, numberOf, at)
  return (
    <>
      <VerdictLine path={path} answer={answer} />
      <Context answer={answer} index={index} against={against} />
      {explanation.outcomes.length > 1 ? (
        <Tabs
          label={t('Ways the packet can take')}
          tabs={explanation.outcomes.map(({ destination, destination_port }, way) => ({
            id: String(way),
            title: `${destination ?? ''}${destination_port === null ? '' : `:${destination_port}`}`,
          }))}
          active={String(at)}
          onChange={(id) => setAt(Number(id))}
        />
      ) : null}
      <PathDrawing path={path} />
      {explanation.is_complete ? null : (
        <Bar tone="warn">
          {t('The answer is not certain:')} {renumber(explanation.incomplete_because.join(' '), numberOf)}
        </Bar>
      )}
      <div className={styles.columns}>
        {path.decidedBy.rule === null ? null : <DecidingRule rule={path.decidedBy.rule} index={index} />}
        <Earlier path={path} numberOf={numberOf} />
        <Rest answer={answer} path={path} numberOf={numberOf} />
      </div>
      {other === null ? null : <Other other={other} answer={answer} numberOf={numberOf} />}
    </>
  )
}

function VerdictLine({ path, answer }: { readonly path: TracePath; readonly answer: Answer }) {
  const go = useGo()
  const editing = useEditing('firewall')
  const { verdict, decidedBy } = path
  const { packet, body } = answer
  const table = decidedBy.rule?.table === 'input' || path.outcome?.path === 'input' ? 'input' : 'forward'
  const makeException = (): void =>
    go.open(`policy/rules/${table}/new`, {
      ...(body.source === undefined ? {} : { source: body.source }),
      destination: body.destination,
      protocol: packet.protocol,
      ...(body.destination_port === undefined ? {} : { port: String(body.destination_port) }),
      action: isRefused(verdict) ? 'accept' : 'drop',
      ...(decidedBy.rule && decidedBy.rule.table === table ? { before: String(decidedBy.rule.id) } : {}),
    })
  return (
    <div className={styles.verdict} data-verdict={verdict}>
      <span className={styles.word}>
        <Icon name={verdictIcons[verdict]} size={20} />
        {t(verdictWords[verdict])}
      </span>
      <span className={styles.by}>
        {decidedBy.path === null
          ? t('decided by {what}', { what: decidedBy.words })
          : [
              t('decided by '),
              <Link key="rule" to={decidedBy.path}>
                {decidedBy.words}
              </Link>,
            ]}
      </span>
      <span className={styles.push} />
      {decidedBy.rule === null ? null : (
        <Button icon="open-panel" onClick={() => go.open(decidedBy.path ?? '')}>
          {t('Open the rule')}
        </Button>
      )}
      {verdict === 'depends' ? null : (
        <Button icon="exception" onClick={makeException} isDisabled={!editing.isAllowed} why={editing.why}>
          {isRefused(verdict) ? t('Allow this') : t('Block this')}
        </Button>
      )}
    </div>
  )
}

function Context({ answer, index, against }: TraceViewProps) {
  const { explanation, addresses, isGuessed, body } = answer
  const incoming = body.incoming_interface
  const name = incoming === null ? t('the gateway itself') : (index.byId.get(incoming)?.title ?? incoming)
  return (
    <p className={styles.context}>
      {against === 'draft' ? <Chip tone="accent">{t('through my draft')}</Chip> : null}
      {isGuessed ? t('Taken to come in at {name}.', { name }) : t('Comes in at {name}.', { name })}{' '}
      {addresses.length > 1
        ? t('The name has {count} addresses; the first, {address}, is traced.', {
            count: addresses.length,
            address: addresses[0] ?? '',
          })
        : addresses.length === 1
          ? t('The name has the address {address}.', { address: addresses[0] ?? '' })
          : ''}{' '}
      {explanation.source_user === null ? '' : t('{name} is at the source.', { name: explanation.source_user.name })}{' '}
      {explanation.destination_user === null
        ? ''
        : t('{name} is at the destination.', { name: explanation.destination_user.name })}{' '}
      {explanation.is_marked ? t('The connection is logged.') : t('The connection is not logged.')}
    </p>
  )
}

const shownAtFirst = 8

/** Nearest first: the rule right before the decision is the one people ask about. */
function Earlier({ path, numberOf }: { readonly path: TracePath; readonly numberOf: NumberOf }) {
  const [isAll, setAll] = useState(false)
  const earlier = path.earlier.toReversed()
  const shown = isAll ? earlier : earlier.slice(0, shownAtFirst)
  return (
    <Panel title={t('Why not earlier')}>
      {path.earlierCount === 0 ? (
        <p className={styles.quiet}>{t('No rule comes before the decision.')}</p>
      ) : (
        <>
          <p className={styles.quiet}>
            {t('{count, plural, one {# rule was passed} other {# rules were passed}}', { count: path.earlierCount })}
          </p>
          <ol className={styles.earlier}>
            {shown.map(({ origin, table, id, reason }) => (
              <li key={origin}>
                <Link to={`policy/rules/${table}/${id}`}>{sayRule(table, id, numberOf)}</Link>
                <span>{renumber(plainReason(reason), numberOf)}</span>
              </li>
            ))}
          </ol>
          {earlier.length > shown.length ? (
            <Button kind="quiet" size="small" onClick={() => setAll(true)}>
              {t('Show {count} more', { count: earlier.length - shown.length })}
            </Button>
          ) : null}
        </>
      )}
    </Panel>
  )
}

interface RestProps {
  readonly answer: Answer
  readonly path: TracePath
  readonly numberOf: NumberOf
}

function Rest({ answer, path, numberOf }: RestProps) {
  const { outcome } = path
  const lines = path.stations.filter(({ text }) => text !== '')
  return (
    <Panel title={t('Step by step')}>
      <ol className={styles.steps}>
        {lines.map(({ stage, title, text, rule }) => (
          <li key={stage}>
            <span className={styles.stage}>{title}</span>
            <span>
              {text} {rule === null ? null : <Link to={`policy/rules/${rule.table}/${rule.id}`}>{t('Open')}</Link>}
            </span>
          </li>
        ))}
      </ol>
      {(outcome?.logged.length ?? 0) > 0 ? (
        <p className={styles.quiet}>
          {t('Would be recorded: {records}', {
            records:
              outcome?.logged
                .map(({ table, id, action }) => `${id === null ? table : sayRule(table, id, numberOf)} ${action}`)
                .join(', ') ?? '',
          })}
        </p>
      ) : null}
      <p className={styles.quiet}>
        <Link to={`overview/host/${answer.explanation.source}`}>{t('About the source')}</Link>
        {' · '}
        <Link to={`overview/host/${answer.body.destination}`}>{t('About the destination')}</Link>
      </p>
    </Panel>
  )
}

interface OtherProps {
  readonly other: NonNullable<Answer['other']>
  readonly answer: Answer
  readonly numberOf: NumberOf
}

function Other({ other, answer, numberOf }: OtherProps) {
  const go = useGo()
  const path = readPath(other.explanation, numberOf)
  return (
    <Bar
      tone="accent"
      actions={
        <>
          <Button size="small" onClick={() => go.open('system/history', { at: String(other.revision + 1) })}>
            {t('Show the change')}
          </Button>
          <Button
            size="small"
            onClick={() => go.open('policy/tracer', { ...searchOfPacket(answer.packet), rev: String(other.revision) })}
          >
            {t('Trace there')}
          </Button>
        </>
      }
    >
      {t('The same packet at revision {revision}: {verdict} by {what}', {
        revision: other.revision,
        verdict: t(verdictWords[path.verdict]),
        what: path.decidedBy.words,
      })}
    </Bar>
  )
}
