// Parts of the host page: sessions with their rates, refusals, and the rules that touch the address.

import type { ReplyOf } from '@gateway/server/contract'
import { listTouching } from '@gateway/server/contract/firewall'
import { listFirewallLog, showLoggedRules } from '@gateway/server/contract/firewall-log'
import type { traffic } from '@gateway/server/contract/monitor'
import { type ReactNode, useMemo } from 'react'
import type { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/reads.ts'
import { RuleNumber } from '../../contract/render/rule-number.tsx'
import { valueWord } from '../../contract/words.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { hostPath } from '../../util/address.ts'
import { printRate } from '../../util/amount.ts'
import { printDuration } from '../../util/time.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './overview.module.css'

type Session = ReplyOf<typeof traffic.sessions>[number]
type Every = (ms: number) => { readonly everyMs?: number }

/** `TCP:51000` is the port 51000. */
const portOf = (text: string): string => text.split(':')[1] ?? ''
const rate = ({ bps_in, bps_out }: Session): number => bps_in + bps_out
const protocolOf = (text: string): string => text.split(':')[0] ?? ''

interface SessionsProps {
  readonly address: string
  readonly sessions: readonly Session[]
  readonly error: Failure | null
  readonly isPending: boolean
}

export function HostSessions({ address, sessions, error, isPending }: SessionsProps): ReactNode {
  const language = currentLanguage()
  const rows = useMemo(() => [...sessions].sort((a, b) => rate(b) - rate(a)), [sessions])
  const peerOf = ({ source_ip, destination_ip }: Session): string =>
    source_ip === address ? destination_ip : source_ip
  return (
    <Panel
      title={t('Sessions now')}
      isFlush
      actions={
        <Link to="monitor/traffic" search={{ q: address }}>
          {t('In the list of all')}
        </Link>
      }
    >
      {error && sessions.length === 0 ? <ProblemBox failure={error} /> : null}
      <Grid
        label={t('Sessions now')}
        rows={rows}
        rowKey={({ id }) => id}
        isLoading={isPending}
        height={Math.min(360, 40 + Math.max(3, rows.length) * 28)}
        columns={[
          {
            id: 'way',
            title: t('Way'),
            width: 70,
            cell: ({ source_ip }) => (source_ip === address ? t('out') : t('in')),
          },
          {
            id: 'protocol',
            title: t('Protocol'),
            width: 80,
            cell: ({ destination_proto }) => protocolOf(destination_proto),
          },
          {
            id: 'peer',
            title: t('Other side'),
            width: 'rest',
            cell: (row) => {
              const path = hostPath(peerOf(row))
              const text = `${peerOf(row)}${portOf(row.destination_proto) === '' ? '' : `:${portOf(row.destination_proto)}`}`
              return path ? (
                <Link to={path} className={styles.mono}>
                  {text}
                </Link>
              ) : (
                text
              )
            },
          },
          {
            id: 'application',
            title: t('Application'),
            width: 140,
            cell: ({ application }) => <PlainText text={application} limit={40} />,
          },
          {
            id: 'duration',
            title: t('For'),
            width: 90,
            isNumber: true,
            cell: ({ duration }) => printDuration(duration, language),
          },
          {
            id: 'in',
            title: t('To the source'),
            width: 110,
            isNumber: true,
            cell: ({ bps_in }) => printRate(bps_in, language),
          },
          {
            id: 'out',
            title: t('From the source'),
            width: 120,
            isNumber: true,
            cell: ({ bps_out }) => printRate(bps_out, language),
          },
        ]}
        empty={<Empty title={t('No session of this host passes now')} />}
      />
    </Panel>
  )
}

const mostRefusals = 100

const tablePaths: Readonly<Record<string, string>> = {
  FWD: 'policy/rules/forward',
  INP: 'policy/rules/input',
  DNAT: 'policy/rules/dnat',
  SNAT: 'policy/rules/snat',
  LOG: 'policy/rules/log',
}

export function HostRefusals({ address, every }: { readonly address: string; readonly every: Every }): ReactNode {
  const asked = { limit: mostRefusals } as const
  const from = useRead(listFirewallLog, { query: { ...asked, source_ip: address, action: 'drop' }, ...every(5_000) })
  const to = useRead(listFirewallLog, { query: { ...asked, destination_ip: address, action: 'drop' }, ...every(5_000) })
  const told = useRead(listFirewallLog, { query: { ...asked, source_ip: address, action: 'reject' }, ...every(5_000) })
  const rows = [from, to, told]
    .flatMap(({ data }) => data?.data ?? [])
    .sort((a, b) => (a.time < b.time ? 1 : -1))
    .slice(0, mostRefusals)
  return (
    <Panel
      title={t('Refused')}
      isFlush
      actions={
        <Link to="monitor/logs/firewall" search={{ source_ip: address, action: 'drop,reject,deny', from: '-1d' }}>
          {t('In the log')}
        </Link>
      }
    >
      {from.error ? <ProblemBox failure={from.error} onRetry={() => void from.refetch()} /> : null}
      <Grid
        label={t('Refused')}
        rows={rows}
        rowKey={({ time, text }) => `${time} ${text}`}
        isLoading={from.isPending}
        height={Math.min(300, 40 + Math.max(3, rows.length) * 28)}
        columns={[
          { id: 'time', title: t('Time'), width: 120, cell: ({ time }) => <Time iso={time} /> },
          {
            id: 'rule',
            title: t('Rule'),
            width: 120,
            cell: ({ table, rule_id }) => {
              const path = tablePaths[table]
              const text = <RuleNumber table={table} id={rule_id} />
              return path && !rule_id.includes('.') ? <Link to={`${path}/${rule_id}`}>{text}</Link> : text
            },
          },
          { id: 'action', title: t('Action'), width: 80, cell: ({ action }) => t(valueWord(action)) },
          { id: 'protocol', title: t('Protocol'), width: 80, cell: ({ protocol }) => protocol },
          {
            id: 'from',
            title: t('From'),
            width: 190,
            cell: ({ source_ip, source_port }) => (
              <span className={styles.mono}>{`${source_ip}${source_port === null ? '' : `:${source_port}`}`}</span>
            ),
          },
          {
            id: 'to',
            title: t('To'),
            width: 'rest',
            cell: ({ destination_ip, destination_port }) => (
              <span
                className={styles.mono}
              >{`${destination_ip}${destination_port === null ? '' : `:${destination_port}`}`}</span>
            ),
          },
        ]}
        empty={<Empty title={t('Nothing of this host was refused and recorded')} />}
      />
    </Panel>
  )
}

const logNames = { forward: 'FWD', input: 'INP', dnat: 'DNAT', snat: 'SNAT', log: 'LOG' } as const
const mostRules = 100

export function HostRules({ address }: { readonly address: string }): ReactNode {
  const touching = useRead(listTouching, { query: { address } })
  const rules = useMemo(() => (touching.data?.data ?? []).slice(0, mostRules), [touching.data])
  const { data: names } = useRead(showLoggedRules, {
    query: { rules: rules.map(({ table, id }) => ({ table: logNames[table], rule_id: String(id) })) },
    isEnabled: rules.length > 0,
  })
  const more = (touching.data?.data.length ?? 0) - rules.length
  return (
    <Panel
      title={t('Rules that name it')}
      actions={
        <Link to="policy/rules/forward" search={{ q: `touches:${address}` }}>
          {t('All that touch it')}
        </Link>
      }
    >
      {touching.isPending ? <Skeleton lines={3} /> : null}
      {touching.error ? <ProblemBox failure={touching.error} onRetry={() => void touching.refetch()} /> : null}
      {touching.data && rules.length === 0 ? (
        <p className={styles.muted}>{t('No enabled rule names this address, by itself or by an object.')}</p>
      ) : null}
      <dl className={styles.facts}>
        {rules.map(({ table, id, source, destination }, at) => {
          const rule = names?.data[at]
          return (
            <div key={`${table} ${id}`} style={{ display: 'contents' }}>
              <dt>
                <Link to={`policy/rules/${table}/${id}`}>
                  <RuleNumber table={table} id={id} />
                </Link>
              </dt>
              <dd>
                {rule?.action ? `${t(valueWord(rule.action))} ` : ''}
                <PlainText text={rule?.name ?? ''} limit={80} />{' '}
                <span className={styles.muted}>
                  {source === 'named' && destination === 'named'
                    ? t('as source and destination')
                    : source === 'named'
                      ? t('as source')
                      : t('as destination')}
                </span>
              </dd>
            </div>
          )
        })}
      </dl>
      {more > 0 ? <p className={styles.muted}>{t('and {count} more', { count: more })}</p> : null}
    </Panel>
  )
}
