// Addresses and accounts that failed sign-ins have closed, and how they are opened again.

import {
  liftBlocks,
  listBlocks,
  listClosedAccounts,
  reopenAccount,
  signInStatus,
} from '@gateway/server/contract/sign-in'
import { action, read, rowAction, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  status: signInStatus,
  lead: msg(
    'After several failed sign-ins an address is blocked for a while; an account that many addresses tried is closed.',
  ),
  reads: [
    read({
      endpoint: listBlocks,
      title: msg('Blocked addresses'),
      everyMs: 10_000,
      columns: [{ id: 'address', to: ({ address }) => `overview/host/${address}` }, 'seconds_left', 'realm'],
      fields: { seconds_left: { label: msg('Seconds left') }, realm: { label: msg('Whose sign-in') } },
      empty: msg('No address is blocked.'),
    }),
    read({
      endpoint: listClosedAccounts,
      title: msg('Closed accounts'),
      everyMs: 10_000,
      columns: ['login', 'since', 'failures', 'addresses'],
      empty: msg('No account is closed.'),
      row: [
        rowAction<typeof listClosedAccounts>()({
          title: msg('Reopen'),
          endpoint: reopenAccount,
          aim: ({ admin_id }) => ({ params: { admin_id } }),
          done: msg('The account is open again.'),
        }),
      ],
    }),
  ],
  actions: [
    action({
      endpoint: liftBlocks,
      title: msg('Unblock all addresses'),
      text: msg('For administrators and for users at the portal.'),
      button: msg('Unblock all'),
      done: msg('No address is blocked any more.'),
      reads: [listBlocks],
    }),
  ],
})
