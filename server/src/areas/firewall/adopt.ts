// What stays open from outside when the firewall begins to drop what comes from there: at the first start the ports of SSH
// through which someone is connected at that moment, and in the state of an earlier release, which accepted everything, the
// management service as well. They become INPUT rules, so that no one is locked out and everyone sees them. Pure.

import type { EditTools } from '../../config/change.ts'
import { addItem } from '../../model/list-edits.ts'
import { addTo } from '../../model/lists.ts'
import { type Config, read } from '../../model/slots.ts'
import type { Facts } from '../../plan/facts.ts'
import { externalDevices } from '../network/public.ts'
import { ports } from '../objects/public.ts'
import { inputRules } from './config.ts'
import { ruleLists } from './lists.ts'

export interface OpenEnd {
  readonly address: string
  readonly port: number
}

const anywhere = ['0.0.0.0', '::']

/** Those ports that external interfaces reach, in their order. */
export function exposedPorts(config: Config, facts: Facts, ends: readonly OpenEnd[]): readonly number[] {
  const external = externalDevices(config, facts)
  const own = new Set(
    facts.interfaces
      .filter(({ name }) => external.includes(name))
      .flatMap(({ addresses }) => addresses.map((text) => text.split('/')[0])),
  )
  const exposed = ends.filter(({ address }) => own.has(address) || (own.size > 0 && anywhere.includes(address)))
  return [...new Set(exposed.map(({ port }) => port))].sort((a, b) => a - b)
}

/** With an INPUT rule for each port that has none yet. */
export const keepOpen = (config: Config, tools: Pick<EditTools, 'nextId'>, open: readonly number[]): Config =>
  open.reduce((current, port) => keepPort(current, tools, port), config)

const incoming = 'interface.external_any'

function keepPort(config: Config, tools: Pick<EditTools, 'nextId'>, port: number): Config {
  const known = read(config, ports).find(({ value }) => value === port)
  const isKept = read(config, inputRules).some(
    (rule) => rule.incoming_interface === incoming && known !== undefined && rule.destination_ports.includes(known.id),
  )
  if (isKept) return config
  const object = known ?? { id: `port.id.${tools.nextId(ports)}`, title: `Port ${port}`, comment: '', value: port }
  return addTo(known ? config : addItem(config, ports, object), ruleLists.input, tools.nextId(inputRules), {
    action: 'accept',
    protocol: 'protocol.tcp',
    destination_ports: [object.id],
    incoming_interface: incoming,
    comment: 'Kept open from outside, because it was in use when the firewall began to drop what comes from there.',
  })
}
