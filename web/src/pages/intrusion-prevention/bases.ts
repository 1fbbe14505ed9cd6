// Whether intrusion prevention is on, and how old its signatures are.

import { moduleState, showStatus, signatureUpdates } from '@gateway/server/contract/intrusion-prevention'
import { action, read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const fields = {
  msg: { label: msg('Message') },
  last_update: { label: msg('Newest rule file'), widget: 'moment' },
} as const

export const page = settingsPage({
  status: showStatus,
  endpoints: moduleState,
  title: msg('State'),
  fields: { enabled: { label: msg('Inspect traffic') } },
  reads: [
    read({ endpoint: signatureUpdates.show, title: msg('Standard signatures'), fields, everyMs: 10_000 }),
    read({ endpoint: signatureUpdates.showAdvanced, title: msg('Advanced signatures'), fields, everyMs: 10_000 }),
  ],
  actions: [
    action({
      endpoint: signatureUpdates.start,
      title: msg('Rule files'),
      text: msg('After files in the folders of signatures were replaced.'),
      button: msg('Read the files again'),
      done: msg('The files are being read.'),
      reads: [signatureUpdates.show, signatureUpdates.showAdvanced],
    }),
  ],
})
