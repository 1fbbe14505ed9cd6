// How domains are used.

import { adSettings, importSettings } from '@gateway/server/contract/directory'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  lead: msg('Stored, not applied: domains are not joined yet.'),
  sections: [
    section({
      endpoints: adSettings,
      fields: { authorization_by_logs: { label: msg('Authorize by the security log') } },
    }),
    section({
      endpoints: importSettings,
      fields: { compatibility_mode: { label: msg('Compatible import of groups') } },
    }),
  ],
})
