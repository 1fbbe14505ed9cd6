// The first set-up: one card to the provider and one to the local network, in one edit. Each card has one untagged connection
// afterwards, whatever the gateway took over when it first started. Pure.

import { GatewayError, invalid } from '../../core/contract/error.ts'
import { addTo, type ReferencesTo, removeFrom } from '../../core/model/lists.ts'
import { under } from '../../core/model/paths.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { type Connection, connections, isAddressed } from './config.ts'
import { type FirstSetup, fieldsOf } from './contract.ts'
import { connectionList } from './lists.ts'

type Side = 'outside' | 'inside'
const types = { outside: 'wan', inside: 'lan' } as const satisfies Record<Side, Connection['type']>

interface Tools {
  readonly referencesTo: ReferencesTo
}

export interface SetUp {
  readonly outside: number
  readonly inside: number
}

/** The connection to the provider becomes the first one: the order decides which default route is preferred. */
export function setUp(config: Config, body: FirstSetup, nextId: () => number, tools: Tools): readonly [Config, SetUp] {
  if (body.outside.mac === body.inside.mac) throw invalid('inside.mac', say`The two cards must be different ones.`)
  const [outside, inside] = (['outside', 'inside'] as const).map((side) => itemFor(config, side, body, nextId))
  if (!outside || !inside) throw new Error('both sides have an item')
  const cleared = read(config, connections)
    .filter((one) => isOnCards(one, body) && one.id !== outside.id && one.id !== inside.id)
    .reduce((rest, { id }) => removeFrom(rest, connectionList, id, tools.referencesTo), config)
  const before = read(cleared, connections)
  const others = before.filter(({ id }) => id !== outside.id && id !== inside.id)
  // One after the other beside the others only: two cards may swap their addresses.
  const first = added(write(cleared, connections, others), 'outside', outside)
  const both = added(first, 'inside', inside)
  const made = new Map(read(both, connections).map((one) => [one.id, one]))
  const order = [outside.id, ...before.map(({ id }) => id).filter((id) => id !== outside.id), inside.id]
  const ordered = [...new Set(order)].flatMap((id) => made.get(id) ?? [])
  return [write(both, connections, ordered), { outside: outside.id, inside: inside.id }]
}

const isOnCards = ({ mac, vlan_tag: tag }: Connection, { outside, inside }: FirstSetup): boolean =>
  tag === null && (mac === outside.mac || mac === inside.mac)

type Item = Readonly<Record<string, unknown>> & { readonly id: number }

/** What the card has already, with the new addresses; title, zone and number stay, so what names it keeps its meaning. */
function itemFor(config: Config, side: Side, body: FirstSetup, nextId: () => number): Item {
  const type = types[side]
  const wanted = side === 'outside' ? body.outside : { ...body.inside, enable_dhcp: false, gateway: null, dns: [] }
  const current = read(config, connections).find(
    (one) => one.type === type && one.mac === wanted.mac && one.vlan_tag === null && isAddressed(one),
  )
  return current
    ? { ...current, ...wanted, enabled: true }
    : { ...fieldsOf[type].defaults, ...wanted, id: nextId(), type, title: titles[side], enabled: true }
}

const titles: Readonly<Record<Side, string>> = { outside: 'Outside', inside: 'Inside' }

/** Faults name the field as it was sent. */
function added(config: Config, side: Side, { id, ...fields }: Item): Config {
  try {
    return addTo(config, connectionList, id, fields)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.problems.length === 0) throw error
    const problems = under(side, error.problems)
    const message = problems.length === 1 ? say`${problems[0]?.field}: ${problems[0]?.message}` : error.message
    throw new GatewayError(error.code, message, { problems })
  }
}
