// Intrusion prevention and application control: Suricata, which gets the packets of inspected connections from a queue of the
// kernel. What its files say is of the area inspection, how it runs is in applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** Below the state folder. */
export const inspectionPaths = {
  /** gatewayd writes the rules of all channels, `<sha256>.rules`; the engine copies the one that the plan names. */
  compiled: 'inspection/compiled',
  /** gatewayd writes signatures that are to be checked, `<id>.rules`. */
  candidates: 'inspection/candidates',
  /** What only the engine writes: its copy of the rules. */
  work: 'inspection/work',
  /** Packets of connections with alerts, a ring of files in pcap format, which gatewayd reads. */
  captures: 'inspection/captures',
  /** The engine listens: applyd has it read its rules again, gatewayd asks for its counters. */
  commandSocket: 'run/inspection/command.sock',
  /** The engine writes a line for each alert, the thread of the log reads it. */
  events: 'log/inspection.json',
} as const

const group = 'portcullis-inspection'

export const inspectionEngine = declareEngine({
  service: 'inspection',
  title: 'inspection engine',
  packages,
  folders: [
    // gatewayd reaches the folders in it, but no file.
    { path: 'inspection', mode: 0o751, group },
    { path: inspectionPaths.compiled, mode: 0o2750, owner: 'portcullis', group },
    { path: inspectionPaths.candidates, mode: 0o2750, owner: 'portcullis', group },
    { path: inspectionPaths.work, mode: 0o700, owner: group },
    { path: inspectionPaths.captures, mode: 0o2750, owner: group, group: 'portcullis' },
    { path: 'run/inspection', mode: 0o2710, owner: group, group: 'portcullis' },
  ],
  files: {
    'suricata.yaml': { path: 'inspection/suricata.yaml', mode: 0o640, group },
    // Which rules: `{"rules":"<sha256>"}`.
    'inspection-rules.json': { path: 'inspection/rules.json', mode: 0o640, group },
  },
  fileTemplates: {},
  units: {
    inspection: {
      log: { form: 'plain', syslogId: 'suricata', unit: '{brand}-suricata-backend' },
      output: {
        path: inspectionPaths.events,
        owner: group,
        group: 'service',
        mode: 0o640,
        maxBytes: 64 * 1024 * 1024,
      },
    },
  },
  unitTemplates: {},
  ports: {},
  kernel: [{ name: 'packet queues (nfnetlink_queue)', path: '/proc/net/netfilter/nfnetlink_queue' }],
})
