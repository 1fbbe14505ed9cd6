// The upgrade that runs, with its steps, or how the last one ended.

import type { ReplyOf } from '@gateway/server/contract'
import type { upgradeStatus } from '@gateway/server/contract/updates'
import type { ReactNode } from 'react'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { msg, t } from '../../words.ts'
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
}

export function LastUpgrade({ last, isBeginning }: LastProps): ReactNode {
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
                <Status state={stepStates[state][0]}>{t(stepStates[state][1])}</Status>
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

function sentenceOf({ state, from, to }: Last): string {
  if (state === 'running') return t('From {from} to {to}.', { from, to })
  if (state === 'done') return t('The gateway was upgraded from {from} to {to}.', { from, to })
  if (state === 'returned') return t('Version {to} did not come up, and {from} is in use again.', { from, to })
  return t('The upgrade from {from} to {to} failed.', { from, to })
}

function Ended({ last: { state, message, started_at, finished_at, by } }: { readonly last: Last }): ReactNode {
  return (
    <dl className={styles.facts}>
      {state === 'done' || message === '' ? null : (
        <>
          <dt>{t('What the gateway said')}</dt>
          <dd lang="en">
            <PlainText text={message} limit={2_000} />
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
    </dl>
  )
}
