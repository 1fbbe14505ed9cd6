// The SNMP service: snmpd. What its file says is the monitoring area's, how it runs is in applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

const group = 'portcullis-snmp'

export const snmp = declareEngine({
  service: 'snmp',
  title: 'SNMP service',
  packages,
  folders: [
    { path: 'snmp', mode: 0o750, group },
    // Its engine id and the number of its starts, by which clients of version 3 know it.
    { path: 'snmp/kept', mode: 0o700, owner: 'portcullis-snmp' },
  ],
  // With the community, or the password and the key.
  files: { 'snmpd.conf': { path: 'snmp/snmpd.conf', mode: 0o640, group } },
  fileTemplates: {},
  units: { snmp: { log: { form: 'plain', syslogId: 'snmpd', unit: 'snmpd' } } },
  unitTemplates: {},
  ports: {
    requests: {
      name: 'snmp',
      networks: 'served',
      way: 'input',
      protocol: 'udp',
      sourcePort: null,
      destinationPort: 161,
    },
  },
  kernel: [],
})
