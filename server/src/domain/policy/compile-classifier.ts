// Copies of the first packets of each connection for the traffic classifier, behind the rules, so that only what passes is
// copied. Addresses are those behind the translation of destinations and before that of sources, as the traffic monitor shows
// them. IPv4 only, as there. A connection that the kernel does not count has no copies.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { copiedBytes, copiedPackets, copiesPerSecond, copyGroup } from '../../core/plan/classifier.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import type { Policy } from './model.ts'
import {
  blank,
  copyPackets,
  equals,
  type Hook,
  hookHead,
  jump,
  type Nft,
  quoteInterface,
  sentence,
  words,
} from './nft.ts'

/** All hooks share one chain, and so one limit. */
const copyChain = makePiece({
  kind: 'chain',
  name: 'classify',
  head: '',
  lines: [copyPackets(copyGroup, copiedBytes, copiesPerSecond)],
  origin: '',
})

const notLoopback = (selector: string): Nft => equals(words(selector), quoteInterface('lo'), true)

const conditions: Readonly<Record<'forward' | 'input' | 'output', Nft>> = {
  forward: blank,
  input: notLoopback('iifname'),
  output: notLoopback('oifname'),
}

function copying(at: keyof typeof conditions): NftPiece {
  const hook: Hook = { type: 'filter', at, priority: 'filter + 10' }
  const lines = ['tcp', 'udp'].map((protocol) =>
    sentence(
      words(`meta nfproto ipv4 meta l4proto ${protocol}`),
      conditions[at],
      words(`ct packets 1-${copiedPackets}`),
      jump('classify'),
    ),
  )
  return makePiece({ kind: 'chain', name: `classify_${at}`, head: hookHead(hook), lines, origin: '' })
}

const pieces: readonly NftPiece[] = [copyChain, copying('forward'), copying('input'), copying('output')]

export const classifierPieces = ({ isClassifying }: Policy): readonly NftPiece[] => (isClassifying ? pieces : [])
