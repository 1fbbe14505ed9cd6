// One added rule in firewalld, ufw and Shorewall, each in its own room. A peer that is missing or cannot run here
// says so in its row.

import { mkdirSync } from 'node:fs'
import { median } from '../../table.ts'
import { openRoom, type Room } from '../room.ts'
import { drawPolicy } from '../rules.ts'
import { firewalld } from './firewalld.ts'
import { peersFolder } from './install.ts'
import type { Peer } from './peer.ts'
import { shorewall } from './shorewall.ts'
import { ufw } from './ufw.ts'

export interface PeerTime {
  readonly peer: Peer
  readonly rules: number
  /** Milliseconds, or why it was not measured. */
  readonly time: number | string
}

/** No further sample is taken from a peer that has had this long. */
const patienceMs = 20_000

export async function benchPeers(samples: number, mostRules: number): Promise<PeerTime[]> {
  mkdirSync(peersFolder, { recursive: true })
  const times: PeerTime[] = []
  for (const peer of [firewalld, ufw, shorewall]) {
    const rules = Math.min(peer.rules, mostRules)
    console.error(`  ${peer.name} with ${rules.toLocaleString('en')} rules ...`)
    times.push({ peer, rules, time: await benchPeer(peer, rules, samples) })
  }
  return times
}

async function benchPeer(peer: Peer, rules: number, samples: number): Promise<number | string> {
  using room = await openRoom(peersFolder)
  if (!isInstalled(room, peer)) return 'not installed; --install-peers fetches it for the bench'
  const policy = drawPolicy(rules)
  try {
    peer.start(room, policy)
    const begun = performance.now()
    const times: number[] = []
    while (times.length === 0 || (times.length < samples && performance.now() - begun < patienceMs)) {
      const host = `198.18.0.${times.length + 1}`
      times.push(peer.addRule(room, host, policy))
      expectRule(room, host)
    }
    return median(times)
  } catch (error) {
    return (error as Error).message
  }
}

function isInstalled(room: Room, { program }: Peer): boolean {
  try {
    room.run(['test', '-x', program])
    return true
  } catch {
    return false
  }
}

function expectRule(room: Room, host: string): void {
  if (!room.run(['nft', 'list', 'ruleset']).includes(host)) throw new Error('it took the rule, but the kernel has none')
}
