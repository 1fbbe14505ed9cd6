// Reads of the machine what can get in the way of the gateway: services, sockets on our ports, rules of others, other managers
// of our cards, AppArmor. Everything is bounded and nothing is changed; what cannot be read is left out. conflicts.ts judges.

import { join } from 'node:path'
import { run } from '../../engines/kit/processes.ts'
import { readProfiles } from './apparmor.ts'
import { type ForeignTable, readTable } from './foreign-rules.ts'
import { findHolders, listenersOf } from './ports.ts'
import { linkOf, namesIn, textOf } from './read.ts'
import { emptyReadings, type HeldPort, type Readings, type ServiceState, type WatchedPort } from './readings.ts'

export interface LookAt {
  /** In the lab only its own namespace is looked at. */
  readonly plane: 'host' | 'lab'
  readonly stateDir: string
  readonly app: string
  readonly hasGateway: boolean
  readonly devices: readonly string[]
  readonly ports: readonly WatchedPort[]
  /** The tables of other programs. */
  readonly readTables: () => Promise<readonly ForeignTable[]>
  /** Services of packages that must not run beside our engines. */
  readonly packageUnits: readonly string[]
}

const timeoutMs = 4000
/** A listing that is longer is not read: it would hold up everything else. */
const maxListingBytes = 4 * 1024 * 1024
const maxTables = 40
const ownTables = /^portcullis(?:_|$)/

const knownServices = [
  'systemd-resolved',
  'ufw',
  'firewalld',
  'nftables',
  'netfilter-persistent',
  'systemd-networkd',
  'NetworkManager',
  'networking',
  'docker',
].map((name) => `${name}.service`)

export async function lookAt(asked: LookAt): Promise<Readings> {
  const { stateDir, app, hasGateway, devices, ports } = asked
  const isHost = asked.plane === 'host'
  const [services, held, tables] = await Promise.all([
    isHost ? readServices([...knownServices, ...asked.packageUnits]) : {},
    readHeld(asked),
    asked.readTables(),
  ])
  const common = {
    ...emptyReadings,
    stateDir,
    app,
    hasGateway,
    devices,
    ports,
    held,
    tables,
    profiles: readProfiles(stateDir),
  }
  if (!isHost) return common
  return {
    ...common,
    services,
    packageUnits: asked.packageUnits,
    legacyPolicies: await readLegacy(),
    isUfwEnabled: /^[ \t]*ENABLED=["']?yes/im.test(textOf('/etc/ufw/ufw.conf')),
    nftablesConfiguration: textOf('/etc/nftables.conf'),
    resolver: readResolver(),
    networkd: devices.filter((device) =>
      isSetUpBy('/run/systemd/netif/links', device, /^ADMIN_STATE=(\w+)/m, unmanagedByNetworkd),
    ),
    networkManager: devices.filter((device) =>
      isSetUpBy('/run/NetworkManager/devices', device, /^managed=(\w+)/m, unmanagedByManager),
    ),
    ifupdown: readInterfaces(),
  }
}

/** One call for all. Services that are not installed are left out. */
async function readServices(names: readonly string[]): Promise<Record<string, ServiceState>> {
  const properties = ['Id', 'LoadState', 'ActiveState', 'UnitFileState'].map((name) => `--property=${name}`)
  const { code, stdout } = await run(
    ['/usr/bin/systemctl', 'show', '--no-pager', ...properties, '--', ...names],
    timeoutMs,
  )
  return code === 0 ? parseServices(stdout) : {}
}

export function parseServices(text: string): Record<string, ServiceState> {
  const blocks = text
    .split('\n\n')
    .map((block) => Object.fromEntries(block.split('\n').map((line) => split(line, '='))))
  return Object.fromEntries(
    blocks
      .filter(({ Id, LoadState }) => Id !== undefined && LoadState !== 'not-found' && LoadState !== 'masked')
      .map(({ Id, ActiveState = '', UnitFileState = '' }) => [
        Id,
        {
          isActive: ['active', 'activating', 'reloading'].includes(ActiveState),
          isEnabled: UnitFileState.startsWith('enabled'),
        },
      ]),
  )
}

function split(line: string, separator: string): [string, string] {
  const at = line.indexOf(separator)
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + separator.length)]
}

async function readHeld({ ports, stateDir }: LookAt): Promise<HeldPort[]> {
  const isWatched = (protocol: string, port: number) =>
    ports.some((one) => one.protocol === protocol && one.port === port)
  const found = (['tcp', 'udp'] as const).flatMap((protocol) =>
    listenersOf(protocol).filter(({ port }) => isWatched(protocol, port)),
  )
  if (found.length === 0) return []
  const holders = findHolders(found.map(({ inode }) => inode))
  const units = await readUnits()
  const mark = `${join(stateDir, 'applyd')}:`
  return found.map((listener) => {
    const holder = holders.get(listener.inode)
    const unit = units.get(listener.inode) ?? null
    const owner = ownerOf(holder?.mark ?? '', unit, mark, holder !== undefined)
    return { ...listener, pid: holder?.pid ?? null, program: holder?.program ?? null, unit, owner }
  })
}

function ownerOf(found: string, unit: string | null, mark: string, isHolderKnown: boolean): HeldPort['owner'] {
  if (found !== '') return found.startsWith(mark) ? 'ours' : 'other'
  if (unit?.startsWith('portcullis')) return 'ours'
  return unit !== null || isHolderKnown ? 'foreign' : 'unknown'
}

/** The services of systemd that opened sockets, by socket: the kernel remembers the group of processes, also for others. */
async function readUnits(): Promise<Map<string, string>> {
  const { stdout } = await run(['/usr/bin/ss', '-Hlntue', '--cgroup'], timeoutMs)
  return parseSockets(stdout)
}

const unitForm = /^[A-Za-z0-9_][A-Za-z0-9_.@:-]*\.service$/

export function parseSockets(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n')) {
    const inode = /\bino:(\d+)/.exec(line)?.[1]
    // The first service on the way: below it everyone whom it was given to names groups as they like.
    const unit = /\bcgroup:(\S+)/
      .exec(line)?.[1]
      ?.split('/')
      .find((name) => name.endsWith('.service'))
    if (inode !== undefined && unit !== undefined && unitForm.test(unit)) found.set(inode, unit)
  }
  return found
}

export async function readForeignTables(nft: readonly string[]): Promise<ForeignTable[]> {
  const { code, stdout } = await run([...nft, '-j', 'list', 'tables'], timeoutMs)
  if (code !== 0) return []
  const listed =
    (parseJson(stdout) as { nftables?: { table?: { family?: unknown; name?: unknown } }[] } | null)?.nftables ?? []
  const tables = listed
    .flatMap(({ table }) => (table ? [{ family: String(table.family), name: String(table.name) }] : []))
    .filter(({ family, name }) => !ownTables.test(name) && ['ip', 'ip6', 'inet'].includes(family))
  const found: ForeignTable[] = []
  for (const { family, name } of tables.slice(0, maxTables)) {
    // A name that is no plain word cannot be named to nft: its table counts as unread.
    const isPlain = /^[A-Za-z0-9_.-]+$/.test(name)
    const listing = isPlain ? await run([...nft, '-j', '-t', 'list', 'table', family, name], timeoutMs) : null
    // It was removed in the meantime.
    if (listing && listing.code !== 0 && listing.failure === null) continue
    const text = listing?.stdout ?? ''
    found.push(readTable(family, name, text.length > maxListingBytes ? null : parseJson(text)))
  }
  return found
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The program is asked only where the kernel has such tables: asking makes them. */
async function readLegacy(): Promise<Record<string, string>> {
  if (!textOf('/proc/net/ip_tables_names').split('\n').includes('filter')) return {}
  const { stdout } = await run(['/usr/sbin/iptables-legacy', '-S'], timeoutMs)
  return Object.fromEntries(
    [...stdout.matchAll(/^-P (FORWARD|INPUT) ([A-Z]+)$/gm)].map(([, chain = '', policy = '']) => [chain, policy]),
  )
}

function readResolver(): Readings['resolver'] {
  const folders = ['/usr/lib/systemd', '/run/systemd', '/etc/systemd']
  const files = [
    '/etc/systemd/resolved.conf',
    ...folders.flatMap((folder) => filesIn(`${folder}/resolved.conf.d`).filter((file) => file.endsWith('.conf'))),
  ]
  return {
    servers: [...textOf('/etc/resolv.conf').matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map(
      ([, server = '']) => server,
    ),
    hasStub: hasStub(files.map(textOf)),
  }
}

/** The last line decides. */
export function hasStub(texts: readonly string[]): boolean {
  const values = texts.flatMap((text) => [...text.matchAll(/^[ \t]*DNSStubListener[ \t]*=[ \t]*(\S+)/gim)])
  return !/^(?:no|false|0|off)$/i.test(values.at(-1)?.[1] ?? 'yes')
}

/** Files of the two managers are named by the number of the device. */
function isSetUpBy(folder: string, device: string, form: RegExp, unmanaged: readonly string[]): boolean {
  const number = textOf(`/sys/class/net/${device}/ifindex`).trim()
  const state = /^\d+$/.test(number) ? form.exec(textOf(join(folder, number)))?.[1] : undefined
  return state !== undefined && !unmanaged.includes(state)
}
const unmanagedByNetworkd = ['unmanaged', 'pending', 'initialized', 'linger']
const unmanagedByManager = ['false']

function readInterfaces(): Readings['ifupdown'] {
  const files = ['/etc/network/interfaces', ...filesIn('/etc/network/interfaces.d')]
  return files.flatMap((file) => parseInterfaces(textOf(file)).map((stanza) => ({ ...stanza, file })))
}

export const parseInterfaces = (text: string): { device: string; method: string }[] =>
  [...text.matchAll(/^[ \t]*iface[ \t]+(\S+)[ \t]+\S+[ \t]+(\S+)/gm)]
    .map(([, device = '', method = '']) => ({ device, method }))
    .filter(({ device, method }) => device !== 'lo' && method !== 'manual')

/** Cards of this machine, where no gateway says which are its: nothing that a program made. */
export const readCards = (): string[] =>
  namesIn('/sys/class/net').filter(
    (name) => name !== 'lo' && !/^(?:docker|veth|br-|virbr|vnet|cni|flannel|cali|tun|tap|wg|ifb|dummy)/.test(name),
  )

const filesIn = (folder: string): string[] =>
  namesIn(folder)
    .toSorted()
    .slice(0, 100)
    .map((name) => join(folder, name))

/** Whether this process sees the network of the machine, and not that of a lab. */
export function isHostNetwork(): boolean {
  const first = linkOf('/proc/1/ns/net')
  return first === '' || first === linkOf('/proc/self/ns/net')
}
