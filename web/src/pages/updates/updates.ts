// Updates from files: the system from a signed package, and its databases.

import { systemImage, upgradeStatus, uploadDatabases } from '@gateway/server/contract/updates'
import { action, read, statusPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = statusPage({
  lead: msg(
    'Another version comes as a signed package. The gateway makes a backup first and returns to the old version when the new one does not come up.',
  ),
  reads: [
    read({ endpoint: upgradeStatus, title: msg('Version and last upgrade'), everyMs: 3_000 }),
    read({ endpoint: systemImage.show, title: msg('Uploaded package') }),
  ],
  actions: [
    action({
      endpoint: systemImage.upload,
      title: msg('Update package'),
      button: msg('Upload'),
      accept: '.deb',
      reads: [systemImage.show, upgradeStatus],
    }),
    action({
      endpoint: systemImage.install,
      title: msg('Install the uploaded package'),
      button: msg('Install'),
      isDanger: true,
      confirm: msg('The console is away for some seconds; traffic goes on.'),
      reads: [systemImage.show, upgradeStatus],
    }),
    action({ endpoint: uploadDatabases, title: msg('Archive of databases'), button: msg('Upload') }),
  ],
})
