// Which objects and interfaces the network area mentions, so that nobody removes one that is in use.

import type { Reference } from '../../model/references.ts'
import { type Config, read, type Slot } from '../../model/slots.ts'
import { type Connection, connections, spans, tunnels } from './config.ts'
import type { Span, Tunnel } from './contract.ts'

export const references = (config: Config): readonly Reference[] => [
  ...read(config, connections).flatMap((one) => [
    ...mention(connections, 'Connection', one, 'zone', [one.zone]),
    ...mention(connections, 'Connection', one, 'mac', one.mac?.includes(':') ? [] : [one.mac]),
  ]),
  ...read(config, tunnels).flatMap((one) => [
    ...mention(tunnels, 'Tunnel', one, 'zone', [one.zone]),
    ...mention(tunnels, 'Tunnel', one, 'parent_interface', [one.parent_interface]),
  ]),
  ...read(config, spans).flatMap((one) => mention(spans, 'Mirror', one, 'monitor_interfaces', one.monitor_interfaces)),
]

const mention = (
  slot: Slot,
  what: string,
  item: Connection | Tunnel | Span,
  field: string,
  ids: readonly (string | null)[],
): Reference[] =>
  ids
    .filter((id) => id !== null)
    .map((id) => ({ id, object: `${slot.key}[${item.id}]`, field, title: `${what} “${item.title}”` }))
