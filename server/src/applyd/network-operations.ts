// The commands that change the links the kernel shows to those of a plan. Pure: the result depends only on the
// arguments. A command that first needs a device or an address is left to the next call.

import type { LinkMaking, LinkPlan, RoutePlan } from '../core/plan/artifacts.ts'
import { ownAddress, type ShownCard } from '../core/plan/link.ts'

/** The fields of `ip -j -d addr show` and `ip -j route show` that are used here. */
export interface KernelLink extends ShownCard {
  readonly ifname: string
  readonly flags: readonly string[]
  readonly link?: string
  readonly master?: string
  readonly linkinfo?: ShownCard['linkinfo'] & {
    readonly info_kind?: string
    readonly info_data?: Readonly<Record<string, unknown>>
  }
  readonly addr_info: readonly { readonly family: string; readonly local: string; readonly prefixlen: number }[]
}

export interface KernelRoute {
  readonly dst: string
  readonly gateway?: string
  readonly dev?: string
  readonly protocol?: string
  readonly metric?: number
}

/** An active mirror: packets of `device` in one direction are copied to `to`. */
export interface KernelMirror {
  readonly device: string
  readonly side: 'ingress' | 'egress'
  readonly preference: number
  readonly to: string
}

export interface KernelState {
  readonly links: readonly KernelLink[]
  readonly routes: readonly KernelRoute[]
  readonly mirrors: readonly KernelMirror[]
  /** Devices with the queueing discipline that mirrors are attached to. */
  readonly mirrorable: readonly string[]
  /** Devices that take IPv6 addresses and routes from anyone who advertises a router. */
  readonly advertised: readonly string[]
}

/** Devices that applyd configured: those that leave the plan are cleared, and removed if applyd made them. */
export interface Managed {
  readonly devices: readonly string[]
  readonly made: readonly string[]
  readonly mirrored: readonly string[]
}

/** `device` is the link of the plan that a failure is reported for. */
export interface Operation {
  readonly device: string
  /** `setting`: a path below /proc/sys/net, and its value. */
  readonly program: 'ip' | 'tc' | 'ppp' | 'setting'
  readonly args: readonly string[]
}

/** Marks our routes. Free in iproute2's rt_protos, and no routing daemon uses it. */
export const routeProtocol = '77'

/** Our filters have this preference and the following ones. */
const firstPreference = 18_600
export const isOurPreference = (preference: number): boolean =>
  preference >= firstPreference && preference < firstPreference + 100

/** Additions come before removals, so that a connection whose address stays is not interrupted. */
export function operationsFor(state: KernelState, links: readonly LinkPlan[], managed: Managed): Operation[] {
  const found = new Map(state.links.map((link) => [link.ifname, link]))
  const planned = new Set(links.map((link) => link.device))
  const present = links.filter((link) => found.has(link.device) && !misfit(link, found.get(link.device)))
  const members = new Set(links.flatMap(({ make }) => (make?.kind === 'bond' ? make.members : [])))
  const left = managed.devices.filter((device) => !planned.has(device) && found.has(device))
  const isManaged = (device: string | undefined) => planned.has(device ?? '') || left.includes(device ?? '')
  return [
    ...links.flatMap((link) => making(link, found, managed)),
    ...present.filter((link) => link.make && state.advertised.includes(link.device)).map(ignoringAdvertisements),
    ...present.flatMap((link) => cardAddress(link, found)),
    ...present.flatMap((link) => membership(link, found)),
    ...present.filter((link) => link.isUp && !isUp(found.get(link.device))).map((link) => setting(link.device, 'up')),
    ...present.flatMap((link) => missingAddresses(link, found.get(link.device))),
    ...present.flatMap((link) => missingRoutes(link, state.routes)),
    ...mirroring(state, present, found),
    ...state.routes.filter((route) => isManaged(route.dev)).flatMap((route) => strayRoute(route, links)),
    ...present.flatMap((link) => strayAddresses(link.device, link.addresses, found.get(link.device))),
    ...present.filter((link) => !link.isUp && isUp(found.get(link.device))).map((link) => setting(link.device, 'down')),
    ...left.flatMap((device) => release(device, found.get(device), managed, members)),
  ]
}

const ip = (device: string, ...args: string[]): Operation => ({ device, program: 'ip', args })
const setting = (device: string, ...words: string[]): Operation => ip(device, 'link', 'set', 'dev', device, ...words)
const isUp = (link: KernelLink | undefined): boolean => link?.flags.includes('UP') ?? false

/** A device of this name that is not the one wanted. */
function misfit({ make }: LinkPlan, found: KernelLink | undefined): boolean {
  if (!make || !found) return false
  const { info_kind: kind, info_data: data = {} } = found.linkinfo ?? {}
  if (kind !== make.kind) return true
  if (make.kind === 'vlan') return found.link !== make.parent || data.id !== make.tag
  return make.kind === 'gre' && (data.local !== make.local || data.remote !== make.remote)
}

function making(link: LinkPlan, links: ReadonlyMap<string, KernelLink>, managed: Managed): Operation[] {
  const { device, make } = link
  const found = links.get(device)
  if (make === null || (found && !misfit(link, found))) return []
  if (make.kind === 'ppp') return [{ device, program: 'ppp', args: [] }]
  // One that is not ours stays; the kernel then reports that the name is taken.
  if (found && managed.made.includes(device)) return [ip(device, 'link', 'del', 'dev', device)]
  return [ip(device, 'link', 'add', ...addArguments(device, make, links))]
}

/** A device that we make has the addresses of the plan: it takes none from a router advertisement. */
const ignoringAdvertisements = ({ device }: LinkPlan): Operation => ({
  device,
  program: 'setting',
  args: [`ipv6/conf/${device}/accept_ra`, '0'],
})

/**
 * A bond has the card address of its first member, so that leases and neighbours stay as they were. Left to themselves the
 * kernel makes one up and udev another one, which then replaces that of every member.
 */
function wantedAddress(members: readonly string[], links: ReadonlyMap<string, KernelLink>): string | undefined {
  return members.map((member) => ownAddress(links.get(member))).find((address) => address !== undefined)
}

function cardAddress({ device, make }: LinkPlan, links: ReadonlyMap<string, KernelLink>): Operation[] {
  if (make?.kind !== 'bond') return []
  const now = links.get(device)?.address
  // That of any member will do: a change would interrupt every connection.
  if (make.members.some((member) => ownAddress(links.get(member)) === now)) return []
  const wanted = wantedAddress(make.members, links)
  return wanted === undefined ? [] : [setting(device, 'address', wanted)]
}

function addArguments(
  device: string,
  make: Exclude<LinkMaking, { kind: 'ppp' }>,
  links: ReadonlyMap<string, KernelLink>,
): string[] {
  switch (make.kind) {
    case 'vlan':
      return ['link', make.parent, 'name', device, 'type', 'vlan', 'id', String(make.tag)]
    case 'bond': {
      const address = wantedAddress(make.members, links)
      const named = ['name', device, ...(address === undefined ? [] : ['address', address])]
      return [...named, 'type', 'bond', 'mode', '802.3ad', 'lacp_rate', 'slow', 'miimon', '100']
    }
    case 'gre':
      return ['name', device, 'type', 'gre', 'local', make.local, 'remote', make.remote, 'ttl', '64']
    case 'dummy':
      return ['name', device, 'type', 'dummy']
  }
}

function membership({ device, make }: LinkPlan, found: ReadonlyMap<string, KernelLink>): Operation[] {
  if (make?.kind !== 'bond') return []
  const leaving = [...found.values()].filter((link) => link.master === device && !make.members.includes(link.ifname))
  const joining = make.members.filter((member) => found.has(member) && found.get(member)?.master !== device)
  return [
    ...leaving.map((link) => ip(device, 'link', 'set', 'dev', link.ifname, 'nomaster')),
    // A card can only join while it is down; the bond brings it up.
    ...joining
      .filter((member) => isUp(found.get(member)))
      .map((member) => ip(device, 'link', 'set', 'dev', member, 'down')),
    ...joining.map((member) => ip(device, 'link', 'set', 'dev', member, 'master', device)),
  ]
}

const addressesOn = (link: KernelLink | undefined): string[] =>
  (link?.addr_info ?? [])
    .filter(({ family }) => family === 'inet')
    .map(({ local, prefixlen }) => `${local}/${prefixlen}`)

const missingAddresses = (link: LinkPlan, found: KernelLink | undefined): Operation[] =>
  link.addresses
    .filter((address) => !addressesOn(found).includes(address))
    .map((address) => ip(link.device, '-4', 'addr', 'add', address, 'brd', '+', 'dev', link.device))

const strayAddresses = (device: string, wanted: readonly string[], found: KernelLink | undefined): Operation[] =>
  addressesOn(found)
    .filter((address) => !wanted.includes(address) && !address.startsWith('169.254.'))
    .map((address) => ip(device, '-4', 'addr', 'del', address, 'dev', device))

const isOurs = ({ protocol }: KernelRoute): boolean => protocol === routeProtocol

const sameRoute = (plan: RoutePlan, device: string, route: KernelRoute): boolean =>
  isOurs(route) &&
  route.dst === plan.to &&
  route.dev === device &&
  (route.gateway ?? null) === plan.via &&
  (route.metric ?? 0) === plan.metric

const missingRoutes = (link: LinkPlan, routes: readonly KernelRoute[]): Operation[] =>
  link.isUp
    ? link.routes
        .filter((plan) => !routes.some((route) => sameRoute(plan, link.device, route)))
        .map(({ to, via, metric }) => {
          const way = [...(via === null ? [] : ['via', via]), 'dev', link.device]
          const marks = ['metric', String(metric), 'proto', routeProtocol]
          return ip(link.device, '-4', 'route', 'replace', to, ...way, ...marks)
        })
    : []

/** Our routes that are not in the plan, and default routes that other programs set on our devices. */
function strayRoute(route: KernelRoute, links: readonly LinkPlan[]): Operation[] {
  const device = route.dev ?? ''
  const isWanted = links.some(
    (link) => link.device === device && link.routes.some((plan) => sameRoute(plan, device, route)),
  )
  if (isWanted || !(isOurs(route) || route.dst === 'default')) return []
  const way = [...(route.gateway === undefined ? [] : ['via', route.gateway]), 'dev', device]
  const marks = ['metric', String(route.metric ?? 0), 'proto', route.protocol ?? 'boot']
  return [ip(device, '-4', 'route', 'del', route.dst, ...way, ...marks)]
}

/** A device that left the plan: nothing of ours stays on it. */
function release(
  device: string,
  found: KernelLink | undefined,
  { made }: Managed,
  members: ReadonlySet<string>,
): Operation[] {
  if (made.includes(device)) return [ip(device, 'link', 'del', 'dev', device)]
  const stray = strayAddresses(device, [], found)
  return isUp(found) && !members.has(device) ? [...stray, setting(device, 'down')] : stray
}

interface WantedMirror {
  readonly device: string
  readonly side: 'ingress' | 'egress'
  readonly to: string
}

function mirroring(
  state: KernelState,
  links: readonly LinkPlan[],
  found: ReadonlyMap<string, KernelLink>,
): Operation[] {
  const wanted = links.flatMap(({ device: to, mirrors }) =>
    mirrors
      .filter(({ device }) => found.has(device))
      .flatMap(({ device, direction }): WantedMirror[] => [
        ...(direction === 'tx' ? [] : [{ device, side: 'ingress' as const, to }]),
        ...(direction === 'rx' ? [] : [{ device, side: 'egress' as const, to }]),
      ]),
  )
  const same = (a: WantedMirror, b: WantedMirror): boolean =>
    a.device === b.device && a.side === b.side && a.to === b.to
  const stray = state.mirrors.filter((mirror) => !wanted.some((other) => same(mirror, other)))
  const missing = wanted.filter((mirror) => !state.mirrors.some((other) => same(mirror, other)))
  return [
    ...missing.map(
      (mirror): Operation => ({
        device: mirror.to,
        program: 'tc',
        args: state.mirrorable.includes(mirror.device)
          ? ['filter', 'add', ...placeOf(mirror, freePreference(state, mirror)), ...copyTo(mirror.to)]
          : ['qdisc', 'add', 'dev', mirror.device, 'clsact'],
      }),
    ),
    ...stray.map(
      (mirror): Operation => ({
        device: mirror.to,
        program: 'tc',
        args: ['filter', 'del', ...placeOf(mirror, mirror.preference)],
      }),
    ),
  ]
}

const placeOf = ({ device, side }: WantedMirror, preference: number): string[] => [
  'dev',
  device,
  side,
  'pref',
  String(preference),
]

const copyTo = (device: string): string[] => ['matchall', 'action', 'mirred', 'egress', 'mirror', 'dev', device]

function freePreference({ mirrors }: KernelState, { device, side }: WantedMirror): number {
  const taken = new Set(
    mirrors.filter((one) => one.device === device && one.side === side).map((one) => one.preference),
  )
  let preference = firstPreference
  while (taken.has(preference)) preference += 1
  return preference
}
