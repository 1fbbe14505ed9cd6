// What a restored or reverted configuration must not say about monitoring, and what it keeps in use.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import { agentSettings, flowSettings } from './config.ts'
import { monitor } from './index.ts'

const faultsOf = (config: Config) => (monitor.verify?.(config) ?? []).map(({ field }) => field)
const flow = (fields: Partial<typeof flowSettings.initial>) =>
  write({}, flowSettings, { ...flowSettings.initial, ...fields })
const agent = (fields: Partial<typeof agentSettings.initial>) =>
  write({}, agentSettings, { ...agentSettings.initial, ...fields })

describe('the flow export', () => {
  it('is accepted as it is at first', () => assert.deepEqual(faultsOf({}), []))

  it('exports only interfaces that exist and carry traffic themselves', () => {
    const exported_interfaces = ['interface.vpn_traffic', 'interface.id.9', 'interface.external_any', 'x']
    assert.deepEqual(faultsOf(flow({ exported_interfaces })), [
      'monitor.flow_settings.exported_interfaces[1]',
      'monitor.flow_settings.exported_interfaces[2]',
      'monitor.flow_settings.exported_interfaces[3]',
    ])
  })

  it('keeps its interfaces in use', () => {
    const config = flow({ exported_interfaces: ['interface.id.9'] })
    assert.deepEqual(monitor.references?.(config), [
      {
        id: 'interface.id.9',
        object: 'monitor.flow_settings',
        field: 'exported_interfaces',
        title: 'Flow export settings',
      },
    ])
  })

  it('has a collector that is a machine, and templates only where the version has them', () => {
    assert.deepEqual(faultsOf(flow({ destination_ip: '0.0.0.0' })), ['monitor.flow_settings.destination_ip'])
    assert.deepEqual(faultsOf(flow({ version: 5, template_tx_interval: null })), [
      'monitor.flow_settings.template_tx_counter',
    ])
    assert.deepEqual(faultsOf(flow({ template_tx_interval: null })), ['monitor.flow_settings.template_tx_interval'])
  })
})

describe('the monitoring agent', () => {
  it('has servers in the modes that are enabled, and a name in the active one', () => {
    assert.deepEqual(faultsOf(agent({ active_mode_enabled: true, passive_mode_enabled: true })), [
      'monitor.agent.active_mode_servers',
      'monitor.agent.passive_mode_servers',
      'monitor.agent.hostname',
    ])
  })

  it('has servers with valid addresses and ports', () => {
    const passive_mode_servers = ['192.0.2.1:10051', '192.0.2.256', 'monitor.example:65536']
    assert.deepEqual(faultsOf(agent({ passive_mode_servers })), [
      'monitor.agent.passive_mode_servers[1]',
      'monitor.agent.passive_mode_servers[2]',
    ])
  })
})
