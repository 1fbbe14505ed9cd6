// The portal: the sign-in page of web authorization and the personal pages of users. A program of ours with its own account,
// which asks gatewayd over one socket and has access to nothing else.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

const group = 'portcullis-portal'

export const portal = declareEngine({
  service: 'portal',
  title: 'portal of users',
  packages,
  folders: [
    { path: 'portal', mode: 0o750, group },
    // It makes its own certificate and key.
    { path: 'portal/tls', mode: 0o700, owner: 'portcullis-portal' },
    // gatewayd makes the socket in it. Set-gid: the socket belongs to the group of the portal.
    { path: 'run/portal', mode: 0o2710, owner: 'portcullis', group },
  ],
  files: { 'portal.json': { path: 'portal/portal.json', mode: 0o640, group } },
  fileTemplates: {},
  units: { portal: { log: { form: 'plain', syslogId: 'portal', unit: 'portal' } } },
  unitTemplates: {},
  ports: {
    http: {
      name: 'portal',
      networks: 'served',
      way: 'input',
      protocol: 'tcp',
      sourcePort: null,
      destinationPort: 8085,
    },
    https: {
      name: 'portal',
      networks: 'served',
      way: 'input',
      protocol: 'tcp',
      sourcePort: null,
      destinationPort: 8446,
    },
  },
  kernel: [],
})
