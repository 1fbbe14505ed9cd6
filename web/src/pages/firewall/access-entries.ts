// Entries of an access list as lines of text, because there may be ten thousand of them:
// `allow tcp 10.0.0.0/8:1024-65535 -> 192.168.0.0/24:443`. Pure.

import type { AccessEntry } from '@gateway/server/contract/firewall'
import { parseAddress, parseNetwork } from '@gateway/server/net/ipv4'
import { t } from '../../words.ts'

const hasPorts = (proto: string): boolean => proto === 'tcp' || proto === 'udp'

export function printEntry({
  action,
  proto,
  saddr,
  daddr,
  sport_min,
  sport_max,
  dport_min,
  dport_max,
}: AccessEntry): string {
  const end = (address: string, low: number, high: number): string => {
    const name = address === '0.0.0.0/0' ? 'any' : address.replace(/\/32$/, '')
    if (!hasPorts(proto) || (low === 0 && high === 65_535)) return name
    return `${name}:${low === high ? low : `${low}-${high}`}`
  }
  return `${action} ${proto} ${end(saddr, sport_min, sport_max)} -> ${end(daddr, dport_min, dport_max)}`
}

export function readEntry(line: string): AccessEntry | { readonly problem: string } {
  const found = /^\s*(\w+)\s+(\w+)\s+(\S+)\s*(?:->|→|to)?\s+(\S+)\s*$/i.exec(line)
  if (!found) return { problem: t('Write an entry such as allow tcp 10.0.0.0/8 -> 192.168.0.0/24:443') }
  const [, action = '', proto = '', from = '', to = ''] = found.map((part) => part?.toLowerCase())
  if (action !== 'allow' && action !== 'deny') return { problem: t('An entry begins with allow or deny.') }
  if (proto !== 'tcp' && proto !== 'udp' && proto !== 'ip' && proto !== 'icmp')
    return { problem: t('The protocol is tcp, udp, icmp or ip.') }
  const source = readEnd(from)
  const destination = readEnd(to)
  if ('problem' in source) return source
  if ('problem' in destination) return destination
  if (!hasPorts(proto) && (source.ports !== null || destination.ports !== null))
    return { problem: t('Only tcp and udp have ports.') }
  const [sport_min, sport_max] = source.ports ?? (hasPorts(proto) ? [0, 65_535] : [0, 0])
  const [dport_min, dport_max] = destination.ports ?? (hasPorts(proto) ? [0, 65_535] : [0, 0])
  return {
    action,
    proto,
    saddr: source.address,
    daddr: destination.address,
    sport_min,
    sport_max,
    dport_min,
    dport_max,
  }
}

type End = { readonly address: string; readonly ports: readonly [number, number] | null }

function readEnd(text: string): End | { readonly problem: string } {
  const [name = '', ports] = text.split(':')
  const address = name === 'any' ? '0.0.0.0/0' : parseAddress(name) !== null ? `${name}/32` : name
  if (parseNetwork(address) === null) return { problem: t('{text} is not an address or a network.', { text: name }) }
  if (ports === undefined) return { address, ports: null }
  const [low, high = low] = ports.split('-').map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : Number.NaN))
  if (low === undefined || high === undefined || !(low <= high && high <= 65_535))
    return { problem: t('{text} is not a port or a range of ports.', { text: ports }) }
  return { address, ports: [low, high] }
}

/** The entries of all lines, and what is wrong with the others. Empty lines are left out. */
export function readEntries(lines: readonly string[]): {
  readonly entries: readonly AccessEntry[]
  readonly problems: ReadonlyMap<number, string>
} {
  const entries: AccessEntry[] = []
  const problems = new Map<number, string>()
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    const read = readEntry(line)
    if ('problem' in read) problems.set(at, read.problem)
    else entries.push(read)
  }
  return { entries, problems }
}
