// When backups are made by themselves, how long they are kept and where they are sent.

import { backupStatus, settings } from '@gateway/server/contract/backup'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const upload = {
  enabled: { label: msg('Send automatic backups there') },
  password: { widget: 'secret' },
  remote_dir: { label: msg('Folder'), placeholder: 'dir_1/dir_2/backup' },
} as const

export const page = settingsPage({
  status: backupStatus,
  endpoints: settings,
  fields: {
    common: {
      label: msg('Every day'),
      fields: {
        hour: { label: msg('In the hour') },
        rotate: { label: msg('Keep for'), options: { weekly: msg('a week'), monthly: msg('a month') } },
      },
    },
    ftp: { label: msg('FTP server'), fields: upload },
    cifs: { label: msg('CIFS share'), fields: upload },
  },
})
