// What external monitoring reads of the gateway: when SNMP and the monitoring agent run, who may ask them, and what the
// firewall does for that. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { GuardedPort, OutsideService } from '../../domain/policy/model.ts'
import { monitoringAgent } from '../../engines/monitoring-agent/index.ts'
import { snmp } from '../../engines/snmp/index.ts'
import { canBeUser } from '../../engines/snmp/snmp.ts'
import { type Network, parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { toRanges } from '../../shared/net/ranges.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { agentSettings, snmpSettings, snmpState } from './config.ts'

/** Why no one could read with these settings; empty when someone can. */
export function snmpFaults(config: Config): SaidText[] {
  const { version, community, user, password, hosts } = read(config, snmpSettings)
  const missing =
    version === 2
      ? [...(community === null ? [say`The community is missing.`] : [])]
      : [
          ...(user === '' ? [say`The user is missing.`] : canBeUser(user) ? [] : [say`The user name cannot be used.`]),
          ...(password === null ? [say`The password is missing.`] : []),
        ]
  return [...(hosts.length === 0 ? [say`No trusted host is listed.`] : []), ...missing]
}

export const isSnmpServed = (config: Config): boolean =>
  read(config, snmpState).enabled && snmpFaults(config).length === 0

/** Whole networks, also where an address of one was given. */
export const snmpHosts = (config: Config): Network[] =>
  read(config, snmpSettings).hosts.flatMap((host) => parseNetwork(host.includes('/') ? host : `${host}/32`) ?? [])

const { protocol, destinationPort, name } = snmp.ports.requests
const title = snmp.title

/** Version 3 has no addresses of its own, so the firewall keeps others away. */
export const guardedSnmp = (config: Config): GuardedPort[] =>
  isSnmpServed(config)
    ? [
        {
          name,
          title,
          protocol,
          destinationPort,
          peers: toRanges(snmpHosts(config).map(({ low, high }) => [low, high])),
          isOpenOutside: read(config, snmpSettings).allow_external,
        },
      ]
    : []

/** The guard has left only trusted hosts. */
export const snmpServices = (config: Config): OutsideService[] =>
  isSnmpServed(config) && read(config, snmpSettings).allow_external
    ? [{ name, title, protocol, destinationPort, peers: null }]
    : []

/** As the agent can use them: names in ASCII, and none of them twice. */
export interface AgentServers {
  /** With ports. */
  readonly connected: readonly string[]
  /** Those that may ask; a port means nothing there. */
  readonly asking: readonly string[]
}

const defaultPort = 10_051

export function agentServers(config: Config): AgentServers {
  const agent = read(config, agentSettings)
  const split = (list: readonly string[]) =>
    list.map((server) => {
      const [host = '', port = String(defaultPort)] = server.split(':')
      return { host: asciiName(host), port }
    })
  const used = (isOn: boolean, list: readonly string[]) =>
    agent.enabled && isOn ? split(list).filter(({ host }) => host !== '') : []
  const connected = used(agent.active_mode_enabled, agent.active_mode_servers)
  const asking = used(agent.passive_mode_enabled, agent.passive_mode_servers)
  return {
    connected: [...new Set(connected.map(({ host, port }) => `${host}:${port}`))],
    asking: [...new Set(asking.map(({ host }) => host))],
  }
}

/** International names as the DNS has them; empty for what cannot be a name. */
function asciiName(host: string): string {
  const parsed = URL.parse(`http://${host}/`)
  return parsed !== null && /^[a-z0-9.-]+$/.test(parsed.hostname) ? parsed.hostname : ''
}

export function isAgentServed(config: Config): boolean {
  const { connected, asking } = agentServers(config)
  return connected.length + asking.length > 0
}

/** The agent resolves names itself and refuses others, so a name opens the port and an address only for itself. */
export function agentServices(config: Config): OutsideService[] {
  const { asking } = agentServers(config)
  if (asking.length === 0) return []
  const peers = asking.map(parseAddress)
  const { listen_port } = read(config, agentSettings)
  return [
    {
      name: monitoringAgent.ports.first.name,
      title: monitoringAgent.title,
      protocol: 'tcp',
      destinationPort: listen_port,
      peers: peers.some((one) => one === null) ? null : peers.flatMap((one) => one ?? []),
    },
  ]
}
