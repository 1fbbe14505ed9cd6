// One security event: what was found and done, in whose traffic, by which profile and rule, what was sent, and what can be done about it.

import type { ReplyOf } from '@gateway/server/contract'
import { eventCapture, showEvent } from '@gateway/server/contract/security-events'
import { type ReactNode, useState } from 'react'
import { send } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/reads.ts'
import { labelOf, valueWord } from '../../contract/words.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { hostPath } from '../../util/address.ts'
import { saveBlob } from '../../util/save-file.ts'
import { printMoment } from '../../util/time.ts'
import { currentLanguage, heard, t } from '../../words.ts'
import { ExceptionDialog } from './event-exception.tsx'
import styles from './explorer.module.css'
import { type LinePanelProps, useLineKeys } from './line-panel.tsx'
import { moduleWords, severityWord, toneOfSeverity } from './source-security.ts'

type Details = ReplyOf<typeof showEvent>
type Event = Details['event']

export function EventPanel({ line, source, zone, acts, onClose }: LinePanelProps): ReactNode {
  useLineKeys(line, acts)
  const read = useRead(showEvent, { params: { event_id: line.key } })
  const editing = useEditing('configure')
  const [isExcepting, setExcepting] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const details = read.data?.data
  const download = async (): Promise<void> => {
    setBusy(true)
    try {
      const answer = await send(eventCapture, { params: { event_id: line.key } })
      saveBlob(`event-${line.key}.pcap`, await answer.blob())
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      toast(heard(error.message), { tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Drawer title={String(line.cells.signature ?? '')} width="wide" onClose={onClose}>
      <div className={styles.panelActions}>
        <Button
          icon="accept"
          kind="primary"
          isDisabled={!editing.isAllowed || details === undefined || details.exceptions.length === 0}
          why={editing.why ?? (details === undefined ? undefined : heard(details.no_exception))}
          onClick={() => setExcepting(true)}
        >
          {t('Make an exception')}
        </Button>
        <Button icon="export" isBusy={isBusy} isDisabled={details === undefined} onClick={() => void download()}>
          {t('Download packets')}
        </Button>
        <Button
          icon="add"
          keys="R"
          isDisabled={!acts.mayChange}
          why={t('Needs a role that may change rules.')}
          onClick={() => acts.makeRule(line)}
        >
          {t('Make a rule')}
        </Button>
        <Button icon="trace" keys="T" onClick={() => acts.trace(line)}>
          {t('Trace')}
        </Button>
        <Button icon="copy" onClick={() => acts.copy(line)}>
          {t('Copy as text')}
        </Button>
      </div>
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {details ? (
        <>
          <p className={styles.chips}>
            <Chip tone={toneOfSeverity(details.event.severity) ?? 'plain'}>{severityWord(details.event.severity)}</Chip>
            <Chip tone={details.event.result === 'blocked' ? 'bad' : 'warn'}>{t(valueWord(details.event.result))}</Chip>
            <Chip>{t(moduleWords[details.event.module] ?? details.event.module)}</Chip>
            <span>{printMoment(line.time / 1_000, zone, currentLanguage())}</span>
          </p>
          <Facts details={details} />
          <TextPart title={t('Beginning of what was sent')} text={details.payload} />
          <TextPart title={t('Text of the signature')} text={details.signature_text} />
          <Others event={details.event} wordOf={source.wordOf} />
        </>
      ) : read.error ? null : (
        <Skeleton lines={8} />
      )}
      {isExcepting && details ? (
        <ExceptionDialog eventId={line.key} details={details} onClose={() => setExcepting(false)} />
      ) : null}
    </Drawer>
  )
}

const pagesOfProfiles: Readonly<Record<string, string>> = {
  ips: 'protection/intrusion-prevention/profiles',
  application: 'protection/applications/profiles',
}

function Facts({ details }: { readonly details: Details }): ReactNode {
  const { event, firewall_rule: rule } = details
  return (
    <dl className={styles.panelList}>
      <Fact title={t('From')} isShown={event.src_ip !== ''}>
        <Host address={event.src_ip} port={event.src_port} place={event.src_location_name || event.src_zone} />
      </Fact>
      <Fact title={t('To')} isShown={event.dst_ip !== ''}>
        <Host address={event.dst_ip} port={event.dst_port} place={event.dst_location_name || event.dst_zone} />
      </Fact>
      <Fact title={t('User')} isShown={event.src_user_login !== ''}>
        <PlainText text={[event.src_user_login, event.src_user_name].filter((one) => one !== '').join(', ')} />
      </Fact>
      <Fact title={t('Profile')} isShown={event.profile !== ''}>
        <Link to={`${pagesOfProfiles[event.module]}/${encodeURIComponent(event.profile_id)}`}>
          <PlainText text={event.profile} />
        </Link>{' '}
        <span className={styles.quiet}>{t('does: {action}', { action: t(valueWord(details.action)) })}</span>
      </Fact>
      <Fact title={t('Firewall rule')} isShown={rule !== null}>
        {rule?.exists ? (
          <Link to={`policy/rules/${rule.table}/${rule.id}`}>
            {rule.table.toUpperCase()} {rule.id}
          </Link>
        ) : (
          `${rule?.table.toUpperCase()} ${rule?.id}`
        )}{' '}
        {rule?.exists === false ? t('removed since') : <PlainText text={rule?.comment ?? ''} limit={200} />}
      </Fact>
      <Fact title={t('Signature')} isShown={event.module === 'ips'}>
        {details.signature_text === '' ? (
          event.signature_id
        ) : (
          <Link to={`protection/intrusion-prevention/signatures/${event.signature_id}`}>{event.signature_id}</Link>
        )}{' '}
        <PlainText text={details.category} limit={120} />
      </Fact>
      <Fact title={t('Connection began')} isShown={details.flow_start > 0}>
        <Time unix={details.flow_start} isExact />
      </Fact>
      <Fact title={t('Other events')} isShown={event.flow_id !== ''}>
        <Link to={`monitor/logs/security?from=-30d&flow_id=${encodeURIComponent(event.flow_id)}`}>
          {t('of the same connection')}
        </Link>
        {', '}
        <Link to={`monitor/logs/security?from=-30d&src_ip=${encodeURIComponent(event.src_ip)}`}>
          {t('from the same address')}
        </Link>
      </Fact>
    </dl>
  )
}

interface FactProps {
  readonly title: string
  readonly isShown: boolean
  readonly children: ReactNode
}

function Fact({ title, isShown, children }: FactProps): ReactNode {
  if (!isShown) return null
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  )
}

interface HostProps {
  readonly address: string
  readonly port: number
  readonly place: string
}

function Host({ address, port, place }: HostProps): ReactNode {
  const path = hostPath(address)
  return (
    <>
      <span className={styles.mono}>
        {path ? <Link to={path}>{address}</Link> : address}
        {port > 0 ? `:${port}` : ''}
      </span>{' '}
      <span className={styles.quiet}>
        <PlainText text={place} limit={80} />
      </span>
    </>
  )
}

function TextPart({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  if (text === '') return null
  return (
    <section aria-label={title}>
      <h3 className={styles.partTitle}>{title}</h3>
      <pre className={styles.partText} dir="ltr">
        <PlainText text={text} limit={9_000} />
      </pre>
    </section>
  )
}

/** Said above already, or of no use to a person. */
const told = new Set<keyof Event>([
  ...(['id', 'date_time', 'module', 'result', 'severity', 'signature_id', 'signature', 'src_ip', 'src_port'] as const),
  ...(['dst_ip', 'dst_port', 'src_user_id', 'src_user_login', 'src_user_name', 'profile_id', 'profile'] as const),
  ...(['table', 'rule_id', 'flow_id', 'src_location_name', 'dst_location_name'] as const),
])

interface OthersProps {
  readonly event: Event
  readonly wordOf: LinePanelProps['source']['wordOf']
}

function Others({ event, wordOf }: OthersProps): ReactNode {
  const rest = (Object.keys(event) as (keyof Event)[]).filter((name) => !told.has(name) && event[name] !== '')
  return (
    <dl className={styles.panelList}>
      {rest.map((name) => (
        <Fact key={name} title={t(labelOf(name))} isShown>
          <PlainText text={wordOf?.(name, event[name]) ?? String(event[name])} limit={4_000} />
        </Fact>
      ))}
    </dl>
  )
}
