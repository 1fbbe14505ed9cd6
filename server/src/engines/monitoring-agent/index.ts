// The monitoring agent: zabbix_agentd. What its file says is the monitoring area's, how it runs is in
// applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

const group = 'portcullis-monitoring-agent'
const port = { networks: 'served', way: 'input', protocol: 'tcp', sourcePort: null } as const

export const monitoringAgent = declareEngine({
  service: 'monitoring-agent',
  title: 'monitoring agent',
  packages,
  folders: [
    { path: 'monitoring-agent', mode: 0o750, group },
    { path: 'monitoring-agent/run', mode: 0o700, owner: 'portcullis-monitoring-agent' },
  ],
  files: { 'zabbix-agent.conf': { path: 'monitoring-agent/zabbix-agent.conf', mode: 0o640, group } },
  fileTemplates: {},
  units: {
    'monitoring-agent': { log: { form: 'plain', syslogId: 'zabbix_agentd', unit: 'zabbix-agent' } },
  },
  unitTemplates: {},
  // It listens on one of them.
  ports: {
    first: { ...port, name: 'monitoring_agent', destinationPort: 10_050 },
    second: { ...port, name: 'monitoring_agent', destinationPort: 10_051 },
  },
  kernel: [],
})
