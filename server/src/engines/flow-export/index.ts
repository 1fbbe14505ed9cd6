// The flow exporter: a program of ours with its own account, which reads the kernel's table of connections and sends flows to a
// collector.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** Below the state folder: written by the exporter, read by gatewayd. */
export const flowReportPath = 'run/flow-export/report.json'

export const flowExport = declareEngine({
  service: 'flow-export',
  title: 'flow exporter',
  packages,
  folders: [
    { path: 'flow-export', mode: 0o750, group: 'portcullis-flow-export' },
    // Set-gid: the report belongs to the group of gatewayd.
    { path: 'run/flow-export', mode: 0o2750, owner: 'portcullis-flow-export', group: 'service' },
  ],
  files: { 'flow-export.json': { path: 'flow-export/flow-export.json', mode: 0o640, group: 'portcullis-flow-export' } },
  fileTemplates: {},
  units: { 'flow-export': { log: { form: 'plain', syslogId: 'flow-export', unit: '{brand}-flow-export' } } },
  unitTemplates: {},
  ports: {},
  kernel: [
    { name: 'events of connections (nf_conntrack_events)', path: '/proc/sys/net/netfilter/nf_conntrack_events' },
    { name: 'counters of connections (nf_conntrack_acct)', path: '/proc/sys/net/netfilter/nf_conntrack_acct' },
    { name: 'times of connections (nf_conntrack_timestamp)', path: '/proc/sys/net/netfilter/nf_conntrack_timestamp' },
  ],
})
