// The monitoring agent.

import { agentSettings, agentStatus } from '@gateway/server/contract/monitor'
import { read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  lead: msg('An agent for a Zabbix server.'),
  endpoints: agentSettings,
  groups: [
    { title: msg('State'), fields: ['enabled', 'hostname', 'listen_port'] },
    { title: msg('The gateway connects'), fields: ['active_mode_enabled', 'active_mode_servers'] },
    { title: msg('The server connects'), fields: ['passive_mode_enabled', 'passive_mode_servers'] },
  ],
  fields: {
    enabled: { label: msg('Run the agent') },
    hostname: { label: msg('Host name') },
    active_mode_servers: { widget: 'lines', label: msg('Servers') },
    passive_mode_servers: { widget: 'lines', label: msg('Servers') },
  },
  reads: [
    read({
      endpoint: agentStatus,
      title: msg('Now'),
      fields: { enabled: { label: msg('The agent runs') } },
      everyMs: 10_000,
    }),
  ],
})
