// What must hold for the settings of monitoring beyond their form. Fields are named as in the body of a call.

import type { Problem } from '../../contract/error.ts'
import { type Config, read } from '../../model/slots.ts'
import { parseAddress } from '../../net/ipv4.ts'
import { isInterfaceAlias } from '../network/public.ts'
import { agentSettings, flowSettings } from './config.ts'
import type { AgentSettings, FlowSettings } from './contract.ts'

const problem = (field: string, message: string): Problem => ({ field, message })

const templateFields = ['template_tx_counter', 'template_tx_interval'] as const

/** Single interfaces, and VPN traffic and IPsec as a whole (monitor.md); a zone or "all external ones" is none. */
const wholeKinds: readonly string[] = ['interface.vpn_traffic', 'interface.ipsec_any']

const isCounted = (config: Config, alias: string): boolean =>
  isInterfaceAlias(config, alias) &&
  (wholeKinds.includes(alias) || alias.startsWith('interface.id.') || alias.startsWith('interface.tunnel.'))

export function flowProblems(config: Config, settings: FlowSettings): Problem[] {
  const { version, destination_ip, exported_interfaces } = settings
  const templates = templateFields.flatMap((field) => {
    if (version === 5) return settings[field] === null ? [] : [problem(field, 'Must be null with version 5.')]
    return settings[field] === null ? [problem(field, 'Must be a number with version 9 and 10.')] : []
  })
  const strangers = exported_interfaces.flatMap((alias, index) =>
    isCounted(config, alias)
      ? []
      : [problem(`exported_interfaces[${index}]`, `There is no interface with the id ${alias} that can be counted.`)],
  )
  return [
    ...(destination_ip === '0.0.0.0' ? [problem('destination_ip', 'Must be the address of a machine.')] : []),
    ...templates,
    ...strangers,
  ]
}

export function agentProblems(agent: AgentSettings): Problem[] {
  const empty = 'Must name at least one server while this mode is on.'
  return [
    ...(agent.active_mode_enabled && agent.active_mode_servers.length === 0
      ? [problem('active_mode_servers', empty)]
      : []),
    ...(agent.passive_mode_enabled && agent.passive_mode_servers.length === 0
      ? [problem('passive_mode_servers', empty)]
      : []),
    ...(agent.active_mode_enabled && agent.hostname === ''
      ? [problem('hostname', 'Must not be empty while the active mode is on.')]
      : []),
    ...serverProblems('active_mode_servers', agent.active_mode_servers),
    ...serverProblems('passive_mode_servers', agent.passive_mode_servers),
  ]
}

const highestPort = 65_535

const serverProblems = (field: string, servers: readonly string[]): Problem[] =>
  servers.flatMap((server, index) => {
    const [host = '', port = '1'] = server.split(':')
    // No name ends with a number, so this is meant to be an address.
    if (/(?:^|\.)[0-9]+$/.test(host) && parseAddress(host) === null)
      return [problem(`${field}[${index}]`, `${host} is no IPv4 address.`)]
    return Number(port) > highestPort ? [problem(`${field}[${index}]`, `The port must be at most ${highestPort}.`)] : []
  })

export const verify = (config: Config): Problem[] => [
  ...flowProblems(config, read(config, flowSettings)).map(({ field, message }) =>
    problem(`${flowSettings.key}.${field}`, message),
  ),
  ...agentProblems(read(config, agentSettings)).map(({ field, message }) =>
    problem(`${agentSettings.key}.${field}`, message),
  ),
]
