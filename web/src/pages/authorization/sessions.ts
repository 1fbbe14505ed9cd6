// Sessions of users: every host that is authorized at this moment.

import { endSession, listSessions, status } from '@gateway/server/contract/authorization'
import { collectionPage, rowAction, rowLink } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: { list: listSessions },
  status,
  everyMs: 10_000,
  itemName: msg('session of a user'),
  lead: msg('Every host that acts as a user now.'),
  title: ({ login, ip }) => `${login} ${ip}`,
  columns: [
    { id: 'login', to: ({ user_id }) => `people/users/user.id.${user_id}` },
    'name',
    'group_name',
    { id: 'ip', to: ({ ip }) => (ip.includes('/') ? null : `overview/host/${ip}`) },
    'mac',
    'type',
    'state',
    'start',
    'time_online',
    'country_code',
  ],
  fields: {
    type: {
      label: msg('Recognised by'),
      options: {
        ip: msg('address'),
        mac: msg('card'),
        ip_mac: msg('address and card'),
        net: msg('network'),
        web: msg('sign-in'),
      },
    },
    state: { options: { connected: msg('connected'), over_limit: msg('over the limit of five') } },
    group_name: { label: msg('Group') },
    time_online: { label: msg('Online for'), unit: msg('s') },
    country_code: { label: msg('Country') },
  },
  empty: { text: msg('No host is authorized as a user now.') },
  row: [
    rowLink<typeof listSessions>()({
      title: msg('Host page'),
      icon: 'host',
      to: ({ ip }) => `overview/host/${ip}`,
      isShown: ({ ip }) => !ip.includes('/'),
    }),
    rowAction<typeof listSessions>()({
      title: msg('End the session'),
      icon: 'signout',
      isDanger: true,
      endpoint: endSession,
      aim: ({ id }) => ({ params: { session_id: id } }),
      confirm: msg(
        'Its connections are cut. A host that a rule lets through begins another session with its next packet.',
      ),
      done: msg('The session has ended.'),
    }),
  ],
})
