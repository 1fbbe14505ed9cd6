// The review: what the change does before it is made, why it is made, and within which time it must be kept. Refusals lead to the
// fields, to another try, or to a probation of 90 seconds.

import type { DryRun } from '@gateway/server/core/dry-run'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { type ApplyOptions, applyOnTop, reviewStore, tellApplied, tryPlan } from '../../api/apply.ts'
import type { ChangePlan } from '../../api/change.ts'
import { useEditing } from '../../api/editing.ts'
import { noteProbation } from '../../api/events.ts'
import { Failure } from '../../api/failure.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { heard, t } from '../../words.ts'
import { useSecondsLeft } from '../bars.tsx'
import { waitWords } from '../sign-in/wait-words.ts'
import { planCommands } from './plan-commands.ts'
import { Refused } from './refused.tsx'
import { Report } from './report.tsx'
import styles from './review.module.css'
import { lockOutReason, summaryOf } from './words.ts'

const probationSeconds = 90
const spans = [30, 90, 300, 900] as const

const spanWords = (seconds: number): string =>
  seconds < 300
    ? t('{seconds} s', { seconds })
    : t('{minutes, plural, one {# minute} other {# minutes}}', { minutes: seconds / 60 })

export function ReviewDrawer({ plan }: { readonly plan: ChangePlan }): ReactNode {
  const [reason, setReason] = useState('')
  const [confirmWithin, setConfirmWithin] = useState<number | null>(plan.confirmWithin ?? null)
  const [isCutting, setCutting] = useState(false)
  const [hasCommands, setCommands] = useState(false)
  const { report, failure, isBusy, isProbationNeeded, tryAgain, apply } = useReviewed(plan)
  const { isAllowed, why } = useEditing(accessOf(plan))
  const retryAt = useRef(0)
  if (failure?.retryAfter && retryAt.current === 0) retryAt.current = Date.now() + failure.retryAfter * 1000
  if (!failure) retryAt.current = 0
  const wait = useSecondsLeft(retryAt.current, retryAt.current > 0)
  const within = isProbationNeeded ? (confirmWithin ?? probationSeconds) : confirmWithin
  const options: ApplyOptions = { reason: reason.trim(), confirmWithin: within, isCutting }
  const isReady = report !== null && report.changes.length > 0 && isAllowed && wait === 0
  const close = useCallback(() => reviewStore.set(null), [])
  const submit = () => {
    if (isReady && !isBusy) void apply(options)
    else if (!report && !isBusy && wait === 0) void tryAgain()
  }
  useReviewKeys(submit, () => setCommands((isShown) => !isShown))
  const title = report ? `${plan.title}: ${summaryOf(report)}` : plan.title
  return (
    <Drawer
      title={title}
      onClose={close}
      width="wide"
      isModal
      foot={
        <div className={styles.foot}>
          {report && report.changes.length > 0 ? (
            <div className={styles.options}>
              <Field label={t('Reason')}>
                {({ id }) => (
                  <TextInput
                    id={id}
                    value={reason}
                    onChange={setReason}
                    maxLength={255}
                    placeholder={t('Shown in the history, such as a ticket number')}
                  />
                )}
              </Field>
              <Field label={t('Revert unless kept within')}>
                {({ id }) => (
                  <Select
                    id={id}
                    value={within === null ? '' : String(within)}
                    onChange={(value) => setConfirmWithin(value === '' ? null : Number(value))}
                    options={[
                      ...(isProbationNeeded ? [] : [{ value: '', label: t('No probation: permanent') }]),
                      ...spans.map((seconds) => ({ value: String(seconds), label: spanWords(seconds) })),
                    ]}
                  />
                )}
              </Field>
            </div>
          ) : null}
          <div className={styles.buttons}>
            <Button kind="quiet" icon="command" keys="Alt C" onClick={() => setCommands(!hasCommands)}>
              {t('As command')}
            </Button>
            <span className={styles.space} />
            <Button onClick={close}>{t('Back to editing')}</Button>
            <Button
              kind="primary"
              keys="Ctrl Enter"
              isBusy={isBusy}
              isDisabled={!isReady}
              why={isAllowed ? undefined : why}
              onClick={submit}
            >
              {applyWords(within, wait)}
            </Button>
          </div>
        </div>
      }
    >
      <div className={styles.review}>
        {isProbationNeeded && failure ? (
          <ProbationBar reason={lockOutReason(failure) ?? ''} seconds={within ?? probationSeconds} />
        ) : null}
        {failure && !isProbationNeeded ? (
          <Refused failure={failure} secondsLeft={wait} {...(report ? {} : { onRetry: tryAgain })} />
        ) : null}
        {report ? <Report report={report} isCutting={isCutting} onCutting={setCutting} /> : null}
        {!report && !failure ? <Skeleton lines={6} /> : null}
        {hasCommands ? <CommandBlock commands={planCommands(plan, options)} /> : null}
      </div>
    </Drawer>
  )
}

function applyWords(within: number | null, wait: number): string {
  if (wait > 0) return t('Again in {wait}', { wait: waitWords(wait) })
  return within === null ? t('Apply') : t('Apply for {span}', { span: spanWords(within) })
}

/** The narrowest right that all calls of the plan need. */
const accessOf = ({ calls }: ChangePlan) => calls[0]?.endpoint.access ?? 'change'

function ProbationBar({ reason, seconds }: { readonly reason: string; readonly seconds: number }): ReactNode {
  return (
    <Bar tone="warn">
      <p>{heard(reason)}</p>
      <p>
        {t('It can be applied for {span}: if you do not keep it in time, the gateway reverts it.', {
          span: spanWords(seconds),
        })}
      </p>
    </Bar>
  )
}

interface Reviewed {
  readonly report: DryRun | null
  readonly failure: Failure | null
  readonly isBusy: boolean
  /** The guard against lock-out only lets it pass for a time. */
  readonly isProbationNeeded: boolean
  tryAgain(): Promise<void>
  apply(options: ApplyOptions): Promise<void>
}

function useReviewed(plan: ChangePlan): Reviewed {
  const [report, setReport] = useState<DryRun | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [isProbationNeeded, setProbationNeeded] = useState(false)
  /** True when the page or another plan takes over. */
  const handOver = async (error: Failure): Promise<boolean> => {
    if (error.code === 'precondition_failed' && plan.onConflict) {
      reviewStore.set(await plan.onConflict())
      return true
    }
    if (error.problems.length > 0 && plan.onProblems && error.status !== 412) {
      plan.onProblems(error.problems)
      reviewStore.set(null)
      return true
    }
    return false
  }
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      if (error instanceof DOMException) return
      if (!(error instanceof Failure)) throw error
      if (await handOver(error)) return
      if (lockOutReason(error) !== null) setProbationNeeded(true)
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  /** In one turn: who sees the changes can apply them. */
  const show = (found: DryRun): void => {
    setReport(found)
    setBusy(false)
  }
  /** The guard against lock-out refuses already here: then it is told what a probation would do, and why it has to be one. */
  const findOut = async (tried: ChangePlan, given: { readonly signal?: AbortSignal } = {}): Promise<void> => {
    try {
      show(await tryPlan(tried, given))
    } catch (error) {
      if (!(error instanceof Failure) || lockOutReason(error) === null) throw error
      show(await tryPlan(tried, { ...given, confirmWithin: probationSeconds }))
      setProbationNeeded(true)
      setFailure(error)
    }
  }
  const latest = useRef(attempt)
  latest.current = attempt
  const find = useRef(findOut)
  find.current = findOut
  useEffect(() => {
    const stop = new AbortController()
    setReport(null)
    setProbationNeeded(false)
    void latest.current(() => find.current(plan, { signal: stop.signal }))
    return () => stop.abort()
  }, [plan])
  return {
    report,
    failure,
    isBusy,
    isProbationNeeded,
    tryAgain: () => attempt(() => findOut(plan)),
    apply: (options) =>
      attempt(async () => {
        const applied = await applyOnTop(plan, options)
        if (!applied) {
          // The page asks the person about both versions.
          reviewStore.set(null)
          return
        }
        if (applied.confirmBefore !== null) noteProbation()
        reviewStore.set(null)
        tellApplied(plan, applied)
      }),
  }
}

/** Ctrl Enter applies from any field of the drawer; Alt C shows the commands. */
function useReviewKeys(onApply: () => void, onCommands: () => void): void {
  const latest = useRef({ onApply, onCommands })
  latest.current = { onApply, onCommands }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
        event.preventDefault()
        event.stopPropagation()
        latest.current.onApply()
      } else if (event.altKey && event.code === 'KeyC') {
        event.preventDefault()
        event.stopPropagation()
        latest.current.onCommands()
      }
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [])
}
