// Local administrators: who may sign in, and what the role opens.

import { localAdministrators } from '@gateway/server/contract/administrators'
import { roles } from '@gateway/server/core/access'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: localAdministrators,
  itemName: msg('administrator'),
  title: ({ login }) => login,
  lead: msg('Accounts of this gateway. Changes need a sign-in within the last ten minutes.'),
  columns: ['enabled', 'login', 'name', 'role', 'password_timestamp', 'comment'],
  fields: {
    enabled: { label: msg('May sign in'), initial: true },
    role: { options: roles },
    password: { widget: 'secret', hint: msg('At least 10 characters. Never shown again.') },
    password_timestamp: { label: msg('Password changed') },
  },
  empty: { text: msg('Add an account for every person: the audit trail then says who changed what.') },
})
