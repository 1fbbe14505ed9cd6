// The flow export as a file and a unit: the collector, the intervals, and the networks by which the exporter recognises
// interfaces. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { flowExport } from '../../engines/flow-export/index.ts'
import { printFlowFile } from '../../engines/flow-export/settings-file.ts'
import { printAddress } from '../../shared/net/ipv4.ts'
import { ownAddresses } from '../network/public.ts'
import { flowSettings, flowState } from './config.ts'
import { interfacePlaces } from './places.ts'

/** An empty address or list of interfaces exports nothing (docs/behaviour/monitor.md 3). */
export function isFlowExported(config: Config): boolean {
  const { destination_ip, exported_interfaces } = read(config, flowSettings)
  return read(config, flowState).enabled && destination_ip !== '' && exported_interfaces.length > 0
}

export function render(config: Config, facts: Facts): Artifact[] {
  if (!isFlowExported(config)) return []
  const settings = read(config, flowSettings)
  const text = printFlowFile({
    version: settings.version,
    address: settings.destination_ip,
    port: settings.destination_port,
    activeSeconds: settings.active_flow_interval,
    templatePackets: settings.template_tx_counter,
    templateSeconds: settings.template_tx_interval,
    own: ownAddresses(config, facts).map(printAddress),
    interfaces: interfacePlaces(config, facts)
      .filter(({ networks, isExternal }) => networks.length > 0 || isExternal)
      .map(({ alias, index, networks, isExternal }) => ({
        index,
        networks: networks.map(({ address, prefix }) => `${printAddress(address)}/${prefix}`),
        isExternal,
        isExported: settings.exported_interfaces.includes(alias),
      })),
  })
  return [engineFile(flowExport, 'flow-export.json', text), engineUnit(flowExport, 'flow-export')]
}
