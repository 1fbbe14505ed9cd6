// The licence: what it opens, how it comes here.

import {
  licenceUpdateType,
  registerLicence,
  showLicence,
  showRegistrationUrl,
  uploadLicence,
} from '@gateway/server/contract/licence'
import { action, read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: licenceUpdateType,
  fields: { update_type: { label: msg('How the licence is renewed') } },
  reads: [
    read({ endpoint: showLicence, title: msg('Licence') }),
    read({
      endpoint: showRegistrationUrl,
      title: msg('Registration without a connection'),
      text: msg('Only while the licence is uploaded by hand.'),
      isOnRequest: true,
      button: msg('Show the address'),
    }),
  ],
  actions: [
    action({
      endpoint: registerLicence,
      title: msg('Register with a token'),
      button: msg('Register'),
      fields: { token: { widget: 'secret' } },
      reads: [showLicence],
    }),
    action({ endpoint: uploadLicence, title: msg('Licence file'), button: msg('Upload'), reads: [showLicence] }),
  ],
})
