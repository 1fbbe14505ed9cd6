// What is stored about monitoring. At first everything is disabled (docs/behaviour/monitor.md).

import { Enabled, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Sealed } from '../../core/model/secret.ts'
import { single } from '../../core/model/slots.ts'
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

/** As shown, with sealed secrets; null means that none is set. */
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

/** Version 2 asks for nothing but the community, so it is a secret too. */
export type SnmpSecret = 'community' | 'password' | 'private_key'

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

/** Whether the applications of connections are recognised. */
export const applicationDetection = single('monitor.application_detection', Enabled, { enabled: false })

export const slots = [applicationDetection, flowState, flowSettings, snmpState, snmpSettings, agentSettings]
