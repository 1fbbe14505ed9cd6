// Categories that administrators make of addresses.

import { userCategories } from '@gateway/server/contract/content-filter'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'
import { EntryForms } from './entry-forms.tsx'

export const page = collectionPage({
  endpoints: {
    list: userCategories.list,
    create: userCategories.create,
    replace: userCategories.replace,
    remove: userCategories.remove,
  },
  itemName: msg('own category'),
  title: ({ name }) => name,
  lead: msg('Where several entries fit an address, the most specific one of all own categories counts.'),
  stored: 'content_filter.user_categories',
  columns: [
    'name',
    { id: 'count', title: msg('Addresses'), width: 120, isNumber: true, text: ({ urls }) => String(urls.length) },
    'comment',
  ],
  fields: {
    urls: { label: msg('Addresses'), hint: msg('One on a line.'), help: () => <EntryForms /> },
    description: { isHidden: true },
  },
  empty: {
    text: msg('A category of your own: addresses, domains and pages, one on a line.'),
    example: { name: 'Social media', urls: ['*.example.com', 'example.org/news'] },
  },
})
