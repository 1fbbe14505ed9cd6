// Rule tests: packets and what is expected of them, run through a copy of the rules. A failed one can block all traffic.

import { checks } from '@gateway/server/contract/firewall'
import { useMemo } from 'react'
import type { Editing } from '../../api/editing.ts'
import { collectionPage } from '../../contract/define.ts'
import { RuleNumber } from '../../contract/render/rule-number.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { later } from '../../ui/later.tsx'
import { Link } from '../../ui/link.tsx'
import { loadCode } from '../../ui/load-code.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Time } from '../../ui/time.tsx'
import { interfaceKinds, type ObjectIndex, titleOf } from '../../util/objects.ts'
import { msg, t } from '../../words.ts'
import styles from './rule-tests.module.css'
import { useObjects } from './use-objects.ts'
import { type Check, type Results, type RuleTests, useRuleTestActs, useRuleTests } from './use-rule-tests.ts'

const ItemPanel = later(async () => (await loadCode(() => import('../../contract/render/item-panel.tsx'))).ItemPanel)

const { collection } = collectionPage({
  endpoints: checks,
  stored: 'firewall.checks',
  itemName: msg('rule test'),
  title: ({ src_ip, dst_ip, dst_port }) => `${src_ip} → ${dst_ip}:${dst_port}`,
  columns: ['enabled'],
  fields: {
    enabled: { label: msg('Run this test') },
    protocol: { label: msg('Protocol') },
    src_ip: { label: msg('Source') },
    src_port: { label: msg('Source port'), initial: 49_152 },
    dst_ip: { label: msg('Destination') },
    dst_port: { label: msg('Destination port'), initial: 443 },
    incoming_interface: { label: msg('Comes in at'), refers: interfaceKinds },
    expected_result: { label: msg('Expected'), options: { accept: msg('accept'), drop: msg('drop') } },
    comment: { label: msg('Comment') },
  },
  empty: { text: msg('A packet that must pass or must not: the tests say at once when a rule changes that.') },
})

function RuleTestsPage() {
  const place = usePlace()
  const go = useGo()
  const { index } = useObjects()
  const tests = useRuleTests()
  const { list, rows, data, isRunning } = tests
  const acts = useRuleTestActs(tests)
  const { editing } = acts
  const row = place.item === null || place.item === 'new' ? null : (rows.find(({ id }) => id === place.item) ?? null)
  const tableColumns = useMemo(() => columns(data, index, isRunning), [data, index, isRunning])
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Rule tests')}
        lead={t('Packets that must pass or must not, sent through a copy of the rules.')}
      >
        <Button icon="add" onClick={() => go.openItem('new')} isDisabled={!editing.isAllowed} why={editing.why}>
          {t('Test')}
        </Button>
        <Button
          kind="primary"
          icon="play"
          onClick={() => void tests.run()}
          isBusy={isRunning || tests.isStarted}
          isDisabled={!editing.isAllowed || rows.length === 0}
          why={editing.why}
        >
          {t('Run all')}
        </Button>
      </PageHead>
      <LastRun tests={tests} editing={editing} onBlocking={acts.setBlocking} />
      {list.error && !list.data ? (
        <ProblemBox failure={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Grid
          label={t('Rule tests')}
          rows={rows}
          rowKey={keyOfRow}
          columns={tableColumns}
          onOpen={({ id }) => go.openItem(id)}
          activeKey={place.item}
          onKey={acts.onKey}
          rowClass={({ enabled }) => (enabled ? null : 'disabled')}
          isLoading={list.isPending}
          height="fill"
          empty={<NoTests onAdd={() => go.openItem('new')} />}
        />
      )}
      {place.item !== null && list.data && (place.item === 'new' || row) ? (
        <ItemPanel
          key={place.item}
          collection={collection}
          around={{}}
          row={row}
          spot={null}
          etag={list.data.etag}
          tab={place.search.tab ?? 'details'}
          onTab={(tab) => go.setSearch({ tab: tab === 'details' ? null : tab }, { replace: true })}
          onClose={() => go.openItem(null)}
          onApplied={() => go.openItem(null)}
          onCopy={() => row && acts.copy(row)}
          onRemove={() => row && acts.remove([row])}
        />
      ) : null}
    </div>
  )
}

interface LastRunProps {
  readonly tests: RuleTests
  readonly editing: Editing
  readonly onBlocking: (isOn: boolean) => void
}

/** How the tests went, and what a failure does. */
function LastRun({ tests: { state, data, isRunning, settings }, editing, onBlocking }: LastRunProps) {
  const failed = Object.values(data).filter(({ verdict }) => !verdict).length
  return (
    <>
      {state?.block_status ? (
        <Bar tone="bad">
          {t('All traffic through the gateway is blocked because tests failed. Only a run without failures lifts it.')}
        </Bar>
      ) : null}
      <div className={styles.line}>
        <span className={styles.summary} role="status">
          {isRunning ? t('Running …') : summaryOf(state?.check_datetime ?? 0, Object.keys(data).length, failed)}
          {state && state.check_datetime > 0 && !isRunning ? <Time stamp={state.check_datetime} /> : null}
        </span>
        <Switch
          isOn={settings.data?.data.block_traffic ?? false}
          onChange={onBlocking}
          label={t('Block all traffic when a test fails')}
          isDisabled={!editing.isAllowed || !settings.data}
          why={editing.why}
        />
      </div>
    </>
  )
}

function NoTests({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <Empty
      title={t('No rule tests yet')}
      action={
        <Button icon="add" onClick={onAdd}>
          {t('Add the first test')}
        </Button>
      }
    >
      {t(collection.empty.text)}
    </Empty>
  )
}

const keyOfRow = ({ id }: Check): string => id

function summaryOf(stamp: number, count: number, failed: number): string {
  if (stamp === 0) return t('Never run.')
  return failed === 0
    ? t('{count, plural, one {# test passed.} other {All # tests passed.}} ', { count })
    : t('{failed} of {count} tests failed. ', { failed, count })
}

/** `fwd.ngfw.7` is the FORWARD rule with the id 7. */
function ruleLink(ruleId: string) {
  const id = /^fwd\.ngfw\.(\d+)$/.exec(ruleId)?.[1]
  if (id !== undefined)
    return (
      <Link to={`policy/rules/forward/${id}`}>
        <RuleNumber table="forward" id={id} />
      </Link>
    )
  if (ruleId === 'inp.ngfw') return <Link to="policy/rules/input">{t('an INPUT rule')}</Link>
  return <span className={styles.quiet}>{ruleId}</span>
}

function columns(data: Results, index: ObjectIndex, isRunning: boolean): readonly Column<Check>[] {
  return [
    {
      id: 'result',
      title: t('Result'),
      width: 130,
      cell: ({ id, enabled }) => {
        const found = data[id]
        if (!enabled) return <span className={styles.quiet}>{t('off')}</span>
        if (!found) return <span className={styles.quiet}>{isRunning ? '…' : t('not run')}</span>
        return (
          <span className={styles.result} data-ok={found.verdict ? '' : undefined}>
            <Icon name={found.verdict ? 'accept' : 'reject'} size={14} />
            {found.verdict ? t('as expected') : t('failed')}
          </span>
        )
      },
    },
    {
      id: 'packet',
      title: t('Packet'),
      width: 360,
      cell: ({ protocol, src_ip, src_port, dst_ip, dst_port }) => (
        <span className={styles.mono}>{`${protocol} ${src_ip}:${src_port} → ${dst_ip}:${dst_port}`}</span>
      ),
    },
    {
      id: 'in',
      title: t('Comes in at'),
      width: 170,
      cell: ({ incoming_interface }) => titleOf(index, String(incoming_interface)),
    },
    { id: 'expected', title: t('Expected'), width: 96, cell: ({ expected_result }) => t(String(expected_result)) },
    {
      id: 'decided',
      title: t('Decided by'),
      width: 150,
      cell: ({ id }) => {
        const found = data[id]
        return found ? ruleLink(found.rule_id) : null
      },
    },
    {
      id: 'comment',
      title: t('Comment'),
      width: 'rest',
      cell: ({ comment }) => <PlainText text={String(comment)} limit={255} />,
    },
  ]
}

export const page: HandPage = { kind: 'hand', Component: RuleTestsPage }
