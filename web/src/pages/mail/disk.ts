// The disk that stores mail.

import { disk } from '@gateway/server/contract/mail'
import { action, choices, read, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  reads: [
    read({ endpoint: disk.show, title: msg('Disk in use'), everyMs: 10_000 }),
    read({ endpoint: disk.list, title: msg('Disks that can be used'), empty: msg('No unused disk is there.') }),
  ],
  actions: [
    action({
      endpoint: disk.connect,
      title: msg('Use a disk for mail'),
      text: msg('Only while the mail server runs.'),
      button: msg('Use it'),
      fields: {
        id: {
          label: msg('Disk'),
          choices: choices({ endpoint: disk.list, value: ({ id }) => id, label: ({ title }) => title }),
        },
      },
      reads: [disk.show, disk.list],
    }),
    action({
      endpoint: disk.disconnect,
      title: msg('Stop using the disk'),
      text: msg('What is on it stays there.'),
      button: msg('Disconnect'),
      isDanger: true,
      confirm: msg('Mail on this disk cannot be reached until it is connected again.'),
      reads: [disk.show, disk.list],
    }),
  ],
})
