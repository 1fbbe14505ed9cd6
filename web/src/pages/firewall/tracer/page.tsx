// The tracer: a packet, the verdict first, the way it takes drawn as a path, and why no earlier rule decided. The packet is
// in the address, so that a trace can be sent to someone.

import { connections } from '@gateway/server/contract/network'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useRead } from '../../../api/reads.ts'
import type { HandPage } from '../../../page.ts'
import { useGo, usePlace } from '../../../place.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { NumberInput } from '../../../ui/number-input.tsx'
import { PageHead } from '../../../ui/page-head.tsx'
import { ProblemBox } from '../../../ui/problem-box.tsx'
import { RadioGroup } from '../../../ui/radio-group.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { t } from '../../../words.ts'
import { useDraftCalls } from '../drafts.ts'
import { useObjects } from '../use-objects.ts'
import { type PacketDraft, packetFaults, packetFromSearch, searchOfPacket } from './packet.ts'
import { PacketForm } from './packet-form.tsx'
import styles from './page.module.css'
import { TraceView } from './trace-view.tsx'
import { useTrace } from './use-trace.ts'

export type Against = 'running' | 'revision' | 'draft'

function TracerPage() {
  const { search } = usePlace()
  const go = useGo()
  const { index } = useObjects()
  const draftCalls = useDraftCalls()
  const isGiven = search.s !== undefined && search.d !== undefined
  const [packet, setPacket] = useState<PacketDraft>(() => packetFromSearch(search))
  const [isChecked, setChecked] = useState(false)
  const against: Against = search.rev !== undefined ? 'revision' : search.draft !== undefined ? 'draft' : 'running'
  const [revision, setRevision] = useState<number | null>(search.rev === undefined ? null : Number(search.rev))
  const [wanted, setWanted] = useState<Against>(against)
  const known = useRead(connections.list)
  const asked = isGiven ? packetFromSearch(search) : null
  const isAskable = asked !== null && packetFaults(asked).size === 0 && !known.isPending
  const trace = useTrace({
    packet: isAskable ? asked : null,
    connections: known.data?.data ?? [],
    against,
    revision: search.rev === undefined ? null : Number(search.rev),
    draftCalls,
  })
  const latest = useRef(search)
  useEffect(() => {
    // Another packet came by a link.
    if (latest.current === search) return
    latest.current = search
    if (search.s !== undefined || search.d !== undefined) setPacket(packetFromSearch(search))
  }, [search])

  const faults = packetFaults(packet)
  const ask = (): void => {
    setChecked(true)
    if (faults.size > 0) return
    const next = {
      ...searchOfPacket(packet),
      ...(wanted === 'revision' && revision !== null ? { rev: String(revision) } : {}),
      ...(wanted === 'draft' ? { draft: '1' } : {}),
    }
    if (JSON.stringify(next) === JSON.stringify(search)) trace.again()
    else go.open('policy/tracer', next)
  }

  const onKey = (event: KeyboardEvent): void => {
    const isInput = event.target instanceof HTMLInputElement
    if (event.key === 'Enter' && (isInput || event.ctrlKey || event.metaKey) && !event.defaultPrevented) ask()
  }

  return (
    <div className={styles.page}>
      <PageHead
        title={t('Tracer')}
        lead={t('Which rule decides about a packet, and why no earlier one does. Nothing is sent.')}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in any field traces */}
      <div className={styles.ask} onKeyDown={onKey}>
        <PacketForm packet={packet} onChange={setPacket} faults={isChecked ? faults : new Map()} index={index} />
        <div className={styles.against}>
          <RadioGroup
            isRow
            label={t('Against')}
            value={wanted}
            options={[
              { value: 'running', label: t('what runs now') },
              { value: 'revision', label: t('a past revision') },
              { value: 'draft', label: t('my draft') },
            ]}
            onChange={(value) => setWanted(value as Against)}
          />
          {wanted === 'revision' ? (
            <span className={styles.revision}>
              <NumberInput value={revision} onChange={setRevision} min={0} label={t('Revision')} placeholder="811" />
            </span>
          ) : null}
          <span className={styles.push} />
          <Button kind="primary" icon="trace" onClick={ask} keys="Enter">
            {t('Trace')}
          </Button>
        </div>
        {wanted === 'draft' && draftCalls.length === 0 ? (
          <Bar tone="plain">
            {t('There is no draft: change rules in a table without applying them, then trace here.')}
          </Bar>
        ) : null}
      </div>
      <div className={styles.answer} aria-live="polite">
        {trace.state === 'idle' ? (
          <Empty title={t('Where does it go?')}>
            {t(
              'Fill in a packet, or type "10.1.2.9 -> 198.51.100.10:443" into the search line at the top of any page.',
            )}
          </Empty>
        ) : null}
        {trace.state === 'waiting' ? <Skeleton lines={6} /> : null}
        {trace.state === 'failed' ? <ProblemBox failure={trace.failure} onRetry={trace.again} /> : null}
        {trace.state === 'unnamed' ? (
          <Bar tone="bad">{t('{name} has no address: {reason}', { name: trace.name, reason: trace.reason })}</Bar>
        ) : null}
        {trace.state === 'done' ? <TraceView answer={trace.answer} index={index} against={against} /> : null}
      </div>
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: TracerPage }
