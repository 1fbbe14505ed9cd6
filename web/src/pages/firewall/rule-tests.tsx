// Rule tests: packets and what is expected of them, run through a copy of the rules. A failed one can block all traffic.

import { checkResults, checks, checksSettings, startChecks } from '@gateway/server/contract/firewall'
import { useMemo, useState } from 'react'
import { applyNow, useReview } from '../../api/apply.ts'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain, useRead } from '../../api/reads.ts'
import { collectionPage, type Item } from '../../contract/define.ts'
import { ItemPanel } from '../../contract/render/item-panel.tsx'
import { RuleNumber } from '../../contract/render/rule-number.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column, GridKey } from '../../ui/grid/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { interfaceKinds, type ObjectIndex, titleOf } from '../../util/objects.ts'
import { heard, msg, t } from '../../words.ts'
import styles from './rule-tests.module.css'
import { useObjects } from './use-objects.ts'

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

type Check = { readonly id: string } & Item
type Results = Readonly<Record<string, { result: string; rule_id: string; verdict: boolean }>>

const runningMs = 1_000
const idleMs = 30_000

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
function RuleTestsPage() {
  const place = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing('firewall')
  const { index } = useObjects()
  const list = useRead(checks.list)
  const [isStarted, setStarted] = useState(false)
  const results = useRead(checkResults, { everyMs: isStarted ? runningMs : idleMs })
  const settings = useRead(checksSettings.show)
  const state = results.data?.data
  const isRunning = state?.in_progress ?? false
  if (isStarted && state && !isRunning && results.dataUpdatedAt > 0 && Object.keys(state.data).length > 0)
    setStarted(false)
  // Cast: a check is one of several kinds; the page reads what they have in common.
  const rows = (list.data?.data ?? []) as unknown as readonly Check[]
  const data = (state?.data ?? {}) as Results
  const failed = Object.values(data).filter(({ verdict }) => !verdict).length
  const row = place.item === null || place.item === 'new' ? null : (rows.find(({ id }) => id === place.item) ?? null)
  const tableColumns = useMemo(() => columns(data, index, isRunning), [data, index, isRunning])

  const run = async (): Promise<void> => {
    try {
      await call(startChecks)
      setStarted(true)
      await readAgain(checkResults)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      toast(heard(error.message), { tone: 'bad' })
    }
  }
  const setBlocking = (block_traffic: boolean): void =>
    review.open({
      title: block_traffic ? t('Block traffic when a test fails') : t('Let traffic pass when a test fails'),
      calls: [{ endpoint: checksSettings.update, body: { block_traffic }, etag: settings.data?.etag ?? null }],
      confirmWithin: 90,
      reads: [checksSettings.show],
    })
  const remove = (targets: readonly Check[]): void =>
    review.open({
      title: t('{count, plural, one {Remove # rule test} other {Remove # rule tests}}', { count: targets.length }),
      calls: targets.map(({ id }) => ({
        endpoint: checks.remove,
        params: { check_id: id },
        etag: list.data?.etag ?? null,
      })),
      reads: [checks.list, checkResults],
      onApplied: () => go.openItem(null),
    })
  const copy = (target: Check): void =>
    void applyNow({
      title: t('Copy a rule test'),
      calls: [{ endpoint: checks.copy, params: { check_id: target.id } }],
      reads: [checks.list],
      onApplied: ([reply]) => go.openItem((reply as { readonly id: string }).id),
    })
  const onKey = ({ key, row: focused, rows: targets }: GridKey<Check>): boolean => {
    if (!editing.isAllowed) return false
    if (key === 'o') go.openItem('new')
    else if (key === 'Delete' && targets.length > 0) remove(targets)
    else if (key === 'c' && focused) copy(focused)
    else if (key === 't' && focused) go.open('policy/tracer', traceOf(focused))
    else return false
    return true
  }

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
          onClick={() => void run()}
          isBusy={isRunning || isStarted}
          isDisabled={!editing.isAllowed || rows.length === 0}
          why={editing.why}
        >
          {t('Run all')}
        </Button>
      </PageHead>
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
          onChange={setBlocking}
          label={t('Block all traffic when a test fails')}
          isDisabled={!editing.isAllowed || !settings.data}
          why={editing.why}
        />
      </div>
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
          onKey={onKey}
          rowClass={({ enabled }) => (enabled ? null : 'disabled')}
          isLoading={list.isPending}
          height="fill"
          empty={
            <Empty
              title={t('No rule tests yet')}
              action={
                <Button icon="add" onClick={() => go.openItem('new')}>
                  {t('Add the first test')}
                </Button>
              }
            >
              {t(collection.empty.text)}
            </Empty>
          }
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
          onCopy={() => row && copy(row)}
          onRemove={() => row && remove([row])}
        />
      ) : null}
    </div>
  )
}

const keyOfRow = ({ id }: Check): string => id

const traceOf = ({
  protocol,
  src_ip,
  src_port,
  dst_ip,
  dst_port,
  incoming_interface,
}: Check): Record<string, string> => ({
  p: String(protocol),
  s: `${src_ip}:${src_port}`,
  d: `${dst_ip}:${dst_port}`,
  in: String(incoming_interface),
})

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
