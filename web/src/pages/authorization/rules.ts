// Authorization rules: a host with this address or card belongs to that user.

import { authorizationRules, status } from '@gateway/server/contract/authorization'
import { users } from '@gateway/server/contract/users'
import { choices, collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: authorizationRules,
  status,
  stored: 'authorization.rules',
  itemName: msg('authorization rule'),
  lead: msg('Hosts that a rule names act as the user, without a sign-in.'),
  title: ({ ip, mac }) => [ip, mac].filter((one) => one !== null).join(' '),
  columns: [
    'enabled',
    { id: 'ip', width: 150, to: ({ ip }) => (ip === null || ip.includes('/') ? null : `overview/host/${ip}`) },
    'mac',
    'user_id',
    'always_logged',
    'comment',
  ],
  fields: {
    ip: { label: msg('IP address or network') },
    mac: { label: msg('MAC') },
    user_id: {
      label: msg('User'),
      choices: choices({
        endpoint: users.list,
        value: ({ id }) => Number(id.replace('user.id.', '')),
        label: ({ name, login }) => `${name} (${login})`,
      }),
    },
    always_logged: { label: msg('Always authorized') },
  },
  empty: {
    text: msg('Without a rule a host belongs to a user only after a sign-in at the portal.'),
    example: { enabled: true, ip: '192.168.0.40', mac: null, user_id: 1, always_logged: false, comment: '' },
  },
})
