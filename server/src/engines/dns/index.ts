// The DNS server: unbound. What its files say is the DNS area's, how it runs is in applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

const group = 'unbound'

export const dns = declareEngine({
  service: 'dns',
  title: 'DNS server',
  packages,
  folders: [
    { path: 'unbound', mode: 0o750, group },
    { path: 'unbound/zones', mode: 0o750, group },
  ],
  files: {
    'unbound.conf': { path: 'unbound/unbound.conf', mode: 0o640, group },
    // Answers that are ours whatever the owner of the zone says: safe search, and names of servers that bypass us.
    'unbound-policy.zone': { path: 'unbound/policy.zone', mode: 0o640, group },
  },
  fileTemplates: { 'unbound-zone': { folder: 'unbound/zones', mode: 0o640, group, isForced: false } },
  units: {
    dns: { log: { form: 'stamped', syslogId: 'unbound', unit: 'unbound' }, formerNames: ['unbound'] },
  },
  unitTemplates: {},
  ports: {
    udp: {
      name: 'dns',
      networks: 'local',
      way: 'input',
      protocol: 'udp',
      sourcePort: null,
      destinationPort: 53,
    },
    tcp: {
      name: 'dns',
      networks: 'local',
      way: 'input',
      protocol: 'tcp',
      sourcePort: null,
      destinationPort: 53,
    },
  },
  kernel: [],
})
