// The categories that rules of the content filter can name.

import { categories } from '@gateway/server/contract/content-filter'
import { collectionPage, rowLink } from '../../contract/define.ts'
import { categoryName, categoryTypeWords, isOwnCategory } from '../../util/categories.ts'
import { heard, msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: { list: categories.list },
  itemName: msg('category'),
  title: categoryName,
  lead: msg(
    'Topics come from the category database, own categories from you; the rest follows from the request itself.',
  ),
  columns: [
    { id: 'name', width: 280, text: categoryName },
    { id: 'type', width: 160 },
    { id: 'comment', width: 'rest', text: ({ comment, id }) => (isOwnCategory(id) ? comment : heard(comment)) },
    { id: 'id', width: 140 },
  ],
  fields: { type: { options: categoryTypeWords } },
  row: [
    rowLink<typeof categories.list>()({
      title: msg('Open the own category'),
      icon: 'edit',
      to: ({ id }) => `protection/web-filter/own-categories/${encodeURIComponent(id)}`,
      isShown: ({ id }) => isOwnCategory(id),
    }),
  ],
  empty: { text: msg('Categories of sites and files are listed here.') },
})
