// The rules as the gateway has them: objects for every host, network, range, port and list, and FORWARD rules over them.

import { forwardRules } from '../../server/src/areas/firewall/config.ts'
import { ruleLists } from '../../server/src/areas/firewall/lists.ts'
import {
  addressLists,
  ipAddresses,
  ipRanges,
  networks,
  portRanges,
  ports,
} from '../../server/src/areas/objects/config.ts'
import type { EditTools } from '../../server/src/core/config/change.ts'
import { addTo } from '../../server/src/core/model/lists.ts'
import { type Config, type Item, type ListSlot, read, write } from '../../server/src/core/model/slots.ts'
import { type BenchPolicy, type BenchRule, printPorts } from './rules.ts'

type Numbered = ListSlot<Item & { readonly id: number }>

/** Keeps one object for each value, made when it is first asked for. */
class Objects {
  readonly #tools: Pick<EditTools, 'nextId'>
  readonly #ids = new Map<string, string>()
  readonly #made = new Map<ListSlot, Item[]>()

  constructor(tools: Pick<EditTools, 'nextId'>) {
    this.#tools = tools
  }

  idOf(prefix: string, slot: ListSlot, title: string, fields: object): string {
    const known = this.#ids.get(`${prefix} ${title}`)
    if (known !== undefined) return known
    // Cast: the lists of objects count their items.
    const id = `${prefix}.id.${this.#tools.nextId(slot as unknown as Numbered)}`
    this.#ids.set(`${prefix} ${title}`, id)
    this.#made.set(slot, [...(this.#made.get(slot) ?? []), { id, title, comment: '', ...fields } as Item])
    return id
  }

  writeTo(config: Config): Config {
    return [...this.#made].reduce((next, [slot, items]) => write(next, slot, items), config)
  }
}

export function writePolicy(config: Config, policy: BenchPolicy, tools: Pick<EditTools, 'nextId'>): Config {
  const objects = new Objects(tools)
  const rules = policy.rules.map((rule) => ({
    action: rule.isAccepted ? 'accept' : 'drop',
    protocol: rule.protocol === null ? 'any' : `protocol.${rule.protocol}`,
    source_addresses: [addressId(objects, rule.source)],
    destination_addresses: [
      rule.list === null ? addressId(objects, rule.destination) : listId(objects, policy, rule.list),
    ],
    destination_ports: [portId(objects, rule.ports)],
  }))
  const withObjects = objects.writeTo(config)
  // Each rule is judged and completed by the area itself, in a configuration without the others.
  const stored = rules.flatMap((fields) =>
    read(addTo(withObjects, ruleLists.forward, tools.nextId(forwardRules), fields), forwardRules),
  )
  return write(withObjects, forwardRules, stored)
}

function addressId(objects: Objects, text: string | null): string {
  if (text === null) return 'any'
  const [start = '', end] = text.split('-')
  if (end !== undefined) return objects.idOf('ip_range', ipRanges, text, { start, end })
  if (text.includes('/')) return objects.idOf('subnet', networks, text, { value: text })
  return objects.idOf('ip', ipAddresses, text, { value: text })
}

function portId(objects: Objects, span: BenchRule['ports']): string {
  if (span === null) return 'any'
  const [start, end] = span
  if (start === end) return objects.idOf('port', ports, `${start}`, { value: start })
  return objects.idOf('port_range', portRanges, printPorts(span), { start, end })
}

function listId(objects: Objects, { lists }: BenchPolicy, at: number): string {
  const values = (lists[at] ?? []).map((host) => addressId(objects, host))
  return objects.idOf('address_list', addressLists, `List ${at}`, { values })
}
