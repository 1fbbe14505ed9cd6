// The upgrade that runs, with its steps, or how the last one ended.

import type { ReplyOf } from '@gateway/server/contract'
import type { upgradeStatus } from '@gateway/server/contract/updates'
import { find } from '@gateway/server/shared/said'
import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { heard, msg, t } from '../../words.ts'
import { type Step, stepsOf } from './steps.ts'
import styles from './updates.module.css'

type Last = NonNullable<ReplyOf<typeof upgradeStatus>['last']>

const ends: Readonly<Record<Last['state'], readonly [state: StatusState, word: string]>> = {
  running: ['activating', msg('Running')],
  done: ['active', msg('Done')],
  returned: ['warning', msg('Returned to the old version')],
  failed: ['failed', msg('Failed')],
}

const stepWords: Readonly<Record<Last['step'], string>> = {
  checking: msg('Check the package'),
  keeping: msg('Keep the old version and the state'),
  installing: msg('Install the new version'),
  starting: msg('Start the new version'),
  returning: msg('Return to the old version'),
}

const stepStates: Readonly<Record<Step['state'], readonly [state: StatusState, word: string]>> = {
  past: ['ok', msg('Done')],
  now: ['activating', msg('Now')],
  next: ['inactive', msg('Later')],
}

interface LastProps {
  readonly last: Last | null
  /** Another one was asked for, and the gateway does not show it yet. */
  readonly isBeginning: boolean
  /** The gateway does not answer: what is shown is what it said last. */
  readonly isAway: boolean
}

export function LastUpgrade({ last, isBeginning, isAway }: LastProps): ReactNode {
  const isRunning = isBeginning || last?.state === 'running'
  const [state, word] = ends[isRunning || !last ? 'running' : last.state]
  return (
    <Panel title={isRunning ? t('Upgrade') : t('Last upgrade')}>
      <div className={styles.stack} aria-live="polite">
        <div className={styles.line}>
          <Status state={state}>{t(word)}</Status>
          {last && !isBeginning ? <span>{sentenceOf(last)}</span> : <span>{t('The upgrade begins.')}</span>}
        </div>
        {isRunning || last?.state === 'done' ? (
          <ol className={styles.steps} aria-label={t('Steps of the upgrade')}>
            {stepsOf(isBeginning || !last ? { state: 'running', step: 'checking' } : last).map(({ name, state }) => (
              <li key={name} aria-current={state === 'now' ? 'step' : undefined}>
                <Status state={stepStates[state][0]}>
                  {isAway && state === 'now' ? t('Seen last') : t(stepStates[state][1])}
                </Status>
                <span>{t(stepWords[name])}</span>
              </li>
            ))}
          </ol>
        ) : null}
        {isRunning ? (
          <p className={styles.quiet}>
            {t(
              'Traffic goes on. The console is away for a minute or two while files are replaced; leave this page open.',
            )}
          </p>
        ) : null}
        {last && !isRunning ? <Ended last={last} /> : null}
      </div>
    </Panel>
  )
}

function sentenceOf({ state, from, to, message }: Last): string {
  if (state === 'running') return t('From {from} to {to}.', { from, to })
  // It says which way it went: gw upgrade --undo goes back.
  if (state === 'done') return heard(message)
  if (state === 'returned') return t('Version {to} did not come up, and {from} is in use again.', { from, to })
  return t('The upgrade from {from} to {to} failed.', { from, to })
}

/** What the gateway said beside that it failed, which the sentence above says. */
const reasonOf = ({ state, message }: Last): string =>
  state === 'done' ? '' : (find(message)?.values.at(-1) ?? message)

function Ended({ last }: { readonly last: Last }): ReactNode {
  const { started_at, finished_at, by } = last
  const reason = reasonOf(last)
  const said = heard(reason)
  return (
    <Facts>
      {reason === '' ? null : (
        <>
          <dt>{t('What the gateway said')}</dt>
          <dd lang={said === reason ? 'en' : undefined}>
            <PlainText text={said} limit={2_000} />
          </dd>
        </>
      )}
      <dt>{t('Begun')}</dt>
      <dd>
        <Time unix={started_at} isExact />
      </dd>
      {finished_at === null ? null : (
        <>
          <dt>{t('Ended')}</dt>
          <dd>
            <Time unix={finished_at} isExact />
          </dd>
        </>
      )}
      <dt>{t('Begun by')}</dt>
      <dd>
        {by === 'root'
          ? t('root on the machine, with gw upgrade')
          : t('an administrator, with this console or the interface')}
      </dd>
    </Facts>
  )
}
