// What can be done with a backup of the list: download, restore after a dry run, delete after a question.

import type { ReplyOf } from '@gateway/server/contract'
import { backups } from '@gateway/server/contract/backup'
import { useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { call, send } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain, readEverythingAgain } from '../../api/reads.ts'
import { toast } from '../../ui/toast.tsx'
import { saveBlob } from '../../util/save-file.ts'
import { currentLanguage, t } from '../../words.ts'

export type Backup = ReplyOf<typeof backups.list>[number]

const stampOf = ({ timestamp }: Backup): string =>
  new Date(timestamp * 1_000).toISOString().slice(0, 16).replaceAll(/[T:]/g, '-')

export type BackupActs = ReturnType<typeof useBackupActs>

export function useBackupActs() {
  const review = useReview()
  const editing = useEditing('configure')
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
  return {
    editing,
    failure,
    /** The id of the backup that is downloaded now. */
    loading,
    /** The backup whose removal is asked for. */
    removing,
    askRemove: setRemoving,
    download,
    restore,
    remove,
  }
}
