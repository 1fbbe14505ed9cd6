// The top bar: the palette, the health of the gateway, the newest revision, the minutes that the session lasts, the account.

import { type ReactNode, useEffect, useState } from 'react'
import { useHappenings } from '../api/events.ts'
import { sessionStore, useSession } from '../api/session.ts'
import { useStore } from '../api/store.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Keys } from '../ui/keys.tsx'
import { Link } from '../ui/link.tsx'
import { Status } from '../ui/status.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { t } from '../words.ts'
import { AccountMenu } from './dialogs.tsx'
import { openPalette } from './palette/palette-store.ts'
import styles from './top-bar.module.css'

interface Props {
  readonly onMenu: () => void
  readonly onHelp: () => void
}

export function TopBar({ onMenu, onHelp }: Props): ReactNode {
  return (
    <header className={styles.bar} data-region="top" tabIndex={-1}>
      <div className={styles.menu}>
        <IconButton icon="menu" label={t('Pages')} onClick={onMenu} />
      </div>
      <button type="button" className={styles.palette} onClick={() => openPalette()} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span className={styles.ask}>{t('Find or ask: 10.1.2.3, a -> b:443, rule 42, page …')}</span>
        <Keys keys="Ctrl K" />
      </button>
      <div className={styles.rest}>
        <HealthDot />
        <Revision />
        <TimeLeft />
        <AccountMenu onHelp={onHelp} />
      </div>
    </header>
  )
}

const healthWords = (state: string, bad: number): string => {
  if (state === 'ok') return t('Healthy')
  if (state === 'unknown') return t('Health unknown')
  return t('{count, plural, one {# item needs attention} other {# items need attention}}', { count: bad })
}

function HealthDot(): ReactNode {
  const { health } = useHappenings()
  const { may } = useSession()
  if (!health || !may('view')) return null
  const { state, counts } = health
  const words = healthWords(state, counts.failed + counts.warning)
  return (
    <Link to="overview/health" className={styles.fact} label={words}>
      <Status state={state}>
        <span className={styles.wide}>{words}</span>
      </Status>
    </Link>
  )
}

function Revision(): ReactNode {
  const { revision } = useHappenings()
  const { may } = useSession()
  if (!revision) return null
  const words = t('rev {revision}', { revision: revision.revision })
  if (!may('view')) return <span className={styles.fact}>{words}</span>
  const { author = '', reason = '' } = revision
  const last = author === '' ? t('Newest revision of the configuration') : t('Last change by {author}', { author })
  return (
    <Tooltip text={reason === '' ? last : `${last}: ${reason}`}>
      <Link to="system/history" className={styles.fact}>
        {words}
      </Link>
    </Tooltip>
  )
}

const tickMs = 10_000

/** The minutes that are left, drawn by a clock of its own. */
function TimeLeft(): ReactNode {
  const { endsAt } = useStore(sessionStore)
  const [, setNow] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  if (endsAt === 0) return null
  const minutes = Math.max(0, Math.ceil((endsAt - Date.now()) / 60_000))
  return (
    <span className={`${styles.fact} ${styles.wide}`} data-testid="time-left">
      {t('{minutes} min left', { minutes })}
    </span>
  )
}
