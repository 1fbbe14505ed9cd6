// The set-up list: the way from a new machine to a working branch. Each step says whether it is done.

import { localAdministrators } from '@gateway/server/contract/administrators'
import { backups } from '@gateway/server/contract/backup'
import { entries } from '@gateway/server/contract/dhcp'
import { firewallState, forwardRules } from '@gateway/server/contract/firewall'
import { mailTargets, showSummary, webhooks } from '@gateway/server/contract/health'
import { connections } from '@gateway/server/contract/network'
import type { ReactNode } from 'react'
import { useStatus } from '../../api/events.ts'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words.ts'
import styles from './overview.module.css'
import { type Facts, setUpSteps } from './set-up-steps.ts'

function useFacts(): Facts {
  const { data: cards } = useRead(connections.list)
  const { data: dhcp } = useRead(entries.list)
  const { data: rules } = useRead(forwardRules.list)
  const { data: firewall } = useRead(firewallState.show)
  const { data: kept } = useRead(backups.list)
  const { data: people } = useRead(localAdministrators.list)
  const { data: mails } = useRead(mailTargets.list)
  const { data: hooks } = useRead(webhooks.list)
  const dns = useStatus('/dns/status')
  return {
    ...(cards ? { connections: cards.data } : {}),
    ...(dhcp ? { dhcpEntries: dhcp.data } : {}),
    ...(rules ? { forwardRules: rules.data.length } : {}),
    ...(firewall ? { isFirewallOn: firewall.data.enabled } : {}),
    ...(kept ? { backups: kept.data.length } : {}),
    ...(people ? { administrators: people.data.length } : {}),
    ...(mails && hooks ? { targets: mails.data.length + hooks.data.length } : {}),
    ...(dns.length > 0 ? { isDnsActive: dns.some(({ status }) => status === 'active') } : {}),
  }
}

export function SetUp(): ReactNode {
  const steps = setUpSteps(useFacts())
  const { data: summary } = useRead(showSummary)
  const done = steps.filter(({ state }) => state === 'done').length
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Set-up list')}
        lead={t('From a new machine to a working branch. Each step is read from the configuration as it is now.')}
        status={<span>{t('{done} of {all} done', { done, all: steps.length })}</span>}
      >
        <div className={styles.progress} role="img" aria-label={t('{done} of {all} done', { done, all: steps.length })}>
          <div className={styles.progressBar} style={{ inlineSize: `${(done / steps.length) * 100}%` }} />
        </div>
      </PageHead>
      <Panel isFlush>
        <ol className={styles.steps}>
          {steps.map(({ id, title, text, state, missing, links }, at) => (
            <li key={id} className={styles.step} data-step={id} data-state={state}>
              <span className={styles.stepNumber} data-state={state} aria-hidden="true">
                {state === 'done' ? <Icon name="check" /> : at + 1}
              </span>
              <div>
                <h2 className={styles.stepTitle}>{t(title)}</h2>
                <p className={styles.stepText}>{t(text)}</p>
                {missing === '' ? null : <p className={styles.stepMissing}>{t(missing)}</p>}
                <div className={styles.actions}>
                  {links.map(({ label, path, search }) => (
                    <Link key={label} to={path} {...(search ? { search } : {})}>
                      {t(label)}
                    </Link>
                  ))}
                </div>
              </div>
              <Status state={state === 'done' ? 'ok' : state === 'open' ? 'warning' : 'unknown'}>
                {state === 'done' ? t('Done') : state === 'open' ? t('Open') : t('Not known')}
              </Status>
            </li>
          ))}
        </ol>
      </Panel>
      {summary && summary.data.counts.failed + summary.data.counts.warning > 0 ? (
        <p className={styles.muted}>
          <Link to="overview/health">
            {t('{count, plural, one {# health check is} other {# health checks are}} not in order', {
              count: summary.data.counts.failed + summary.data.counts.warning,
            })}
          </Link>
        </p>
      ) : null}
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: SetUp }
