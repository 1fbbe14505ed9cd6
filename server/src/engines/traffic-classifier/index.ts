// The traffic classifier: a program of ours with its own account, which gets copies of the first packets of connections from the
// kernel, has ndpiReader (nDPI) say which applications they belong to, and writes that for the traffic monitor. It sees traffic
// and never decides about it.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** Below the state folder: written by the classifier, read by gatewayd. */
export const classifierPaths = {
  folder: 'run/traffic-classifier',
  /** One line for each connection. */
  connections: 'run/traffic-classifier/connections.jsonl',
  /** What it has done since it started. */
  report: 'run/traffic-classifier/report.json',
} as const

export const trafficClassifier = declareEngine({
  service: 'traffic-classifier',
  title: 'traffic classifier',
  packages,
  folders: [
    // Set-gid: what it writes belongs to the group of gatewayd.
    { path: classifierPaths.folder, mode: 0o2750, owner: 'portcullis-classifier', group: 'service' },
  ],
  files: {},
  fileTemplates: {},
  units: {
    'traffic-classifier': {
      log: { form: 'plain', syslogId: 'traffic-classifier', unit: '{brand}-traffic-classifier' },
    },
  },
  unitTemplates: {},
  ports: {},
  kernel: [
    { name: 'copies of packets (nfnetlink_log)', path: '/proc/net/netfilter/nfnetlink_log' },
    { name: 'counters of connections (nf_conntrack_acct)', path: '/proc/sys/net/netfilter/nf_conntrack_acct' },
  ],
})
