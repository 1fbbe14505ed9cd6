// The server of the proxy file that DHCP announces (WPAD) and of the certificate that clients of the content filter need: a
// small program of ours for each address of the gateway.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

export const wpad = declareEngine({
  service: 'wpad',
  title: 'server of the proxy file',
  packages,
  folders: [{ path: 'wpad', mode: 0o750, group: 'portcullis-wpad' }],
  files: { 'wpad.json': { path: 'wpad/wpad.json', mode: 0o640, group: 'portcullis-wpad' } },
  fileTemplates: {},
  units: {},
  unitTemplates: { wpad: { log: null } },
  ports: {
    web: {
      name: 'wpad',
      networks: 'served',
      way: 'input',
      protocol: 'tcp',
      sourcePort: null,
      destinationPort: 80,
    },
  },
  kernel: [],
})
