// Who is signed in at the portal, and accounts that failed sign-ins closed.

import {
  endSession,
  listClosedUsers,
  listSessions,
  reopenUser,
  resetSecondFactor,
} from '@gateway/server/contract/portal'
import { users } from '@gateway/server/contract/users'
import { action, choices, read, rowAction, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  reads: [
    read({
      endpoint: listSessions,
      title: msg('Signed in at the portal'),
      everyMs: 10_000,
      columns: [
        'login',
        'name',
        { id: 'ip', to: ({ ip }) => `overview/host/${ip}` },
        'status',
        'start',
        'country_code',
      ],
      fields: {
        ip: { label: msg('Address') },
        start: { label: msg('Signed in') },
        country_code: { label: msg('Country') },
      },
      empty: msg('No user is signed in at the portal.'),
      row: [
        rowAction<typeof listSessions>()({
          title: msg('End the session'),
          endpoint: endSession,
          aim: ({ id }) => ({ params: { session_id: id } }),
          confirm: msg('The user must sign in again.'),
          done: msg('The session has ended.'),
        }),
      ],
    }),
    read({
      endpoint: listClosedUsers,
      title: msg('Closed accounts'),
      everyMs: 10_000,
      columns: ['login', 'since', 'failures', 'addresses'],
      empty: msg('No account is closed.'),
      row: [
        rowAction<typeof listClosedUsers>()({
          title: msg('Reopen'),
          endpoint: reopenUser,
          aim: ({ user_id }) => ({ params: { user_id } }),
          done: msg('The account is open again.'),
        }),
      ],
    }),
  ],
  actions: [
    action({
      endpoint: resetSecondFactor,
      title: msg('Remove the authenticator app of a user'),
      text: msg('At the next sign-in that needs a code the user sets up a new one.'),
      button: msg('Remove it'),
      isDanger: true,
      confirm: msg('Codes of the present app are not accepted any more.'),
      choose: {
        user_id: choices({
          endpoint: users.list,
          value: ({ id }) => id,
          label: ({ name, login }) => `${name} (${login})`,
        }),
      },
    }),
  ],
})
