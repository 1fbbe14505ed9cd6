// What the content filter does as a whole.

import {
  filterSettings,
  filterState,
  filterStatus,
  morphologyState,
  safeSearch,
} from '@gateway/server/contract/content-filter'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: filterStatus,
  sections: [
    section({
      title: msg('Filter'),
      endpoints: filterState,
      fields: {
        enabled: {
          label: msg('Filter content'),
          hint: msg(
            'Web traffic of local networks goes through the proxy where a rule may need it. Off: nothing is intercepted.',
          ),
        },
      },
    }),
    section({
      endpoints: filterSettings,
      fields: {
        enabled_extended_categorizer: {
          label: msg('Topic categories'),
          hint: msg('Rules may name topics of the category database; off, such rules never match.'),
        },
        quic_reject_enabled: {
          label: msg('Block QUIC'),
          hint: msg('QUIC and HTTP/3 cannot be filtered; browsers then use HTTPS, which can. Recommended.'),
        },
      },
    }),
    section({
      title: msg('Pages'),
      endpoints: safeSearch,
      fields: {
        enabled: {
          label: msg('Safe search in the proxy'),
          hint: msg('Large search and video services answer in their safe mode. For HTTPS they must be decrypted.'),
        },
      },
    }),
    section({
      endpoints: morphologyState,
      fields: {
        enabled: {
          label: msg('Analyse the words of pages'),
          hint: msg('Pages are blocked by the dictionaries that are on, in plain HTTP and decrypted traffic.'),
        },
      },
    }),
  ],
})
