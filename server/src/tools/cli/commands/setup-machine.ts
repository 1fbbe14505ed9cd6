// What gw setup shows of this machine: its cards, and over which of them the administrator is connected.

import { readFileSync } from 'node:fs'
import { defaultGateways, parseInterfaces } from '../../../areas/network/runs/facts.ts'
import { parseAddress } from '../../../shared/net/ipv4.ts'
import { runTool } from '../../launcher/tools.ts'
import type { Environment } from '../context.ts'

export interface Card {
  readonly name: string
  readonly mac: string
  readonly hasCarrier: boolean
  /** IPv4 with prefix. */
  readonly addresses: readonly string[]
  /** IPv6 with prefix, of every scope. */
  readonly addresses6: readonly string[]
  /** Its address comes from DHCP and expires. */
  readonly isDynamic: boolean
  /** Of its default route; null when it has none. */
  readonly gateway: string | null
}

export interface Machine {
  readonly cards: readonly Card[]
  /** Of the host that the administrator is connected from, and what here they are connected to; null on the console. */
  readonly connection: { readonly from: string; readonly to: string; readonly port: number | null } | null
  /** Addresses of DNS servers that the machine itself uses, without those on itself. */
  readonly dns: readonly string[]
}

export function readMachine(env: Environment): Machine {
  const shown = runTool('ip', ['-json', '-details', 'address', 'show'])
  return {
    cards: cardsOf(shown, readText('/proc/net/route'), (name) => readText(`/sys/class/net/${name}/carrier`).trim()),
    connection: parseConnection(env.SSH_CONNECTION) ?? connectionOfParents(),
    dns: nameServersIn(readText('/etc/resolv.conf')),
  }
}

interface ShownAddresses {
  readonly ifname: string
  readonly addr_info: readonly { readonly family: string; readonly local: string; readonly dynamic?: boolean }[]
}

/** Devices that can carry a connection by their MAC; `carrierOf` reads `1` where a cable is plugged in. */
export function cardsOf(shown: string, routeTable: string, carrierOf: (name: string) => string): Card[] {
  const gateways = defaultGateways(routeTable)
  const dynamic = new Set(
    (JSON.parse(shown) as ShownAddresses[]).flatMap(({ ifname, addr_info }) =>
      addr_info.some(({ family, dynamic: isOne }) => family === 'inet' && isOne === true) ? [ifname] : [],
    ),
  )
  return parseInterfaces(shown)
    .filter(({ mac }) => mac !== '')
    .map(({ name, mac, addresses }) => ({
      name,
      mac,
      hasCarrier: carrierOf(name) === '1',
      addresses: addresses.filter((address) => parseAddress(address.split('/')[0] ?? '') !== null),
      addresses6: addresses.filter((address) => address.includes(':')),
      isDynamic: dynamic.has(name),
      gateway: gateways.get(name) ?? null,
    }))
}

/** As sshd writes it: client, its port, server, its port. */
export function parseConnection(text: string | undefined): Machine['connection'] {
  const [from = '', , to = '', port = ''] = (text ?? '').split(' ')
  return from === '' || to === '' ? null : { from: plain(from), to: plain(to), port: portIn(port) }
}

/** An IPv4 address that came through a socket of IPv6 as such, and an address of a link without the name of the link. */
const plain = (address: string): string => address.replace(/^::ffff:/, '').replace(/%.*$/s, '')

function portIn(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : null
}

/** sudo and su leave the variable out, so the processes above this one are asked, up to the session of sshd. */
function connectionOfParents(): Machine['connection'] {
  for (let pid = process.ppid, steps = 0; pid > 1 && steps < mostSteps; pid = parentOf(pid), steps += 1) {
    const line = readText(`/proc/${pid}/environ`)
      .split('\0')
      .find((one) => one.startsWith('SSH_CONNECTION='))
    if (line !== undefined) return parseConnection(line.slice('SSH_CONNECTION='.length))
  }
  return null
}

const mostSteps = 64

const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)$/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0)

export const nameServersIn = (text: string): string[] =>
  [...text.matchAll(/^nameserver\s+(\S+)/gm)]
    .map(([, address = '']) => address)
    .filter((address) => parseAddress(address) !== null && !address.startsWith('127.'))
    .slice(0, 2)

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
