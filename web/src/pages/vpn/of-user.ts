// Which access rules concern one user.

import { users } from '@gateway/server/contract/users'
import { accessOverview } from '@gateway/server/contract/vpn'
import { choices, read, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  lead: msg('Rules that name the user, a group of the user, or any.'),
  reads: [
    read({
      endpoint: accessOverview.ofUser,
      columns: ['enabled', 'title', 'sources', 'vpns', 'action', 'two_factor', 'comment'],
      choose: {
        user_id: choices({
          endpoint: users.list,
          value: ({ id }) => id,
          label: ({ name, login }) => `${name} (${login})`,
        }),
      },
      empty: msg('No rule concerns this user.'),
    }),
  ],
})
