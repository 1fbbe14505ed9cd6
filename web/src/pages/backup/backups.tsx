// Backups on the gateway: make, download, upload with progress, restore after a dry run, delete; and the previous version.

import type { ReplyOf } from '@gateway/server/contract'
import { backupStatus, backups, previousVersion } from '@gateway/server/contract/backup'
import { type ReactNode, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { call, send } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain, readEverythingAgain, useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { printBytes } from '../../util/amount.ts'
import { saveBlob } from '../../util/save-file.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './backup.module.css'
import { MakeDialog, UploadDialog } from './dialogs.tsx'

type Backup = ReplyOf<typeof backups.list>[number]

const versionOf = ({ version: { major, minor, build } }: Pick<Backup, 'version'>): string =>
  `${major}.${minor}.${build}`
const stampOf = ({ timestamp }: Backup): string =>
  new Date(timestamp * 1_000).toISOString().slice(0, 16).replaceAll(/[T:]/g, '-')

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function Backups(): ReactNode {
  const review = useReview()
  const editing = useEditing('configure')
  const list = useRead(backups.list, { everyMs: 30_000 })
  const engine = useEngine(backupStatus)
  const go = useGo()
  const { search } = usePlace()
  const [open, setOpen] = useState<'make' | 'upload' | null>(null)
  const [removing, setRemoving] = useState<Backup | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [loading, setLoading] = useState<string | null>(null)

  const run = async (act: () => Promise<void>): Promise<void> => {
    setFailure(null)
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailure(error)
    }
  }
  const download = (backup: Backup): Promise<void> =>
    run(async () => {
      setLoading(backup.id)
      try {
        const reply = await send(backups.download, { params: { backup_id: backup.id } })
        saveBlob(`backup-${stampOf(backup)}.bin`, await reply.blob())
      } finally {
        setLoading(null)
      }
    })
  const restore = (backup: Backup): void => {
    const endpoint = backup.fast_restore_allowed ? backups.applyFast : backups.apply
    review.open({
      title: t('Restore the backup of {time}', {
        time: new Date(backup.timestamp * 1_000).toLocaleString(currentLanguage()),
      }),
      calls: [{ endpoint, params: { backup_id: backup.id } }],
      confirmWithin: 90,
      reads: [],
      onApplied: () => void readEverythingAgain(),
    })
  }
  const remove = (backup: Backup): Promise<void> =>
    run(async () => {
      setRemoving(null)
      await call(backups.remove, { params: { backup_id: backup.id } })
      await readAgain(backups.list)
      toast(t('The backup is deleted.'), { tone: 'ok' })
    })
  const language = currentLanguage()
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = (list.data?.data ?? []).filter(({ comment }) => comment.toLowerCase().includes(needle))
  return (
    <>
      <PageHead
        title={t('Backups')}
        lead={t(
          'Every setting of the gateway, sealed with its recovery key. A restore is one revision and can be undone.',
        )}
        status={<EngineMark items={engine} />}
      >
        <Button icon="import" onClick={() => setOpen('upload')} isDisabled={!editing.isAllowed} why={editing.why}>
          {t('Upload')}
        </Button>
        <Button
          icon="backup"
          kind="primary"
          onClick={() => setOpen('make')}
          isDisabled={!editing.isAllowed}
          why={editing.why}
        >
          {t('Make a backup')}
        </Button>
      </PageHead>
      <EngineBars items={engine} />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Comment')}
        count={t('{count, plural, one {# backup} other {# backups}}', { count: rows.length })}
      />
      {failure ? <ProblemBox failure={failure} /> : null}
      {list.error ? <ProblemBox failure={list.error} onRetry={() => void list.refetch()} /> : null}
      <Grid
        label={t('Backups')}
        rows={rows}
        rowKey={({ id }) => id}
        height="fill"
        isLoading={list.isPending}
        onKey={({ key, row }) => {
          if (key !== 'Delete' || !row || !editing.isAllowed) return false
          setRemoving(row)
          return true
        }}
        columns={[
          {
            id: 'time',
            title: t('Made'),
            width: 130,
            isSticky: true,
            sort: (a, b) => a.timestamp - b.timestamp,
            cell: ({ timestamp }) => <Time unix={timestamp} />,
          },
          {
            id: 'comment',
            title: t('Comment'),
            width: 'rest',
            text: ({ comment }) => comment,
            cell: ({ comment }) => <PlainText text={comment} limit={160} />,
          },
          {
            id: 'version',
            title: t('Version'),
            width: 150,
            text: versionOf,
            cell: (backup) => (
              <>
                {versionOf(backup)} {backup.fast_restore_allowed ? <Chip tone="ok">{t('running')}</Chip> : null}
              </>
            ),
          },
          {
            id: 'size',
            title: t('Size'),
            width: 90,
            isNumber: true,
            sort: (a, b) => a.size - b.size,
            cell: ({ size }) => printBytes(size, language),
          },
          { id: 'md5', title: t('MD5'), width: 270, cell: ({ md5 }) => <span className={styles.mono}>{md5}</span> },
          {
            id: 'acts',
            title: '',
            width: 240,
            cell: (backup) => (
              <>
                <Button
                  size="small"
                  icon="export"
                  isBusy={loading === backup.id}
                  onClick={() => void download(backup)}
                  isDisabled={!editing.isAllowed}
                  why={editing.why}
                >
                  {t('Download')}
                </Button>{' '}
                <Button
                  size="small"
                  icon="restore"
                  onClick={() => restore(backup)}
                  isDisabled={!editing.isAllowed}
                  why={editing.why}
                >
                  {t('Restore')}
                </Button>
              </>
            ),
          },
          {
            id: 'menu',
            title: '',
            width: 40,
            cell: (backup) => (
              <Menu
                label={t('What to do with this backup')}
                icon="more"
                items={[
                  {
                    label: t('Delete'),
                    icon: 'remove',
                    keys: 'Del',
                    isDanger: true,
                    isDisabled: !editing.isAllowed,
                    why: editing.why,
                    onSelect: () => setRemoving(backup),
                  },
                ]}
              />
            ),
          },
        ]}
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
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(null)}
        >
          <Time unix={removing.timestamp} isExact /> <PlainText text={removing.comment} />
        </Confirm>
      ) : null}
    </>
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
