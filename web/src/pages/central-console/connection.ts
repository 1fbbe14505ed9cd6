// The connection of this gateway to a central console.

import { consoleConnection, rootCertificate } from '@gateway/server/contract/central-console'
import { action, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  lead: msg('Stored, not applied: the gateway does not connect to a console yet.'),
  endpoints: { show: consoleConnection.show, update: consoleConnection.update },
  fields: {
    cc_server: { label: msg('Address of the console') },
    last_connect: { label: msg('Last connected'), isReadOnly: true },
    last_sync: { label: msg('Last transfer'), isReadOnly: true },
    root_ca: { label: msg('Root certificate'), isReadOnly: true, widget: 'code' },
  },
  actions: [
    action({
      endpoint: rootCertificate.upload,
      title: msg('Root certificate of the console'),
      text: msg('One self-signed CA certificate in PEM form that is valid now.'),
      button: msg('Upload'),
      accept: '.pem,.crt',
      reads: [consoleConnection.show],
    }),
    action({
      endpoint: rootCertificate.remove,
      title: msg('Remove the root certificate'),
      button: msg('Remove it'),
      isDanger: true,
      confirm: msg('The gateway does not trust the console without it.'),
      reads: [consoleConnection.show],
    }),
    action({
      endpoint: consoleConnection.disconnect,
      title: msg('Disconnect from the console'),
      text: msg('The root certificate is kept.'),
      button: msg('Disconnect'),
      isDanger: true,
      confirm: msg('Rules of the console are not sent to this gateway any more.'),
      reads: [consoleConnection.show],
    }),
  ],
})
