// The DHCP client of a device that gets its address from a provider: udhcpc, one for each device.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** A file for each device with its lease, below the state folder; gatewayd reads it like any other fact. */
export const clientLeasesFolder = 'leases'

export const dhcpClient = declareEngine({
  service: 'dhcp-client',
  title: 'DHCP client',
  packages,
  folders: [
    // The client writes leases itself, as its own account.
    { path: clientLeasesFolder, mode: 0o755, owner: 'portcullis-dhcp-client' },
    { path: 'dhcp-client', mode: 0o755 },
  ],
  files: {},
  fileTemplates: {},
  units: {},
  unitTemplates: { 'dhcp-client': { log: null } },
  ports: {},
  kernel: [],
})
