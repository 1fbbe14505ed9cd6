// Content filter rules of the console that go after those of a gateway.

import { contentAfter } from '@gateway/server/contract/central-console'
import { categories } from '@gateway/server/contract/content-filter'
import { choices, orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: {
    list: contentAfter.list,
    create: contentAfter.create,
    update: contentAfter.update,
    move: contentAfter.move,
    remove: contentAfter.remove,
  },
  itemName: msg('content rule'),
  title: ({ name }) => name,
  columns: ['enabled', 'parent_id', 'name', 'aliases', 'categories', 'access', 'comment'],
  fields: {
    parent_id: { label: msg('Group') },
    access: {
      label: msg('Action'),
      options: { allow: msg('Allow'), deny: msg('Deny'), bump: msg('Decrypt'), redirect: msg('Redirect') },
    },
    aliases: { label: msg('Users and addresses') },
    categories: { choices: choices({ endpoint: categories.list, value: ({ id }) => id, label: ({ name }) => name }) },
    enabled: { initial: true },
  },
  empty: { text: msg('Such a rule applies on every gateway of its group.') },
})
