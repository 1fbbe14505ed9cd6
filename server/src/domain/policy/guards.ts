// Ports of the gateway that only listed hosts may reach. What anyone else sends to them is dropped before the rules of
// administrators, which can only narrow what is left. For the kernel and for the evaluator. Pure.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { contains, pairsOf } from '../../shared/net/ranges.ts'
import type { Flow } from './evaluate-match.ts'
import type { GuardedPort, Policy } from './model.ts'
import { addresses, equals, inSet, jump, type Nft, numbers, quoteInterface, rule, sentence, words } from './nft.ts'

const chainOf = ({ name }: GuardedPort): string => `guard_${name}`

/** The first of INPUT: a host that is no longer listed loses the connections it has, too. The gateway itself may always ask. */
export const guardRules = ({ guardedPorts }: Policy): Nft[] =>
  guardedPorts.map((port) =>
    sentence(
      equals(words(`${port.protocol} dport`), numbers(port.destinationPort, port.destinationPort)),
      equals(words('iifname'), quoteInterface('lo'), true),
      jump(chainOf(port)),
    ),
  )

/** A line for each host or network: only packets to this port pass them. IPv6 has no listed hosts. */
export const guardPieces = ({ guardedPorts }: Policy): NftPiece[] =>
  guardedPorts.map((port) => {
    const origin = `inp.sys.${port.name}`
    const outside = port.isOpenOutside
      ? []
      : [rule(origin, inSet(words('iifname'), 'if_external'), words('counter drop'))]
    const listed = pairsOf(port.peers).map(([low, high]) =>
      sentence(equals(words('ip saddr'), addresses(low, high)), words('return')),
    )
    const lines = [...outside, ...listed, rule(origin, words('counter drop'))]
    return makePiece({ kind: 'chain', name: chainOf(port), head: '', lines, origin: '' })
  })

/** Whether the guard of a port lets a packet to it through. */
export const isListed = (
  { peers, isOpenOutside }: GuardedPort,
  { externalDevices }: Pick<Policy, 'externalDevices'>,
  { source, incoming }: Pick<Flow, 'source' | 'incoming'>,
): boolean => source !== null && contains(peers, source) && (isOpenOutside || !externalDevices.includes(incoming ?? ''))
