// One host: head with its names and acts, its rates and sessions now, refusals and the rules that touch it. Space pauses.

import type { ReactNode } from 'react'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Figure } from '../../ui/figure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Pause, usePause } from '../../ui/use-pause.ts'
import { printRate } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import { HostIdentity } from './host-identity.tsx'
import { HostRefusals, HostRules, HostSessions } from './host-parts.tsx'
import styles from './overview.module.css'
import { type Host, useHost } from './use-host.ts'
import { useHostActs } from './use-host-acts.ts'

export function HostView({ address }: { readonly address: string }): ReactNode {
  const { may } = useSession()
  const pause = usePause()
  const host = useHost(address, pause)
  const { own, rates, sessions } = host
  const language = currentLanguage()
  return (
    <div className={styles.page}>
      <HostHead host={host} pause={pause} />
      <section className={styles.figures} aria-label={t('Now')}>
        <Figure label={t('To the host')} value={printRate(rates.in, language)} />
        <Figure label={t('From the host')} value={printRate(rates.out, language)} />
        <Figure label={t('Sessions')} value={own.length} />
      </section>
      <div className={styles.columns}>
        <HostIdentity host={host} />
        <HostRules address={address} />
      </div>
      {may('reports') ? (
        <HostSessions address={address} sessions={own} error={sessions.error} isPending={sessions.isPending} />
      ) : null}
      <HostRefusals address={address} every={pause.every} />
    </div>
  )
}

interface HostHeadProps {
  readonly host: Host
  readonly pause: Pause
}

function HostHead({ host, pause }: HostHeadProps): ReactNode {
  const { address, name, user, device, own } = host
  const { leaseEditing, ruleEditing, ...acts } = useHostActs(host)
  return (
    <PageHead
      title={<span className={styles.hostTitle}>{address}</span>}
      lead={<PlainText text={[name, user?.name ?? '', device?.vendor ?? ''].filter((one) => one !== '').join(' · ')} />}
      status={
        own.length > 0 ? (
          <Chip tone="ok">{t('{count, plural, one {# session} other {# sessions}}', { count: own.length })}</Chip>
        ) : null
      }
    >
      <Button
        icon={pause.isPaused ? 'play' : 'pause'}
        keys="Space"
        kind="quiet"
        onClick={pause.toggle}
        isPressed={pause.isPaused}
      >
        {pause.isPaused ? t('Go on') : t('Pause')}
      </Button>
      {host.isKeepable ? (
        <Button icon="pin" keys="K" onClick={acts.keep} isDisabled={!leaseEditing.isAllowed} why={leaseEditing.why}>
          {t('Keep the address')}
        </Button>
      ) : null}
      <Button icon="trace" keys="T" onClick={acts.trace}>
        {t('Trace')}
      </Button>
      <Button icon="accept" keys="A" onClick={acts.allow} isDisabled={!ruleEditing.isAllowed} why={ruleEditing.why}>
        {t('Allow')}
      </Button>
      <Button icon="drop" keys="B" onClick={acts.block} isDisabled={!ruleEditing.isAllowed} why={ruleEditing.why}>
        {t('Block')}
      </Button>
    </PageHead>
  )
}
