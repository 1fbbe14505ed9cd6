// What must hold of the monitoring settings beyond their form, and which interfaces they keep in use.

import type { Problem } from '../../core/contract/error.ts'
import { declareSettings, names } from '../../core/model/declarations.ts'
import type { Config } from '../../core/model/slots.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { connections, isInterfaceAlias, tunnels, zones } from '../network/public.ts'
import { agentSettings, flowSettings, snmpSettings } from './config.ts'
import type { AgentSettings, FlowSettings } from './contract.ts'

const problem = (field: string, message: SaidText): Problem => ({ field, message })

const templateFields = ['template_tx_counter', 'template_tx_interval'] as const

/** VPN traffic and IPsec as a whole; apart from these only single interfaces (docs/behaviour/monitor.md 3). */
const wholeKinds: readonly string[] = ['interface.vpn_traffic', 'interface.ipsec_any']

const isCounted = (config: Config, alias: string): boolean =>
  isInterfaceAlias(config, alias) &&
  (wholeKinds.includes(alias) || alias.startsWith('interface.id.') || alias.startsWith('interface.tunnel.'))

export const flowExport = declareSettings<FlowSettings>({
  slot: flowSettings,
  noun: 'flow export settings',
  references: [
    names('exported_interfaces', {
      faultOf: (config, id) =>
        isCounted(config, id) ? null : say`There is no interface with the id ${id} whose flows can be exported.`,
    }),
  ],
  problemsOf: (_config, settings) => [
    ...(settings.destination_ip === '0.0.0.0'
      ? [problem('destination_ip', say`Must be the address of a machine.`)]
      : []),
    ...templateFields.flatMap((field) => {
      if (settings.version === 5)
        return settings[field] === null ? [] : [problem(field, say`Must be null with version 5.`)]
      return settings[field] === null ? [problem(field, say`Must be a number with versions 9 and 10.`)] : []
    }),
  ],
  reads: [connections, tunnels, zones],
})

export const snmp = declareSettings({ slot: snmpSettings, noun: 'SNMP settings' })

export const monitoringAgent = declareSettings<AgentSettings>({
  slot: agentSettings,
  noun: 'monitoring agent settings',
  problemsOf: (_config, agent) => {
    const empty = say`Must contain at least one server while this mode is enabled.`
    return [
      ...(agent.active_mode_enabled && agent.active_mode_servers.length === 0
        ? [problem('active_mode_servers', empty)]
        : []),
      ...(agent.passive_mode_enabled && agent.passive_mode_servers.length === 0
        ? [problem('passive_mode_servers', empty)]
        : []),
      ...(agent.active_mode_enabled && agent.hostname === ''
        ? [problem('hostname', say`Must not be empty while the active mode is enabled.`)]
        : []),
      ...serverProblems('active_mode_servers', agent.active_mode_servers),
      ...serverProblems('passive_mode_servers', agent.passive_mode_servers),
    ]
  },
})

const highestPort = 65_535

const serverProblems = (field: string, servers: readonly string[]): Problem[] =>
  servers.flatMap((server, index) => {
    const [host = '', port = '1'] = server.split(':')
    // No domain name ends with a number, so this is meant to be an address.
    if (/(?:^|\.)[0-9]+$/.test(host) && parseAddress(host) === null)
      return [problem(`${field}[${index}]`, say`${host} is not a valid IPv4 address.`)]
    return Number(port) > highestPort
      ? [problem(`${field}[${index}]`, say`The port must be at most ${highestPort}.`)]
      : []
  })
