// The columns of the list of backups, with what can be done with each of them.

import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { printBytes } from '../../util/amount.ts'
import { t } from '../../words.ts'
import styles from './backup.module.css'
import type { Backup, BackupActs } from './use-backup-acts.ts'

export const versionOf = ({ version: { major, minor, build } }: Pick<Backup, 'version'>): string =>
  `${major}.${minor}.${build}`

export const backupColumns = (acts: BackupActs, language: string): readonly Column<Backup>[] => [
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
    cell: (backup) => <BackupButtons backup={backup} acts={acts} />,
  },
  {
    id: 'menu',
    title: '',
    width: 40,
    cell: (backup) => <BackupMenu backup={backup} acts={acts} />,
  },
]

interface BackupActsProps {
  readonly backup: Backup
  readonly acts: BackupActs
}

function BackupButtons({ backup, acts }: BackupActsProps): ReactNode {
  return (
    <>
      <Button
        size="small"
        icon="export"
        isBusy={acts.loading === backup.id}
        onClick={() => void acts.download(backup)}
        isDisabled={!acts.editing.isAllowed}
        why={acts.editing.why}
      >
        {t('Download')}
      </Button>{' '}
      <Button
        size="small"
        icon="restore"
        onClick={() => acts.restore(backup)}
        isDisabled={!acts.editing.isAllowed}
        why={acts.editing.why}
      >
        {t('Restore')}
      </Button>
    </>
  )
}

function BackupMenu({ backup, acts }: BackupActsProps): ReactNode {
  return (
    <Menu
      label={t('What to do with this backup')}
      icon="more"
      items={[
        {
          label: t('Delete'),
          icon: 'remove',
          keys: 'Del',
          isDanger: true,
          isDisabled: !acts.editing.isAllowed,
          why: acts.editing.why,
          onSelect: () => acts.askRemove(backup),
        },
      ]}
    />
  )
}
