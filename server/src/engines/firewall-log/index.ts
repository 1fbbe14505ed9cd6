// The reader of the firewall log: ulogd takes from the kernel what rules log, and writes it as JSON lines.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** Below the state folder: written by ulogd, read by gatewayd. */
export const hitsPath = 'log/firewall.json'

export const firewallLog = declareEngine({
  service: 'firewall-log',
  title: 'reader of the firewall log',
  packages,
  folders: [],
  files: { 'ulogd.conf': { path: 'applyd/ulogd.conf', mode: 0o600 } },
  fileTemplates: {},
  units: {
    'firewall-log': {
      log: { form: 'plain', syslogId: 'ulogd', unit: '{brand}-nflog' },
      output: { path: hitsPath, mode: 0o640, group: 'service', maxBytes: 32 * 1024 * 1024 },
    },
  },
  unitTemplates: {},
  ports: {},
  kernel: [{ name: 'packet logging (nfnetlink_log)', path: '/proc/net/netfilter/nfnetlink_log' }],
})
