// zabbix_agentd with an account of its own and no rights. It runs no commands of its servers.

import { join } from 'node:path'
import { defineEngine } from '../../kit/privileged.ts'
import { monitoringAgent } from '../index.ts'

const program = '/usr/sbin/zabbix_agentd'
const server = '[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(?::[1-9][0-9]{0,4})?'

/** Every form of a line of the settings: no parameter of a user, module, path, alias or remote command. */
const forms: readonly RegExp[] = [
  /^(?:|ListenPort=1005[01]|StartAgents=[0-9]{1,2})$/,
  /^Hostname=[A-Za-z0-9._-](?:[A-Za-z0-9._ -]{0,126}[A-Za-z0-9._-])?$/,
  ...[`^Server(?:Active)?=${server}(?:,${server}){0,99}$`].map((ownPattern) => new RegExp(ownPattern, 'u')),
]

export const monitoringAgentEngine = defineEngine(monitoringAgent, ({ stateDir, accountOf }) => {
  const user = accountOf('portcullis-monitoring-agent')
  const ending = [
    'LogType=console',
    `PidFile=${join(stateDir, 'monitoring-agent', 'run', 'pid')}`,
    'Timeout=3',
    // Also the default; said here so that no later release of the agent changes it.
    'DenyKey=system.run[*]',
    ...(user ? [] : ['AllowRoot=1']),
    '',
  ]
  return {
    units: {
      'monitoring-agent': {
        program,
        args: ['-f', '-c', '{zabbix-agent.conf}'],
        files: { 'zabbix-agent.conf': { lines: forms } },
        check: { program, args: ['-c', '{zabbix-agent.conf}', '-t', 'agent.ping'] },
        // It reads its settings only when it starts.
        reload: 'restart',
        // It may listen nowhere, and logs every connection that is not from its servers. One that cannot listen ends at once.
        probe: { kind: 'alive', forMs: 500 },
        isOptional: true,
        user,
        capabilities: [],
        limits: { nofile: 1024, data: 256 * 1024 * 1024, nproc: 64 },
      },
    },
    unitTemplates: {},
    endings: { 'zabbix-agent.conf': ending.join('\n') },
  }
})
