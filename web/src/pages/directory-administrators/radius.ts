// The RADIUS servers that administrators are checked against.

import { radiusSettings, radiusState } from '@gateway/server/contract/directory-administrators'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  lead: msg('Stored, not applied: no RADIUS server is asked yet.'),
  sections: [
    section({ endpoints: radiusState, fields: { enabled: { label: msg('Check administrators by RADIUS') } } }),
    section({
      endpoints: radiusSettings,
      fields: {
        primary: { label: msg('Primary server') },
        secondary: { label: msg('Secondary server'), hint: msg('Asked when the primary one does not answer.') },
      },
    }),
  ],
})
