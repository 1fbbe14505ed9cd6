// Users as a list that the gateway searches, for installations with very many of them.

import { searchUsers } from '@gateway/server/contract/users'
import { read, rowLink, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

/** What the contract says of the question; texts of queries are translated where a page shows them. */
export const askedText = msg('Part of name, login, phone number or comment; case does not matter.')

export const page = statusPage({
  lead: msg('The first thousand users that fit.'),
  reads: [
    read({
      endpoint: searchUsers,
      rowsIn: 'users',
      query: { limit: 1_000 },
      asks: ['search'],
      columns: ['name', 'login', 'domain_type', 'enabled', 'phone_number', 'comment'],
      fields: { enabled: { label: msg('Deny access') }, domain_type: { label: msg('From') } },
      empty: msg('No user fits.'),
      row: [
        rowLink<typeof searchUsers, 'users'>()({
          title: msg('Open in the tree'),
          icon: 'tree',
          to: ({ id }) => `people/users/${id}`,
        }),
      ],
    }),
  ],
})
