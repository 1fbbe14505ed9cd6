// The server of the proxy file that DHCP announces (WPAD): an httpd of busybox for each address of the gateway.

import { declareEngine } from '../engine.ts'
import packages from './packages.json' with { type: 'json' }

export const wpad = declareEngine({
  service: 'wpad',
  title: 'server of the proxy file',
  packages,
  folders: [
    { path: 'wpad', mode: 0o755 },
    { path: 'wpad/files', mode: 0o755 },
  ],
  files: {},
  fileTemplates: {},
  units: {},
  unitTemplates: { wpad: { log: null } },
  ports: {
    web: {
      ...{ name: 'wpad', networks: 'served', way: 'input' },
      ...{ protocol: 'tcp', sourcePort: null, destinationPort: 80 },
    },
  },
  kernel: [],
})
