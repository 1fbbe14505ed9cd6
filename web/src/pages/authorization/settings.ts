// Settings of the authorization of users.

import { authorizationSettings, status } from '@gateway/server/contract/authorization'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status,
  endpoints: authorizationSettings,
  fields: {
    allow_internet_to_everyone: { label: msg('Internet for everyone') },
    web_authorization: { label: msg('Sign-in page') },
    session_minutes: { label: msg('A session ends after'), unit: msg('min') },
  },
})
