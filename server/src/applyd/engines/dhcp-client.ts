// The DHCP client of a device: udhcpc asks and keeps the lease, our event program writes it down, and nothing here touches
// the device. Addresses and routes come from the plan, which gatewayd makes from the lease like from any other fact.

import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { readRegular, removeDurable, writeDurable } from '../durable.ts'
import { deviceForm, type UnitSpec } from '../tables.ts'

/** Read by gatewayd (system/facts.ts). */
export interface Lease {
  readonly device: string
  /** With the prefix of its network. */
  readonly address: string
  readonly gateway: string | null
  readonly dns: readonly string[]
  /** Unix seconds. */
  readonly until: number
}

const leasesDir = (stateDir: string): string => join(stateDir, 'leases')
const eventProgram = (stateDir: string): string => join(stateDir, 'applyd', 'dhcp-event.mjs')

const client = ['/usr/sbin/udhcpc', '/sbin/udhcpc'].find((path) => existsSync(path)) ?? '/usr/sbin/udhcpc'

/** Asks for nothing but what is used; never gives up, because a provider may be away for days. */
export const dhcpClient =
  (stateDir: string) =>
  (device: string): UnitSpec => ({
    program: client,
    args: [
      ...['-f', '-i', device, '-s', eventProgram(stateDir)],
      ...['-t', '4', '-T', '2', '-A', '10'],
      ...['-o', '-O', 'subnet', '-O', 'router', '-O', 'dns'],
    ],
    files: [],
    check: null,
    reload: 'restart',
    probe: { kind: 'alive', forMs: 200 },
    limits: { nofile: 256 },
    directives: () => [],
  })

/** Once at the start of applyd: the folder that gatewayd reads, and the program that udhcpc runs at events. */
export function prepareDhcpClient(stateDir: string): void {
  const folder = leasesDir(stateDir)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  chownSync(folder, process.geteuid?.() ?? 0, process.getegid?.() ?? 0)
  chmodSync(folder, 0o755)
  const text = [
    `#!${process.execPath}`,
    `import { recordEvent } from ${JSON.stringify(import.meta.url)}`,
    `recordEvent(${JSON.stringify(folder)}, process.argv[2] ?? '', process.env, Date.now() / 1000)`,
    '',
  ].join('\n')
  writeFileSync(eventProgram(stateDir), text, { mode: 0o700 })
}

type Environment = Readonly<Record<string, string | undefined>>

/** What udhcpc tells: its environment comes from a network and is read strictly. */
export function recordEvent(folder: string, event: string, env: Environment, now: number): void {
  const { interface: device = '' } = env
  if (!deviceForm.test(device) || /^\.+$/.test(device)) return
  const path = join(folder, `${device}.json`)
  if (event === 'bound' || event === 'renew') {
    const lease = leaseFrom(device, env, now)
    if (lease) writeDurable(path, JSON.stringify(lease), { mode: 0o644 })
    return
  }
  // At the start of a client comes a `deconfig` too: a lease that still runs must survive that.
  if (event === 'nak' || (event === 'deconfig' && !isRunning(path, now))) removeDurable(path)
}

function leaseFrom(device: string, env: Environment, now: number): Lease | null {
  const { ip = '', mask = '', router = '', dns = '', lease = '' } = env
  if (!isHost(ip) || !/^\d{1,2}$/.test(mask) || Number(mask) < 1 || Number(mask) > 32) return null
  const seconds = /^\d{1,10}$/.test(lease) ? Math.max(60, Number(lease)) : 3600
  return {
    device,
    address: `${ip}/${Number(mask)}`,
    gateway: router.split(' ').find(isHost) ?? null,
    dns: dns.split(' ').filter(isHost).slice(0, 3),
    until: Math.floor(now + seconds),
  }
}

/** Neither this machine, nor everybody, nor nobody. */
function isHost(text: string): boolean {
  const first = Number(text.split('.')[0])
  return isIPv4(text) && first > 0 && first !== 127 && first < 224
}

function isRunning(path: string, now: number): boolean {
  try {
    const { until } = JSON.parse(readRegular(path)?.toString() ?? '{}') as Partial<Lease>
    return typeof until === 'number' && until > now
  } catch {
    return false
  }
}
