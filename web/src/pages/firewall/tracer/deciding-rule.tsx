// The rule that decided, beside its verdict: what it says, and its neighbours' view is one click away.

import type { forwardRules } from '@gateway/server/contract/firewall'
import { useRead } from '../../../api/reads.ts'
import { Link } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { type ObjectIndex, titleOf } from '../../../util/objects.ts'
import { sayNumber } from '../../../util/rule-numbers.ts'
import { t } from '../../../words.ts'
import { ObjectList } from '../rules/object-chips.tsx'
import { actionText, isAny, serviceText, targetOf } from '../rules/rows.ts'
import { asRules, type Rule, ruleTables, type TableName } from '../rules/tables.ts'
import styles from './trace-view.module.css'

interface DecidingRuleProps {
  readonly rule: { readonly table: string; readonly id: number }
  readonly index: ObjectIndex
}

export function DecidingRule({ rule: { table, id }, index }: DecidingRuleProps) {
  const { calls, title } = ruleTables[table as TableName]
  const read = useRead(calls.list as typeof forwardRules.list)
  const rules = asRules(read.data?.data)
  const at = rules.findIndex((one) => one.id === id)
  const rule = rules[at]
  return (
    <Panel
      title={t('The rule that decides')}
      actions={
        <Link to={`policy/rules/${table}/${id}`}>
          {`${title} ${sayNumber(read.data ? (at < 0 ? null : at + 1) : undefined, id)}`.trimEnd()}
        </Link>
      }
    >
      {rule ? <RuleFacts rule={rule} position={at + 1} index={index} /> : <Skeleton lines={5} />}
    </Panel>
  )
}

function RuleFacts({
  rule,
  position,
  index,
}: {
  readonly rule: Rule
  readonly position: number
  readonly index: ObjectIndex
}) {
  const target = targetOf(rule, index)
  return (
    <dl className={styles.facts}>
      <dt>{t('Position')}</dt>
      <dd>{position}</dd>
      <dt>{t('Action')}</dt>
      <dd>
        {actionText(rule.action)}
        {target === '' ? '' : ` → ${target}`}
      </dd>
      <dt>{t('Source')}</dt>
      <dd>
        <Objects ids={rule.source_addresses} isNegated={rule.source_addresses_negate} index={index} />
      </dd>
      <dt>{t('Destination')}</dt>
      <dd>
        <Objects ids={rule.destination_addresses} isNegated={rule.destination_addresses_negate} index={index} />
      </dd>
      <dt>{t('Service')}</dt>
      <dd>{serviceText(rule, index)}</dd>
      {isAny(rule.timetable) ? null : (
        <>
          <dt>{t('Time')}</dt>
          <dd>{rule.timetable.map((id) => titleOf(index, id)).join(', ')}</dd>
        </>
      )}
      {rule.comment === '' ? null : (
        <>
          <dt>{t('Comment')}</dt>
          <dd>
            <PlainText text={rule.comment} limit={255} />
          </dd>
        </>
      )}
    </dl>
  )
}

function Objects({
  ids,
  isNegated,
  index,
}: {
  readonly ids: readonly string[]
  readonly isNegated: boolean
  readonly index: ObjectIndex
}) {
  if (isAny(ids)) return t('any')
  return (
    <>
      {isNegated ? t('all but') : null}
      <ObjectList ids={ids} index={index} />
    </>
  )
}
