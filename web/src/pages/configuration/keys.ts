// The key that stored secrets are sealed with.

import { configurationStatus, rotateKey } from '@gateway/server/contract/configuration'
import { action, actionsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = actionsPage({
  status: configurationStatus,
  lead: msg('Passwords and keys in the configuration are sealed with a key of this machine.'),
  actions: [
    action({
      endpoint: rotateKey,
      title: msg('A new key'),
      text: msg(
        'All stored secrets are sealed again with a new key. Do this when someone who could read the disk has left.',
      ),
      button: msg('Seal with a new key'),
      confirm: msg('All stored secrets are sealed again. This takes a moment; nothing else changes.'),
      done: msg('All stored secrets are sealed with the new key.'),
    }),
  ],
})
