// Metrics for a monitoring server: the token that opens them, and how they are asked for.

import { metricsToken, showMetrics } from '@gateway/server/contract/health'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain, useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words.ts'
import styles from './health.module.css'

export function Metrics(): ReactNode {
  const editing = useEditing('configure')
  const token = useRead(metricsToken.show)
  const [bearer, setBearer] = useState<string | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const run = async (act: () => Promise<void>): Promise<void> => {
    setFailure(null)
    try {
      await act()
      await readAgain(metricsToken.show)
    } catch (error) {
      if (error instanceof Failure) setFailure(error)
      else throw error
    }
  }
  const make = (): void =>
    void run(async () => {
      const { data } = await call(metricsToken.create)
      setBearer(data.bearer)
    })
  const remove = (): void => {
    setRemoving(false)
    void run(async () => {
      await call(metricsToken.remove)
      setBearer(null)
      toast(t('Metrics are off.'), { tone: 'ok' })
    })
  }
  const state = token.data?.data
  const address = new URL(showMetrics.path, window.location.href).href
  return (
    <div className={styles.stack}>
      <PageHead
        title={t('Metrics')}
        lead={t('Numbers of the gateway in the format of Prometheus. They need a token, not a session.')}
        status={
          state ? (
            <Status state={state.enabled ? 'active' : 'inactive'}>{state.enabled ? t('On') : t('Off')}</Status>
          ) : null
        }
      >
        <Button icon="key" kind="primary" onClick={make} isDisabled={!editing.isAllowed} why={editing.why}>
          {state?.enabled ? t('Make a new token') : t('Make a token')}
        </Button>
        {state?.enabled ? (
          <Button icon="remove" onClick={() => setRemoving(true)} isDisabled={!editing.isAllowed} why={editing.why}>
            {t('Remove the token')}
          </Button>
        ) : null}
      </PageHead>
      {failure ? <ProblemBox failure={failure} /> : null}
      {token.error ? <ProblemBox failure={token.error} onRetry={() => void token.refetch()} /> : null}
      {bearer === null ? null : (
        <Bar tone="warn">{t('The token is shown only now. Copy the command, or make another token later.')}</Bar>
      )}
      <Panel title={t('Token')}>
        {token.isPending ? <Skeleton lines={2} /> : null}
        {state?.enabled ? (
          <p>
            {t('Made by {who}', { who: state.created_by ?? '' })}{' '}
            {state.created_at === null ? null : <Time unix={state.created_at} />}.{' '}
            {t('A new token ends the one before.')}
          </p>
        ) : state ? (
          <p>{t('There is no token, so every call is refused.')}</p>
        ) : null}
      </Panel>
      <Panel title={t('How it is asked for')}>
        <CommandBlock
          commands={[{ name: 'curl', text: `curl -H 'Authorization: Bearer ${bearer ?? t('TOKEN')}' '${address}'` }]}
        />
      </Panel>
      {isRemoving ? (
        <Confirm
          title={t('Remove the token?')}
          action={t('Remove the token')}
          isDanger
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          {t('Monitoring servers that use it get no more numbers.')}
        </Confirm>
      ) : null}
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Metrics }
