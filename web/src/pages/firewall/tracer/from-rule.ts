// A packet that a rule is about, as the address of the tracer: the first address and port that its objects stand for. Pure.

import { printAddress } from '@gateway/server/net/ipv4'
import { leavesOf, literalOf, type ObjectIndex, resolveAddresses } from '../../../util/objects.ts'
import type { Rule } from '../rules/tables.ts'

export function searchOfRule(rule: Rule, index: ObjectIndex): Record<string, string> {
  const protocol = /^protocol\.(\w+)$/.exec(rule.protocol)?.[1] ?? 'tcp'
  const withPorts = protocol === 'tcp' || protocol === 'udp'
  const port = withPorts ? firstPort(rule.destination_ports, index) : ''
  const destination = rule.destination_addresses_negate ? '' : firstAddress(rule.destination_addresses, index)
  const source = rule.source_addresses_negate ? '' : firstAddress(rule.source_addresses, index)
  const incoming = rule.incoming_interface ?? 'any'
  return {
    p: protocol,
    ...(source === '' ? {} : { s: source }),
    ...(destination === '' ? {} : { d: port === '' ? destination : `${destination}:${port}` }),
    ...(incoming === 'any' || incoming.startsWith('interface.') ? {} : { in: incoming }),
  }
}

/** Not the address of the network itself, but the first host in it. */
function firstAddress(ids: readonly string[], index: ObjectIndex): string {
  for (const id of ids) {
    if (id === 'any') return ''
    const [low, high] = resolveAddresses(index, id).ranges
    if (low !== undefined && high !== undefined) return printAddress(high - low > 2 ? low + 1 : low)
  }
  return ''
}

function firstPort(ids: readonly string[], index: ObjectIndex): string {
  const [leaf] = ids.flatMap((id) => (id === 'any' ? [] : leavesOf(index, id)))
  return leaf ? (literalOf(leaf).split('-')[0] ?? '') : '443'
}
