// The web antivirus: clamd, which filterd asks about files. What is switched on is the web-proxy area's, how it runs is in
// applyd/. Signatures are not part of the gateway: the operator or a package brings them.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** Below the state folder. */
export const antivirusPaths = {
  /** clamd listens, filterd asks. */
  socket: 'run/antivirus/clamd.sock',
  /** Signatures that the operator puts there. */
  signatures: 'antivirus/signatures',
} as const

/** Where packages keep signatures. */
export const packageSignatures = '/var/lib/clamav'

export const antivirus = declareEngine({
  service: 'antivirus',
  title: 'web antivirus',
  packages,
  folders: [
    { path: 'antivirus', mode: 0o755 },
    { path: antivirusPaths.signatures, mode: 0o755 },
    // Links to all signatures: clamd reads one folder.
    { path: 'antivirus/database', mode: 0o700, owner: 'portcullis-antivirus' },
    { path: 'antivirus/unpacked', mode: 0o700, owner: 'portcullis-antivirus' },
    // Set-gid: the socket belongs to the group of filterd.
    { path: 'run/antivirus', mode: 0o2710, owner: 'portcullis-antivirus', group: 'portcullis-web-filter' },
  ],
  files: { 'clamd.conf': { path: 'antivirus/clamd.conf', mode: 0o640, group: 'portcullis-antivirus' } },
  fileTemplates: {},
  units: { antivirus: { log: { form: 'plain', syslogId: 'clamd', unit: '{brand}-av-backend' } } },
  unitTemplates: {},
  ports: {},
  kernel: [],
})
