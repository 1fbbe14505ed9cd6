// One rule added to 5,000 in firewalld, ufw and Shorewall, each in its own room, and in the gateway in the same minutes.
// Each peer gets the fastest way it documents to put a rule among others: firewalld at runtime, ufw by an insert,
// Shorewall by a line in its file and a reload. A peer that is missing or cannot run here says so in its row.

import { mkdirSync } from 'node:fs'
import type { BenchOptions } from '../../options.ts'
import { aimed, grouped, median, milliseconds, plain, type Row } from '../../table.ts'
import { addAndDelete } from '../changes.ts'
import { type BenchGateway, startWith } from '../gateway.ts'
import { openRoom, type Room } from '../room.ts'
import { type BenchPolicy, drawPolicy } from '../rules.ts'
import { firewalld } from './firewalld.ts'
import { installPeers, peersFolder } from './install.ts'
import type { Peer } from './peer.ts'
import { shorewall } from './shorewall.ts'
import { ufw } from './ufw.ts'

const leastTimes = 20
const aimedRules = 5_000
/** No further sample is taken from a peer that has had this long. */
const patienceMs = 30_000

export async function benchPeers({ isQuick, installsPeers }: BenchOptions): Promise<Row[]> {
  if (installsPeers) installPeers()
  mkdirSync(peersFolder, { recursive: true })
  // With few rules Shorewall takes seconds, with 5,000 minutes.
  const rules = isQuick ? 1_000 : aimedRules
  const policy = drawPolicy(rules)
  await using gateway = await startWith(rules)
  const rows: Row[] = []
  for (const peer of [firewalld, ufw, shorewall]) {
    console.error(`  ${peer.name} with ${grouped(rules)} rules ...`)
    rows.push(await comparePeer(gateway, peer, policy, isQuick ? 1 : 5))
  }
  return rows
}

async function comparePeer(gateway: BenchGateway, peer: Peer, policy: BenchPolicy, samples: number): Promise<Row> {
  using room = await openRoom(peersFolder)
  const what = `one rule added at ${grouped(policy.rules.length)}`
  if (!isInstalled(room, peer))
    return { ...plain(what, ''), raw: `${peer.name} is not installed; --install-peers fetches it for the bench` }
  const times = { ours: [] as number[], theirs: [] as number[] }
  try {
    peer.start(room, policy)
    const begun = performance.now()
    while (times.theirs.length === 0 || (times.theirs.length < samples && performance.now() - begun < patienceMs)) {
      const host = `198.18.0.${times.theirs.length + 1}`
      times.theirs.push(peer.addRule(room, host, policy))
      expectRule(room, host)
      for (let sample = 0; sample < 5; sample++) times.ours.push((await addAndDelete(gateway))[0])
    }
  } catch (fault) {
    return { ...plain(what, ''), raw: `${peer.name}: ${(fault as Error).message}` }
  }
  const [ours, theirs] = [median(times.ours), median(times.theirs)]
  const row = {
    ...plain(what, milliseconds(ours)),
    raw: `${milliseconds(theirs)} ${peer.name}, ${peer.way}`,
    ratio: theirs / ours,
  }
  const aim = `at least ${leastTimes} x faster`
  return policy.rules.length < aimedRules
    ? { ...row, aim: `${aim} at ${grouped(aimedRules)}` }
    : aimed(row, aim, theirs / ours >= leastTimes)
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
