// What the three pages of traffic have in common: the head with its state, links to hosts, bars of rates.

import { traffic } from '@gateway/server/contract/monitor'
import type { StatusItem } from '@gateway/server/core/fields'
import type { ReactNode } from 'react'
import type { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Status } from '../../ui/status.tsx'
import type { Pause } from '../../ui/use-pause.ts'
import { hostPath } from '../../util/address.ts'
import { heard, t } from '../../words.ts'
import styles from './monitor.module.css'

export const useTrafficStatus = (pause: Pause): readonly StatusItem[] =>
  useRead(traffic.status, pause.every(15_000)).data?.data ?? []

/** The address leads to its host page where the role may open it. */
export function HostLink({ address, text = address }: { readonly address: string; readonly text?: string }): ReactNode {
  const { may } = useSession()
  const path = may('view') ? hostPath(address) : null
  if (path === null) return <span className={styles.mono}>{text}</span>
  return (
    <Link to={path} className={styles.mono}>
      {text}
    </Link>
  )
}

export function RateBar({ value, most }: { readonly value: number; readonly most: number }): ReactNode {
  return (
    <span className={styles.track} aria-hidden="true">
      <span className={styles.bar} style={{ inlineSize: `${most === 0 ? 0 : Math.max(1, (value / most) * 100)}%` }} />
    </span>
  )
}

interface HeadProps {
  readonly title: string
  readonly pause: Pause
  readonly status: readonly StatusItem[]
  readonly error: Failure | null
  readonly onRetry: () => void
}

export function TrafficHead({ title, pause, status, error, onRetry }: HeadProps): ReactNode {
  const [item] = status
  const notes = status.flatMap(({ msg }) => msg)
  return (
    <>
      <PageHead
        title={title}
        lead={t('What the kernel tracks at this moment; there is no history here.')}
        status={item ? <Status state={item.status} /> : null}
      >
        <Button icon={pause.isPaused ? 'play' : 'pause'} keys="Space" onClick={pause.toggle} isPressed={pause.isPaused}>
          {pause.isPaused ? t('Go on') : t('Pause')}
        </Button>
      </PageHead>
      {notes.length > 0 ? (
        <Bar tone="plain">
          <PlainText text={notes.map(heard).join(' ')} />
        </Bar>
      ) : null}
      {error ? (
        <ProblemBox failure={error} onRetry={onRetry} still={t('What was read before is still shown.')} />
      ) : null}
    </>
  )
}
