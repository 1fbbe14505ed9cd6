// What is stored about monitoring: all of it off at first, with the defaults of the specification.

import { Enabled, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { Sealed } from '../../model/secret.ts'
import { single } from '../../model/slots.ts'
import { AgentSettings, FlowSettings, SnmpSettings } from './contract.ts'

export const flowState = single('monitor.flow_state', Enabled, { enabled: false })
export const flowSettings = single('monitor.flow_settings', FlowSettings, {
  version: 9,
  exported_interfaces: [],
  destination_ip: '',
  destination_port: 2055,
  active_flow_interval: 300,
  template_tx_counter: 20,
  template_tx_interval: 1800,
})

export const snmpState = single('monitor.snmp_state', Enabled, { enabled: false })

const MaybeSealed = Type.Union([Sealed, Type.Null()])

/** As shown, with the secrets sealed; null is none. */
const StoredSnmp = strictObject({
  ...SnmpSettings.properties,
  community: MaybeSealed,
  password: MaybeSealed,
  private_key: MaybeSealed,
})

export const snmpSettings = single('monitor.snmp_settings', StoredSnmp, {
  community: null,
  allow_external: false,
  version: 2,
  user: '',
  password: null,
  private_key: null,
  hosts: [],
  location: '',
  contact: '',
  name: '',
})

/** The community is all that version 2 asks for, so it is a secret too. */
export const snmpSecrets = ['community', 'password', 'private_key'] as const
export type SnmpSecret = (typeof snmpSecrets)[number]

/** Where the vault binds a secret to. */
export const secretPlace = (field: SnmpSecret): string => `${snmpSettings.key}//${field}`

export const agentSettings = single('monitor.agent', AgentSettings, {
  enabled: false,
  active_mode_enabled: false,
  active_mode_servers: [],
  passive_mode_enabled: false,
  passive_mode_servers: [],
  hostname: '',
  listen_port: 10_050,
})

export const slots = [flowState, flowSettings, snmpState, snmpSettings, agentSettings]
