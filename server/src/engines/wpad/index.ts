// The server of the proxy file that DHCP announces (WPAD): a small program of ours for each address of the gateway.

import { declareEngine } from '../engine.ts'
import packages from './packages.json' with { type: 'json' }

export const wpad = declareEngine({
  service: 'wpad',
  title: 'server of the proxy file',
  packages,
  folders: [],
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
