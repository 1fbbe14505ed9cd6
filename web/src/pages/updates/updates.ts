// Updates from files: the system and its databases.

import { systemImage, uploadDatabases } from '@gateway/server/contract/updates'
import { action, read, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  lead: msg('This release installs neither images nor archives: it says so instead of pretending.'),
  reads: [read({ endpoint: systemImage.show, title: msg('Uploaded image') })],
  actions: [
    action({
      endpoint: systemImage.upload,
      title: msg('Update image'),
      button: msg('Upload'),
      accept: '.iso',
      reads: [systemImage.show],
    }),
    action({
      endpoint: systemImage.install,
      title: msg('Install the uploaded image'),
      button: msg('Install'),
      isDanger: true,
      confirm: msg('The gateway restarts.'),
    }),
    action({ endpoint: uploadDatabases, title: msg('Archive of databases'), button: msg('Upload') }),
  ],
})
