// Who is signed in to the gateway now.

import { endSession, listSessions } from '@gateway/server/contract/sign-in'
import { collectionPage, rowAction } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: { list: listSessions },
  itemName: msg('session'),
  title: ({ login, ip }) => `${login} (${ip})`,
  everyMs: 10_000,
  columns: [
    'login',
    'name',
    'role_name',
    { id: 'ip', to: ({ ip }) => `overview/host/${ip}` },
    'login_timestamp',
    'auth_type',
    'country_code',
  ],
  fields: {
    login_timestamp: { label: msg('Signed in') },
    role_name: { label: msg('Role') },
    ip: { label: msg('Address') },
    auth_type: { label: msg('Checked by') },
    country_code: { label: msg('Country') },
  },
  row: [
    rowAction<typeof listSessions>()({
      title: msg('End the session'),
      endpoint: endSession,
      icon: 'signout',
      isDanger: true,
      aim: ({ id }) => ({ params: { session_id: id } }),
      confirm: msg('The user of this session must sign in again.'),
      done: msg('The session has ended.'),
    }),
  ],
  empty: { text: msg('Sessions of administrators are listed here.') },
})
