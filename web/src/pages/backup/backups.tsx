// Backups on the gateway: make, download, upload with progress, restore after a dry run, delete; and the previous version.

import { backupStatus, backups, previousVersion } from '@gateway/server/contract/backup'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { currentLanguage, t } from '../../words.ts'
import styles from './backup.module.css'
import { backupColumns, versionOf } from './backup-columns.tsx'
import { MakeDialog, UploadDialog } from './dialogs.tsx'
import { type Backup, useBackupActs } from './use-backup-acts.ts'

export function Backups(): ReactNode {
  const list = useRead(backups.list, { everyMs: 30_000 })
  const engine = useEngine(backupStatus)
  const go = useGo()
  const { search } = usePlace()
  const [open, setOpen] = useState<'make' | 'upload' | null>(null)
  const acts = useBackupActs()
  const { editing, removing } = acts
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = (list.data?.data ?? []).filter(({ comment }) => comment.toLowerCase().includes(needle))
  return (
    <>
      <BackupsHead engine={engine} editing={editing} onOpen={setOpen} />
      <EngineBars items={engine} />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Comment')}
        count={t('{count, plural, one {# backup} other {# backups}}', { count: rows.length })}
      />
      {acts.failure ? <ProblemBox failure={acts.failure} /> : null}
      {list.error ? <ProblemBox failure={list.error} onRetry={() => void list.refetch()} /> : null}
      <Grid
        label={t('Backups')}
        rows={rows}
        rowKey={({ id }) => id}
        height="fill"
        isLoading={list.isPending}
        onKey={({ key, row }) => {
          if (key !== 'Delete' || !row || !editing.isAllowed) return false
          acts.askRemove(row)
          return true
        }}
        columns={backupColumns(acts, currentLanguage())}
        empty={
          <Empty
            title={t('There is no backup yet')}
            action={
              <Button icon="backup" onClick={() => setOpen('make')} isDisabled={!editing.isAllowed} why={editing.why}>
                {t('Make a backup')}
              </Button>
            }
          >
            {t('One is made every day by itself.')} <Link to="system/backups/schedule">{t('Schedule and upload')}</Link>
          </Empty>
        }
      />
      <PreviousVersion />
      {open === 'make' ? <MakeDialog onClose={() => setOpen(null)} /> : null}
      {open === 'upload' ? <UploadDialog onClose={() => setOpen(null)} /> : null}
      {removing ? (
        <Confirm
          title={t('Delete this backup?')}
          action={t('Delete the backup')}
          isDanger
          onConfirm={() => void acts.remove(removing)}
          onClose={() => acts.askRemove(null)}
        >
          <Time unix={removing.timestamp} isExact /> <PlainText text={removing.comment} />
        </Confirm>
      ) : null}
    </>
  )
}

interface BackupsHeadProps {
  readonly engine: ReturnType<typeof useEngine>
  readonly editing: Editing
  readonly onOpen: (dialog: 'make' | 'upload') => void
}

function BackupsHead({ engine, editing, onOpen }: BackupsHeadProps): ReactNode {
  return (
    <PageHead
      title={t('Backups')}
      lead={t(
        'Every setting of the gateway, sealed with its recovery key. A restore is one revision and can be undone.',
      )}
      status={<EngineMark items={engine} />}
    >
      <Button icon="import" onClick={() => onOpen('upload')} isDisabled={!editing.isAllowed} why={editing.why}>
        {t('Upload')}
      </Button>
      <Button
        icon="backup"
        kind="primary"
        onClick={() => onOpen('make')}
        isDisabled={!editing.isAllowed}
        why={editing.why}
      >
        {t('Make a backup')}
      </Button>
    </PageHead>
  )
}

function PreviousVersion(): ReactNode {
  const editing = useEditing('configure')
  const { data } = useRead(previousVersion.show)
  const [isAsking, setAsking] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  if (!data) return null
  const { previous_version: version } = data.data
  const restore = async (): Promise<void> => {
    setAsking(false)
    if (!version) return
    try {
      await call(previousVersion.restore, { body: { version } })
      toast(t('The gateway returns to the version before.'), { tone: 'ok' })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailure(error)
    }
  }
  return (
    <Panel title={t('Previous version')}>
      {failure ? <ProblemBox failure={failure} /> : null}
      {version === null ? (
        <p className={styles.muted}>{t('No version before this one is kept on the machine.')}</p>
      ) : (
        <div className={styles.facts}>
          <span>{versionOf({ version } as Backup)}</span>
          <Time unix={version.timestamp} />
          <Button icon="restore" onClick={() => setAsking(true)} isDisabled={!editing.isAllowed} why={editing.why}>
            {t('Return to it')}
          </Button>
        </div>
      )}
      {isAsking ? (
        <Confirm
          title={t('Return to the version before?')}
          action={t('Return to it')}
          isDanger
          onConfirm={() => void restore()}
          onClose={() => setAsking(false)}
        >
          {t('The gateway restarts. What was changed since the update is lost.')}
        </Confirm>
      ) : null}
    </Panel>
  )
}

export const page: HandPage = { kind: 'hand', Component: Backups }
