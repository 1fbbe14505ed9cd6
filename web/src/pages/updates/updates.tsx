// Updates from files: the system from a signed package, and its databases. An upgrade is followed step by step, also while the
// gateway itself is replaced and does not answer.

import type { ReplyOf } from '@gateway/server/contract'
import { noDatabaseUpdates, systemImage, upgradeStatus, uploadDatabases } from '@gateway/server/contract/updates'
import { type ReactNode, useEffect, useState } from 'react'
import { expectAbsence, useHappenings } from '../../api/events.ts'
import { useRead } from '../../api/reads.ts'
import { action } from '../../contract/define.ts'
import { ActionView } from '../../contract/render/action-view.tsx'
import type { HandPage } from '../../page.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { heard, msg, t } from '../../words.ts'
import { LastUpgrade } from './last-upgrade.tsx'
import styles from './updates.module.css'
import { UploadedPackage } from './uploaded-package.tsx'

type Upgrades = ReplyOf<typeof upgradeStatus>

const uploadPackage = action({
  endpoint: systemImage.upload,
  title: msg('Update package'),
  text: msg(
    'A signed package (.deb) of at most 256 MB. Its signature is checked while it is sent. Nothing is installed yet; it replaces the package that was uploaded before.',
  ),
  button: msg('Upload'),
  accept: '.deb',
  done: msg('The package is checked and kept. It can be installed now.'),
  reads: [systemImage.show, upgradeStatus],
})

const uploadArchive = action({
  endpoint: uploadDatabases,
  title: msg('Archive of databases'),
  text: noDatabaseUpdates,
  button: msg('Upload'),
})

function Updates(): ReactNode {
  const read = useRead(upgradeStatus, { everyMs: 2_000 })
  /** When the upgrade before the one that was just asked for began: until another one is shown, it begins. */
  const [earlier, setEarlier] = useState<number | null | undefined>(undefined)
  const upgrades = read.data?.data
  const isBeginning = upgrades !== undefined && earlier === (upgrades.last?.started_at ?? null)
  const isRunning = isBeginning || upgrades?.last?.state === 'running'
  const { isReached } = useHappenings()
  const isAway = isRunning && (read.error !== null || !isReached)
  /** An upgrade that this page saw: it is still the console of the version before. */
  const [isSeen, setSeen] = useState(false)
  if (isRunning && !isSeen) setSeen(true)
  useEffect(() => {
    expectAbsence(isRunning)
    return () => expectAbsence(false)
  }, [isRunning])
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Updates')}
        over={t('Licence')}
        lead={t(
          'Another version comes as a signed package. The gateway makes a backup first and returns to the old version when the new one does not come up.',
        )}
      />
      {read.error && !isRunning ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {isAway ? (
        <Bar tone="plain">
          {t('The gateway is being upgraded and does not answer now. This page goes on by itself when it is back.')}
        </Bar>
      ) : null}
      {isSeen && upgrades?.last?.state === 'done' && !isRunning ? (
        <Bar
          tone="plain"
          actions={
            <Button kind="primary" onClick={() => location.reload()}>
              {t('Load the new console')}
            </Button>
          }
        >
          {t('The new version is in use. What you see is still the console of the version before.')}
        </Bar>
      ) : null}
      {upgrades ? (
        <>
          <Installed upgrades={upgrades} />
          {isBeginning || upgrades.last ? <LastUpgrade last={upgrades.last} {...{ isBeginning, isAway }} /> : null}
          {upgrades.uploaded && upgrades.obstacle === '' ? (
            <UploadedPackage
              uploaded={upgrades.uploaded}
              installed={upgrades.installed_version}
              isRunning={isRunning}
              onBegun={() => setEarlier(upgrades.last?.started_at ?? null)}
            />
          ) : null}
          {upgrades.obstacle === '' && !isRunning ? <ActionView action={uploadPackage} reads={[]} /> : null}
        </>
      ) : read.error ? null : (
        <Skeleton lines={6} />
      )}
      <ActionView action={uploadArchive} reads={[]} />
    </div>
  )
}

function Installed({
  upgrades: { installed_version, obstacle, uploaded },
}: {
  readonly upgrades: Upgrades
}): ReactNode {
  return (
    <Panel title={t('Installed version')}>
      {obstacle === '' ? (
        <>
          <p className={styles.version}>{installed_version ?? t('none')}</p>
          {uploaded ? null : <p className={styles.quiet}>{t('No other version is uploaded.')}</p>}
        </>
      ) : (
        <Bar tone="plain">
          <PlainText text={heard(obstacle)} limit={600} />
        </Bar>
      )}
    </Panel>
  )
}

export const page: HandPage = { kind: 'hand', Component: Updates }
