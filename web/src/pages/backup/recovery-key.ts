// The key that opens the backups of this gateway on another machine.

import { recoveryKey } from '@gateway/server/contract/backup'
import { action, read, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  lead: msg('Without its recovery key no backup can be restored on another machine. Keep it in another place.'),
  reads: [
    read({
      endpoint: recoveryKey.show,
      title: msg('Key of this gateway'),
      text: msg('Showing it is recorded in the audit trail.'),
      isOnRequest: true,
      button: msg('Show the key'),
      fields: { id: { label: msg('Name of the key') } },
    }),
  ],
  actions: [
    action({
      endpoint: recoveryKey.add,
      title: msg('Key of another gateway'),
      text: msg('Needed before a backup of another gateway is uploaded here.'),
      button: msg('Add the key'),
      done: msg('Backups of that gateway can be opened here now.'),
      fields: { key: { placeholder: '01234567-89abcdef-…' } },
    }),
  ],
})
