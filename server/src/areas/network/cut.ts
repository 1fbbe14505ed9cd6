// Would a change of the network cut the connection of the administrator who makes it? Compares the links before and after
// at both ends of that connection. Pure.

import type { Config } from '../../core/model/slots.ts'
import type { LinkPlan } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { type Network, parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { linksOf } from './render.ts'

/** A device as it will be: planned, or as found when no plan contains it. */
interface Side {
  readonly device: string
  readonly addresses: readonly string[]
  /** Next hop of its default route; null when it has none, undefined when it is not known. */
  readonly gateway: string | null | undefined
}

/** A sentence for the administrator, or null when the connection is safe. */
export function wouldCut(
  before: Config,
  after: Config,
  facts: Facts,
  localAddress: string,
  peer: string,
): SaidText | null {
  const local = parseAddress(localAddress)
  const far = parseAddress(peer)
  if (local === null || far === null || local >>> 24 === 127) return null
  const links = linksOf(before, facts)
  const nextLinks = linksOf(after, facts)
  const now = sidesOf(links, facts, [])
  // A device that leaves the plan is cleared; without any plan all stay as they are.
  const then = sidesOf(nextLinks, facts, nextLinks === null ? [] : (links ?? []).map(({ device }) => device))
  const holder = holderOf(now, local)
  if (!holder) return null
  const next = holderOf(then, local)
  if (!next) return say`This change removes the address ${localAddress}, which your connection uses.`
  if (next.device !== holder.device)
    return say`This change moves the address ${localAddress}, which your connection uses, to another interface.`
  const route = routeTo(now, far)
  const newRoute = routeTo(then, far)
  if (route === null || (newRoute !== null && isSameRoute(route, newRoute))) return null
  return newRoute === null
    ? say`This change removes the only route to your address ${peer}.`
    : say`This change sends the replies to your address ${peer} over another route.`
}

function sidesOf(links: readonly LinkPlan[] | null, facts: Facts, cleared: readonly string[]): readonly Side[] {
  const planned = new Map((links ?? []).map((link) => [link.device, link]))
  const found = facts.interfaces
    .filter(({ name, isUp }) => isUp && !planned.has(name) && !cleared.includes(name))
    .map(
      ({ name, addresses }): Side => ({
        device: name,
        addresses,
        gateway: facts.externalInterfaces.includes(name) ? undefined : null,
      }),
    )
  const wanted = [...planned.values()]
    .filter(({ isUp }) => isUp)
    .map(
      ({ device, addresses, routes }): Side => ({
        device,
        addresses,
        gateway: routes.find(({ to }) => to === 'default')?.via ?? null,
      }),
    )
  return [...wanted, ...found]
}

const networksOf = ({ addresses }: Side): Network[] => addresses.flatMap((address) => parseNetwork(address) ?? [])

const holderOf = (sides: readonly Side[], address: number): Side | undefined =>
  sides.find((side) => networksOf(side).some((network) => network.address === address))

interface Route {
  readonly device: string
  readonly via: string | null | undefined
}

/** Straight into a network, else by the first default route. */
function routeTo(sides: readonly Side[], address: number): Route | null {
  const near = sides.find((side) => networksOf(side).some(({ low, high }) => address >= low && address <= high))
  if (near) return { device: near.device, via: null }
  const first = sides.find(({ gateway }) => gateway !== null)
  return first ? { device: first.device, via: first.gateway } : null
}

/** A next hop that is not known is taken to stay. */
const isSameRoute = (a: Route, b: Route): boolean =>
  a.device === b.device && (a.via === b.via || a.via === undefined || b.via === undefined)
