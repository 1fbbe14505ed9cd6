// Reads of the machine what can get in the way of the gateway: services, sockets on our ports, rules of others, other managers
// of our cards, AppArmor. All of it is passed on as text, bounded and unread; gatewayd reads and judges it (gatewayd/machine/).
// Nothing is changed, and what cannot be read is left out.

import { join } from 'node:path'
import type { EngineData } from '../../core/engine/engine.ts'
import type { ForeignListing, HeldSocket, MachineTexts } from '../../core/plan/machine.ts'
import { listTables, tablesIn } from '../../engines/kit/kernel-tables.ts'
import { run } from '../../engines/kit/processes.ts'
import { findHolders, listenersOf } from './ports.ts'
import { namesIn, textOf } from './read.ts'

export interface LookAt {
  /** In the lab only its own namespace is looked at. */
  readonly plane: 'host' | 'lab'
  readonly engines: readonly EngineData[]
  readonly devices: readonly string[]
  readonly readTables: () => Promise<readonly ForeignListing[]>
}

const timeoutMs = 4000
const maxFileChars = 256 * 1024
/** Listings that are longer are not passed on: they would hold up everything else. */
const maxListingChars = 4 * 1024 * 1024
const maxListingsChars = 16 * 1024 * 1024
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

export async function lookAt({ plane, engines, devices, readTables }: LookAt): Promise<MachineTexts> {
  const isHost = plane === 'host'
  const held = readHeld(engines)
  const units = engines.flatMap(({ packages: { start, use } }) => [...start, ...use].flatMap((one) => one.units ?? []))
  const names = new Set([...knownServices, ...units])
  const properties = '--property=Id,LoadState,ActiveState,UnitFileState'
  const [services, sockets, tables, legacy] = await Promise.all([
    isHost ? outputOf('/usr/bin/systemctl', 'show', '--no-pager', properties, '--', ...names) : '',
    held.length > 0 ? outputOf('/usr/bin/ss', '-Hlntue', '--cgroup') : '',
    readTables(),
    isHost ? readLegacy() : '',
  ])
  const paths = [...commonFiles(), ...(isHost ? [...hostFiles(), ...devices.flatMap(managerFiles)] : [])]
  const files = Object.fromEntries(paths.map((path) => [path, textOf(path).slice(0, maxFileChars)]))
  return { plane, devices, held, services, sockets, tables, legacy, files }
}

async function outputOf(...command: readonly string[]): Promise<string> {
  const { code, stdout } = await run(command, timeoutMs)
  return code === 0 ? stdout : ''
}

function readHeld(engines: readonly EngineData[]): HeldSocket[] {
  const ports = new Set(
    engines.flatMap((engine) => [
      ...Object.values(engine.ports).map(({ destinationPort }) => destinationPort),
      ...(engine.innerPorts ?? []),
    ]),
  )
  const found = (['tcp', 'udp'] as const).flatMap((protocol) =>
    listenersOf(protocol).filter(({ port }) => ports.has(port)),
  )
  const holders = findHolders(found.map(({ inode }) => inode))
  return found.map((listener) => ({ ...listener, holder: holders.get(listener.inode) ?? null }))
}

export async function readForeignTables(nft: readonly string[]): Promise<ForeignListing[]> {
  const listed = tablesIn(await outputOf(...nft, ...listTables)).map((table) => {
    const [family = '', ...words] = table.split(' ')
    return { family, name: words.join(' ') }
  })
  const tables = listed.filter(({ family, name }) => !ownTables.test(name) && ['ip', 'ip6', 'inet'].includes(family))
  const found: ForeignListing[] = []
  let room = maxListingsChars
  for (const { family, name } of tables.slice(0, maxTables)) {
    // A name that is not a plain word cannot be named to nft: its table counts as unread.
    const isPlain = /^[A-Za-z0-9_.-]+$/.test(name)
    const listing = isPlain ? await run([...nft, '-j', '-t', 'list', 'table', family, name], timeoutMs) : null
    // It was removed in the meantime.
    if (listing && listing.code !== 0 && listing.failure === null) continue
    const { length } = listing?.stdout ?? ''
    const isShort = length <= Math.min(maxListingChars, room)
    if (isShort) room -= length
    found.push({ family, name, listing: isShort ? (listing?.stdout ?? null) : null })
  }
  return found
}

/** The program is asked only where the kernel has such tables: asking makes them. */
const readLegacy = async (): Promise<string> =>
  textOf('/proc/net/ip_tables_names').split('\n').includes('filter') ? outputOf('/usr/sbin/iptables-legacy', '-S') : ''

const commonFiles = (): string[] => ['/sys/kernel/security/apparmor/profiles', ...filesIn('/etc/apparmor.d/local')]

const hostFiles = (): string[] => [
  '/etc/ufw/ufw.conf',
  '/etc/nftables.conf',
  '/etc/resolv.conf',
  '/etc/systemd/resolved.conf',
  ...['/usr/lib', '/run', '/etc'].flatMap((folder) => filesIn(`${folder}/systemd/resolved.conf.d`)),
  '/etc/network/interfaces',
  ...filesIn('/etc/network/interfaces.d'),
]

/** Files of the two managers are named by the number of the device. */
function managerFiles(device: string): string[] {
  const index = `/sys/class/net/${device}/ifindex`
  const number = textOf(index).trim()
  if (!/^\d+$/.test(number)) return []
  return [index, `/run/systemd/netif/links/${number}`, `/run/NetworkManager/devices/${number}`]
}

const filesIn = (folder: string): string[] =>
  namesIn(folder)
    .toSorted()
    .slice(0, 100)
    .map((name) => join(folder, name))
