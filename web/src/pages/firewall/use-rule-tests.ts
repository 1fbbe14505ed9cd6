// Rule tests with the results of the last run, and what can be done with them.

import { checkResults, checks, checksSettings, startChecks } from '@gateway/server/contract/firewall'
import { useState } from 'react'
import { applyNow, useReview } from '../../api/apply.ts'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain, useRead } from '../../api/reads.ts'
import type { Item } from '../../contract/define.ts'
import { useGo } from '../../place.ts'
import type { GridKey } from '../../ui/grid/types.ts'
import { toast } from '../../ui/toast.tsx'
import { heard, t } from '../../words.ts'

export type Check = { readonly id: string } & Item
export type Results = Readonly<Record<string, { result: string; rule_id: string; verdict: boolean }>>

const runningMs = 1_000
const idleMs = 30_000

export type RuleTests = ReturnType<typeof useRuleTests>

export function useRuleTests() {
  const list = useRead(checks.list)
  const [isStarted, setStarted] = useState(false)
  const results = useRead(checkResults, { everyMs: isStarted ? runningMs : idleMs })
  const settings = useRead(checksSettings.show)
  const state = results.data?.data
  const isRunning = state?.in_progress ?? false
  if (isStarted && state && !isRunning && results.dataUpdatedAt > 0 && Object.keys(state.data).length > 0)
    setStarted(false)
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
  return {
    list,
    // Cast: a check is one of several kinds; the page reads what they have in common.
    rows: (list.data?.data ?? []) as unknown as readonly Check[],
    etag: list.data?.etag ?? null,
    settings,
    /** Of the last run. */
    state,
    data: (state?.data ?? {}) as Results,
    isStarted,
    isRunning,
    run,
  }
}

export function useRuleTestActs({ etag, settings }: RuleTests) {
  const go = useGo()
  const review = useReview()
  const editing = useEditing('firewall')
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
      calls: targets.map(({ id }) => ({ endpoint: checks.remove, params: { check_id: id }, etag })),
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
  return { editing, setBlocking, remove, copy, onKey }
}

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
