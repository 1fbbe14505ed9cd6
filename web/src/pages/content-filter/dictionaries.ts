// Dictionaries of words whose weights decide whether a page is blocked.

import { dictionaries } from '@gateway/server/contract/content-filter'
import { collectionPage, rowAction } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: dictionaries,
  itemName: msg('dictionary'),
  title: ({ title }) => title,
  lead: msg('A page is blocked when the weights of the words found in it reach the threshold of a dictionary.'),
  columns: [
    'enabled',
    'title',
    { id: 'threshold', width: 110, isNumber: true },
    { id: 'count', title: msg('Words'), width: 90, isNumber: true, text: ({ words }) => String(words.length) },
    'comment',
  ],
  fields: { read_only: { isHidden: true }, from_central_console: { isHidden: true }, enabled: { initial: true } },
  isFixed: ({ read_only, from_central_console }) =>
    from_central_console ? msg('It belongs to the central console.') : read_only ? msg('It is predefined.') : null,
  stillChangeable: ['enabled'],
  row: [
    rowAction<typeof dictionaries.list>()({
      title: msg('Download as CSV'),
      endpoint: dictionaries.download,
      icon: 'export',
      aim: ({ id }) => ({ params: { dict_id: id } }),
      isDownload: true,
      fileName: ({ id }) => `dictionary-${id}.csv`,
    }),
  ],
  empty: { text: msg('A dictionary has words with weights.') },
})
