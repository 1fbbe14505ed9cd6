// A card that a rule lets in can send with the address of another host. That must not end the session of that host while it is
// there. Its connections are left alone too: they have the same address.

import type { Neighbour } from '../../net/neighbours.ts'
import type { LiveElement } from '../../plan/artifacts.ts'
import type { SessionIndex } from './session-index.ts'

/** Those of the hosts whose address another card has, by its session and by the neighbour table. */
export async function impostorsAmong(
  hosts: readonly LiveElement[],
  index: Pick<SessionIndex, 'at'>,
  neighbourAt: (address: string) => Promise<Neighbour | null>,
): Promise<ReadonlySet<LiveElement>> {
  const impostors = new Set<LiveElement>()
  for (const host of hosts) {
    const mac = index.at(host.address)?.session.mac ?? null
    if (mac === null || host.mac === null || host.mac === mac) continue
    const neighbour = await neighbourAt(host.address).catch(() => null)
    if (neighbour?.mac === mac) impostors.add(host)
  }
  return impostors
}
