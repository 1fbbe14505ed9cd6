// The columns of a table of rules. Cells are plain and small: some fifty rows of them are drawn at every step of a scroll.

import type { Column } from '../../../ui/grid/types.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { IconName } from '../../../ui/icons.ts'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { type ObjectIndex, titleOf } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import styles from './columns.module.css'
import type { CounterStore } from './counters.ts'
import { HitsCell, LastHitCell, RecentCell } from './hit-cells.tsx'
import type { Mark } from './marks.ts'
import { ObjectChips } from './object-chips.tsx'
import { actionText, isAny, protocolText, type RuleRow, targetOf } from './rows.ts'
import type { Rule, RuleTable } from './tables.ts'

export interface ColumnContext {
  readonly table: RuleTable
  readonly index: ObjectIndex
  readonly counters: CounterStore
  readonly marks: ReadonlyMap<number, Mark>
  /** Fields that are changed and not applied, by rule. */
  readonly pending: ReadonlyMap<number, Readonly<Partial<Rule>>>
  readonly removed: ReadonlySet<number>
  readonly isEditable: boolean
  readonly why: string | undefined
  readonly onChange: (rule: Rule, fields: Partial<Rule>) => void
}

const actionIcons: Readonly<Record<string, IconName>> = {
  accept: 'accept',
  drop: 'drop',
  reject: 'reject',
  dnat: 'split',
  snat: 'merge',
  mark_log: 'log',
  mark_not_log: 'hide',
}

export function ruleColumns(context: ColumnContext): readonly Column<RuleRow>[] {
  return [...ruleItself(context), ...ruleMatch(context), ...ruleHits(context), commentColumn(context)]
}

const isPending = ({ pending }: ColumnContext, rule: Rule, field: keyof Rule): boolean =>
  pending.get(rule.id)?.[field] !== undefined

/** Its number and whether it is on. */
function ruleItself({ isEditable, why, onChange }: ColumnContext): readonly Column<RuleRow>[] {
  return [
    {
      id: 'position',
      title: '#',
      width: 52,
      isNumber: true,
      isSticky: true,
      cell: ({ rule, position }) => (
        <span className={styles.position} title={t('id {id}', { id: rule.id })}>
          {position}
        </span>
      ),
      hint: t('Number of the rule: its place in the table. The id that the interface uses is in the tooltip.'),
    },
    {
      id: 'enabled',
      title: t('On'),
      width: 48,
      isSticky: true,
      cell: ({ rule, position }) => (
        <Switch
          isBare
          isOn={rule.enabled}
          onChange={(enabled) => onChange(rule, { enabled })}
          label={t('Rule {id} on', { id: position })}
          isDisabled={!isEditable}
          why={why}
          tabIndex={-1}
        />
      ),
    },
  ]
}

/** What it is about, and what it does. */
function ruleMatch(context: ColumnContext): readonly Column<RuleRow>[] {
  const { table, index } = context
  const hasIncoming = table.fields.includes('incoming_interface')
  const hasOutgoing = table.fields.includes('outgoing_interface')
  return [
    {
      id: 'source',
      title: t('Source'),
      width: 200,
      cell: ({ rule }) => (
        <Ends
          ids={rule.source_addresses}
          isNegated={rule.source_addresses_negate}
          index={index}
          label={t('Source')}
          place={hasIncoming ? rule.incoming_interface : undefined}
        />
      ),
    },
    {
      id: 'destination',
      title: t('Destination'),
      width: 200,
      cell: ({ rule }) => (
        <Ends
          ids={rule.destination_addresses}
          isNegated={rule.destination_addresses_negate}
          index={index}
          label={t('Destination')}
          place={hasOutgoing ? rule.outgoing_interface : undefined}
        />
      ),
    },
    { id: 'service', title: t('Service'), width: 132, cell: ({ rule }) => <Service rule={rule} index={index} /> },
    {
      id: 'action',
      title: t('Action'),
      width: table.name === 'dnat' || table.name === 'snat' ? 200 : 112,
      cell: ({ rule }) => <Action rule={rule} index={index} isPending={isPending(context, rule, 'action')} />,
    },
  ]
}

function ruleHits({ counters }: ColumnContext): readonly Column<RuleRow>[] {
  return [
    {
      id: 'hits',
      title: t('Hits'),
      width: 80,
      isNumber: true,
      cell: ({ rule }) => <HitsCell store={counters} id={rule.id} />,
      sort: (a, b) => (counters.get(a.rule.id)?.packets ?? 0) - (counters.get(b.rule.id)?.packets ?? 0),
    },
    {
      id: 'recent',
      title: t('5 min'),
      width: 64,
      cell: ({ rule }) => <RecentCell store={counters} id={rule.id} />,
      hint: t('Hits since this page was opened, at most of the last five minutes'),
    },
    {
      id: 'last',
      title: t('Last'),
      width: 68,
      isNumber: true,
      cell: ({ rule }) => <LastHitCell store={counters} id={rule.id} />,
      sort: (a, b) => (counters.get(a.rule.id)?.lastHit ?? 0) - (counters.get(b.rule.id)?.lastHit ?? 0),
    },
  ]
}

function commentColumn(context: ColumnContext): Column<RuleRow> {
  const { marks, isEditable, onChange } = context
  return {
    id: 'comment',
    title: t('Comment'),
    width: 'rest',
    minWidth: 200,
    cell: ({ rule }) => (
      <Remark rule={rule} mark={marks.get(rule.id)} context={context} isPending={isPending(context, rule, 'comment')} />
    ),
    ...(isEditable
      ? { edit: (row: RuleRow, done: () => void) => <CommentEdit row={row} onChange={onChange} done={done} /> }
      : {}),
  }
}

interface EndsProps {
  readonly ids: readonly string[]
  readonly isNegated: boolean
  readonly index: ObjectIndex
  readonly label: string
  readonly place: string | undefined
}

/** Addresses, and the interface or zone where the rule names one. */
function Ends({ ids, isNegated, index, label, place }: EndsProps) {
  const isPlaced = place !== undefined && place !== 'any'
  return (
    <span className={styles.ends}>
      {isPlaced ? (
        <span className={styles.place} title={titleOf(index, place)}>
          <Icon name="interface" size={12} label={isAny(ids) ? undefined : titleOf(index, place)} />
          {isAny(ids) ? <span className={styles.placeWord}>{titleOf(index, place)}</span> : null}
        </span>
      ) : null}
      {isPlaced && isAny(ids) ? null : (
        <ObjectChips ids={ids} isNegated={isNegated} index={index} label={label} shown={isPlaced ? 1 : 2} />
      )}
    </span>
  )
}

function Service({ rule, index }: { readonly rule: Rule; readonly index: ObjectIndex }) {
  const protocol = rule.protocol === 'any' ? t('any') : protocolText(rule.protocol)
  const hasPorts = !isAny(rule.destination_ports)
  return (
    <span className={styles.service}>
      <span className={rule.protocol === 'any' ? styles.quiet : styles.protocol}>{protocol}</span>
      {hasPorts ? (
        <ObjectChips ids={rule.destination_ports} index={index} label={t('Destination ports')} shown={1} />
      ) : null}
      {isAny(rule.timetable) ? null : (
        <Tooltip text={t('Only in {times}', { times: rule.timetable.map((id) => titleOf(index, id)).join(', ') })}>
          <span className={styles.timed}>
            <Icon name="time" size={14} label={t('Only at certain times')} />
          </span>
        </Tooltip>
      )}
    </span>
  )
}

function Action({ rule, index, isPending }: { rule: Rule; index: ObjectIndex; isPending: boolean }) {
  const target = targetOf(rule, index)
  return (
    <span className={styles.action} data-action={rule.action}>
      <Icon name={actionIcons[rule.action] ?? 'rule'} size={14} />
      <span className={styles.actionWord} title={rule.action}>
        {actionText(rule.action)}
      </span>
      {target === '' ? null : <span className={styles.target}>→ {target}</span>}
      {isPending ? (
        <span className={styles.pending} title={t('Not applied yet')}>
          *
        </span>
      ) : null}
      {rule.ips_enabled ? <Icon name="signature" size={14} label={t('Intrusion prevention')} /> : null}
      {rule.dpi_enabled ? <Icon name="application" size={14} label={t('Application control')} /> : null}
    </span>
  )
}

interface RemarkProps {
  readonly rule: Rule
  readonly mark: Mark | undefined
  readonly context: ColumnContext
  readonly isPending: boolean
}

function Remark({ rule, mark, context, isPending }: RemarkProps) {
  return (
    <span className={styles.remark}>
      {context.removed.has(rule.id) ? <span className={styles.gone}>{t('is removed')}</span> : null}
      <span className={styles.comment}>
        <PlainText text={rule.comment} limit={255} />
      </span>
      {isPending ? <span className={styles.pending}>*</span> : null}
      {mark === undefined ? null : (
        <Tooltip text={mark.findings.map(({ text }) => text).join(' ')}>
          <span className={styles.mark} data-severity={mark.severity}>
            <Icon name={mark.kinds[0] === 'shadowed' ? 'shadowed' : 'warning'} size={12} />
            {mark.words}
          </span>
        </Tooltip>
      )}
    </span>
  )
}

interface CommentEditProps {
  readonly row: RuleRow
  readonly onChange: ColumnContext['onChange']
  readonly done: () => void
}

function CommentEdit({ row: { rule, position }, onChange, done }: CommentEditProps) {
  return (
    <TextInput
      value={rule.comment}
      onChange={(comment) => onChange(rule, { comment })}
      label={t('Comment of rule {id}', { id: position })}
      maxLength={255}
      autoFocus
      onEnter={done}
    />
  )
}
