// What the content filter does as a whole.

import {
  filterSettings,
  filterState,
  filterStatus,
  morphologyState,
  safeSearch,
} from '@gateway/server/contract/content-filter'
import { uploadFilterDatabases } from '@gateway/server/contract/updates'
import { action, section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: filterStatus,
  sections: [
    section({ endpoints: filterState, fields: { enabled: { label: msg('Filter content') } } }),
    section({
      endpoints: filterSettings,
      fields: {
        enabled_extended_categorizer: { label: msg('Topic categories of a provider') },
        quic_reject_enabled: { label: msg('Block QUIC') },
      },
    }),
    section({ endpoints: safeSearch, fields: { enabled: { label: msg('Safe search in the proxy') } } }),
    section({ endpoints: morphologyState, fields: { enabled: { label: msg('Analyse the words of pages') } } }),
  ],
  actions: [
    action({
      endpoint: uploadFilterDatabases,
      title: msg('Databases from an archive'),
      text: msg('This release cannot install databases from an archive.'),
      button: msg('Upload'),
    }),
  ],
})
