// The package that was uploaded, and its installation, which is asked about first.

import type { ReplyOf } from '@gateway/server/contract'
import { systemImage, upgradeStatus } from '@gateway/server/contract/updates'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Time } from '../../ui/time.tsx'
import { printBytes } from '../../util/amount.ts'
import { t, useLanguage } from '../../words.ts'
import styles from './updates.module.css'

interface UploadedProps {
  readonly uploaded: NonNullable<ReplyOf<typeof upgradeStatus>['uploaded']>
  readonly installed: string | null
  readonly isRunning: boolean
  readonly onBegun: () => void
}

export function UploadedPackage({ uploaded, installed, isRunning, onBegun }: UploadedProps): ReactNode {
  const { version, built_at, bytes, key, sha256 } = uploaded
  const language = useLanguage()
  const editing = useEditing('configure')
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const install = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await call(systemImage.install)
      onBegun()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailure(error)
    } finally {
      setBusy(false)
      setAsking(false)
    }
    await readAgain(upgradeStatus)
  }
  return (
    <Panel title={t('Uploaded package')}>
      <div className={styles.stack}>
        <Facts>
          <dt>{t('Version')}</dt>
          <dd>
            <PlainText text={version} limit={60} />
          </dd>
          <dt>{t('Built')}</dt>
          <dd>
            <Time unix={built_at} isExact />
          </dd>
          <dt>{t('Size')}</dt>
          <dd>{printBytes(bytes, language)}</dd>
          <dt>{t('Signed with the key')}</dt>
          <dd className={styles.mono}>
            <PlainText text={key} limit={128} />
          </dd>
          <dt>SHA-256</dt>
          <dd className={styles.digest}>
            <span>{sha256}</span>
            <CopyButton text={sha256} label={t('Copy the digest')} />
          </dd>
        </Facts>
        {failure ? <ProblemBox failure={failure} /> : null}
        <div>
          <Button
            kind="primary"
            onClick={() => setAsking(true)}
            isDisabled={!editing.isAllowed || isRunning}
            why={editing.why ?? (isRunning ? t('An upgrade is running. Wait until it has ended.') : undefined)}
          >
            {t('Install version {version}', { version })}
          </Button>
        </div>
      </div>
      {isAsking ? (
        <Confirm
          title={t('Install version {version}', { version })}
          action={t('Install')}
          onConfirm={() => void install()}
          onClose={() => setAsking(false)}
          isBusy={isBusy}
        >
          <p>
            {installed === version
              ? t('Version {version} is installed once more.', { version })
              : t('Version {installed} is replaced with {version}.', { installed: installed ?? '', version })}
          </p>
          <p>
            {t(
              'A backup is made first. The console is away for a minute or two; traffic goes on. When the new version does not come up, the old one is restored.',
            )}
          </p>
        </Confirm>
      ) : null}
    </Panel>
  )
}
