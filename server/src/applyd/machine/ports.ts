// Which sockets listen on a port of this network, and who holds them, as far as that can be read. A probe counts only
// sockets that were not there before the engine started: a foreign program must not answer for it.

import type { HeldSocket, SocketHolder } from '../../core/plan/machine.ts'
import type { Probe } from '../../engines/kit/tables.ts'
import { oneLine } from '../../engines/kit/text.ts'
import { linkOf, namesIn, textOf } from './read.ts'

export type Protocol = 'tcp' | 'udp'

export type Listener = Omit<HeldSocket, 'holder'>

/** States of /proc/net/tcp and udp: TCP listens, UDP is bound and has no peer. */
const listening = { tcp: '0A', udp: '07' } as const
const markName = 'PORTCULLIS_UNIT='

/** All sockets of the protocol that wait for others. */
export function listenersOf(protocol: Protocol, proc = '/proc'): Listener[] {
  const tables = [`${proc}/self/net/${protocol}`, `${proc}/self/net/${protocol}6`]
  return tables.flatMap((path) =>
    textOf(path)
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
        const [address = '', port = ''] = local.split(':')
        if (state !== listening[protocol]) return []
        return [{ protocol, address: showAddress(address), port: Number.parseInt(port, 16), inode }]
      }),
  )
}

/** Words of four bytes in the order of the machine, which is little-endian (foreign.ts refuses others). */
export function showAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)))
  if (bytes.length === 4) return bytes.join('.')
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (isMapped) return bytes.slice(12).join('.')
  if (bytes.every((byte) => byte === 0)) return '::'
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  return groups.join(':').replace(/(?:^|:)0(?::0)+(?::|$)/, '::')
}

type PortProbe = Extract<Probe, { kind: Protocol }>
const hasPort = (probe: Probe): probe is PortProbe => probe.kind === 'tcp' || probe.kind === 'udp'

const socketsOf = ({ kind, port }: PortProbe): Listener[] => listenersOf(kind).filter((one) => one.port === port)

/** Before an engine starts: the sockets that hold its port already, by number. */
export const heldBefore = (probe: Probe): ReadonlySet<string> =>
  new Set(hasPort(probe) ? socketsOf(probe).map(({ inode }) => inode) : [])

/** Whether a socket is there that was not there before the start. */
export const hasNewSocket = (probe: PortProbe, before: ReadonlySet<string>): boolean =>
  socketsOf(probe).some(({ inode }) => !before.has(inode))

/** Who holds the port of the probe since before the start, as a sentence; empty when that has ended or there is no port. */
export function describeHeld(probe: Probe, before: ReadonlySet<string>): string {
  const held = hasPort(probe) && before.size > 0 ? socketsOf(probe).filter(({ inode }) => before.has(inode)) : []
  const [first] = held
  if (!first) return ''
  const holders = findHolders(held.map(({ inode }) => inode))
  const names = [...new Set([...holders.values()].map(({ program, pid }) => `${program} (process ${pid})`))]
  const who = names.length === 0 ? 'another program' : names.slice(0, 3).join(' and ')
  return `Port ${first.port} (${first.protocol}) is held by ${who} on ${first.address}. Run: gw doctor`
}

/**
 * The processes that hold these sockets. Those of other accounts can be read only with the right to trace them, which the
 * sandbox of applyd does not have: then they are missing here.
 */
export function findHolders(inodes: readonly string[], proc = '/proc'): ReadonlyMap<string, SocketHolder> {
  const found = new Map<string, SocketHolder>()
  const wanted = new Map(inodes.map((inode) => [`socket:[${inode}]`, inode]))
  if (wanted.size === 0) return found
  for (const pid of namesIn(proc).filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of namesIn(`${proc}/${pid}/fd`)) {
      const inode = wanted.get(linkOf(`${proc}/${pid}/fd/${descriptor}`))
      if (inode === undefined || found.has(inode)) continue
      const mark = textOf(`${proc}/${pid}/environ`)
        .split('\0')
        .find((entry) => entry.startsWith(markName))
      found.set(inode, {
        pid: Number(pid),
        // Each process names itself, with any bytes.
        program: oneLine(textOf(`${proc}/${pid}/comm`)) || 'a program',
        mark: mark?.slice(markName.length) ?? '',
      })
    }
    if (found.size === wanted.size) break
  }
  return found
}
