// Bars over every page: no connection, a change that waits to be kept, a session that is about to end.

import { confirmChange, putBackChange } from '@gateway/server/contract/configuration'
import { type ReactNode, useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { happenings, useHappenings } from '../api/events.ts'
import { Failure } from '../api/failure.ts'
import { readEverythingAgain } from '../api/reads.ts'
import { readSessionTime, sessionStore, useSession } from '../api/session.ts'
import { useStore } from '../api/store.ts'
import { Bar } from '../ui/bar.tsx'
import { Button } from '../ui/button.tsx'
import { Countdown } from '../ui/countdown.tsx'
import { toast } from '../ui/toast.tsx'
import { heard, t } from '../words.ts'
import styles from './bars.module.css'
import { clockTime } from './clock-time.ts'

/** Whole seconds until a moment of this browser's clock, drawn again each second while `isOn`. */
export function useSecondsLeft(deadline: number, isOn = true): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!isOn) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [isOn])
  return Math.max(0, Math.ceil((deadline - now) / 1000))
}

export function ConnectionBar(): ReactNode {
  const { isReached, isAbsenceExpected, waiting } = useHappenings()
  // The page that knows why says so itself.
  if (isReached || isAbsenceExpected) return null
  return (
    <div role="alert">
      <Bar tone="bad">
        {waiting
          ? t('No connection; reverted at {time} unless kept. Trying again every 2 seconds.', {
              time: clockTime(waiting.deadline),
            })
          : t('No connection to the gateway. Trying again every 2 seconds; what you typed stays here.')}
      </Bar>
    </div>
  )
}

export function ProbationBar(): ReactNode {
  const { waiting } = useHappenings()
  const { login, role, may } = useSession()
  const left = useSecondsLeft(waiting?.deadline ?? 0, waiting !== null)
  const [busy, setBusy] = useState<'keep' | 'back' | null>(null)
  if (!waiting) return null
  const { revision, author } = waiting
  const isOwn = author === login
  const mayDecide = may('change') && (isOwn || role === 'predefined_admin_write')
  const act = async (what: 'keep' | 'back') => {
    setBusy(what)
    try {
      await call(what === 'keep' ? confirmChange : putBackChange)
      happenings.update((now) => ({ ...now, waiting: null }))
      toast(
        what === 'keep'
          ? t('Revision {revision} is kept.', { revision })
          : t('Revision {revision} is reverted.', { revision }),
      )
      await readEverythingAgain()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code !== 'unauthenticated') toast(heard(error.message), { tone: 'bad' })
    } finally {
      setBusy(null)
    }
  }
  const why = mayDecide ? undefined : t('Only {author} or a full administrator decides.', { author })
  return (
    <div role="status" data-bar="probation">
      <Bar
        tone="warn"
        actions={
          <>
            <Button
              kind="primary"
              isBusy={busy === 'keep'}
              isDisabled={!mayDecide || busy !== null}
              why={why}
              onClick={() => void act('keep')}
            >
              {t('Keep')}
            </Button>
            <Button
              isBusy={busy === 'back'}
              isDisabled={!mayDecide || busy !== null}
              why={why}
              onClick={() => void act('back')}
            >
              {t('Revert')}
            </Button>
          </>
        }
      >
        <span className={styles.clock}>
          <Countdown secondsLeft={left} />
        </span>
        {isOwn
          ? t('Your revision {revision} is on probation: it is reverted at {time} unless you keep it.', {
              revision,
              time: clockTime(waiting.deadline),
            })
          : t(
              'Revision {revision} of {author} is on probation until {time}. Nothing else can be changed before then.',
              {
                revision,
                author,
                time: clockTime(waiting.deadline),
              },
            )}
      </Bar>
    </div>
  )
}

const warnSeconds = 120

export function SessionBar(): ReactNode {
  const { endsAt, stage } = useStore(sessionStore)
  const isOn = stage === 'in' && endsAt > 0
  const left = useSecondsLeft(endsAt, isOn)
  const [isBusy, setBusy] = useState(false)
  // The session ended while nothing was asked: one read finds out, and the sign-in opens over the page.
  useEffect(() => {
    if (isOn && left === 0) void readSessionTime().catch(() => {})
  }, [isOn, left])
  if (!isOn || left > warnSeconds || left === 0) return null
  const stay = async () => {
    setBusy(true)
    await readSessionTime({ isStaying: true }).catch(() => {})
    setBusy(false)
  }
  return (
    <div role="status" data-bar="session">
      <Bar
        tone="plain"
        actions={
          <Button isBusy={isBusy} onClick={() => void stay()}>
            {t('Stay')}
          </Button>
        }
      >
        {t('The session ends in {seconds, plural, one {# second} other {# seconds}}. What you typed stays on screen.', {
          seconds: left,
        })}
      </Bar>
    </div>
  )
}
