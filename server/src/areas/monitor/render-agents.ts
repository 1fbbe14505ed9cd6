// SNMP and the monitoring agent as files and units. Where they listen, run and keep their state is applyd's. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import { monitoringAgent } from '../../engines/monitoring-agent/index.ts'
import * as zabbix from '../../engines/monitoring-agent/zabbix-agent.ts'
import { snmp } from '../../engines/snmp/index.ts'
import {
  directive,
  printLines,
  quote,
  type Snmp,
  secret,
  source,
  textLines,
  userName,
  word,
} from '../../engines/snmp/snmp.ts'
import { agentServers, isAgentServed, isSnmpServed, snmpHosts } from './agents.ts'
import { agentSettings, type SnmpSecret, secretPlace, snmpSettings } from './config.ts'

export const renderAgents = (config: Config): Artifact[] => [
  ...(isSnmpServed(config)
    ? [engineFile(snmp, 'snmpd.conf', printLines(snmpLines(config))), engineUnit(snmp, 'snmp')]
    : []),
  ...(isAgentServed(config)
    ? [
        engineFile(monitoringAgent, 'zabbix-agent.conf', zabbix.printLines(agentLines(config))),
        engineUnit(monitoringAgent, 'monitoring-agent'),
      ]
    : []),
]

function snmpLines(config: Config): Snmp[] {
  const { version, location, contact, name } = read(config, snmpSettings)
  return [
    ...(version === 2 ? communityLines(config) : userLines(config)),
    ...textLines('sysLocation', location),
    ...textLines('sysContact', contact),
    ...textLines('sysName', name),
  ]
}

/** A secret that is set, as a word. */
function sealedWords(config: Config, field: SnmpSecret): Snmp[] {
  const stored = read(config, snmpSettings)[field]
  return stored === null ? [] : [secret(secretPlace(field), stored.sealed)]
}

/** Everything can be read and nothing written. */
const communityLines = (config: Config): Snmp[] => [
  ...sealedWords(config, 'community').flatMap((community) =>
    snmpHosts(config).map((host) => directive('com2sec', word('trusted'), source(host), community)),
  ),
  ...['v1', 'v2c'].map((model) => directive('group', word('readers'), word(model), word('trusted'))),
  directive('view', word('all'), word('included'), word('.1')),
  directive(
    'access',
    word('readers'),
    quote(''),
    word('any'),
    word('noauth'),
    word('exact'),
    word('all'),
    word('none'),
    word('none'),
  ),
]

/** With a key every request must be encrypted; without one it must be authentic. */
function userLines(config: Config): Snmp[] {
  const user = userName(read(config, snmpSettings).user)
  const keys = sealedWords(config, 'private_key').flatMap((key) => [word('AES'), key])
  return [
    directive('createUser', user, word('MD5'), ...sealedWords(config, 'password'), ...keys),
    directive('rouser', user, word(keys.length === 0 ? 'auth' : 'priv')),
  ]
}

/** Processes that answer servers; one that waits for a slow item does not keep the others waiting. */
const listeners = 3

function agentLines(config: Config): zabbix.Zabbix[] {
  const { hostname, listen_port } = read(config, agentSettings)
  const { connected, asking } = agentServers(config)
  // The agent does not start with an apostrophe in its name, and no server can have such a host.
  const name = hostname.replaceAll("'", '').trim()
  return [
    ...(asking.length === 0
      ? [zabbix.number('StartAgents', 0)]
      : [
          zabbix.number('StartAgents', listeners),
          zabbix.number('ListenPort', listen_port),
          zabbix.servers('Server', asking),
        ]),
    ...(connected.length === 0 ? [] : [zabbix.servers('ServerActive', connected)]),
    ...(zabbix.canBeHost(name) ? [zabbix.hostName(name)] : []),
  ]
}
