// The categories that rules of the content filter can name.

import { categories } from '@gateway/server/contract/content-filter'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: { list: categories.list },
  itemName: msg('category'),
  title: ({ name }) => name,
  columns: ['name', 'type', { id: 'comment', width: 'rest' }, { id: 'id', width: 140 }],
  empty: { text: msg('Categories of sites and files are listed here.') },
})
