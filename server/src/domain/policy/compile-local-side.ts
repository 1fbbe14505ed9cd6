// The sets of the local side as nftables, and the conditions that use them.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import type { Policy } from './model.ts'
import { addresses, inSet, isQuotableInterface, printElements, quoteInterface, words } from './nft.ts'

export const fromInside = inSet(words('iifname'), 'if_local')
export const toInternet = inSet(words('ip daddr'), 'net_local', true)

/** For the stages that are in use; all have the same local side. */
export function localSidePieces({ dns, authorization, web }: Policy): NftPiece[] {
  const side = dns?.isIntercepting ? dns : (authorization?.side ?? web?.side ?? null)
  if (side === null) return []
  const head = words('type ipv4_addr; flags interval;')
  return [
    deviceSet(
      'if_local',
      side.local.map(({ device }) => device),
    ),
    makePiece({ kind: 'set', name: 'net_local', head, lines: printElements(side.near, addresses), origin: '' }),
  ]
}

export const deviceSet = (name: string, devices: readonly string[]): NftPiece =>
  makePiece({
    kind: 'set',
    name,
    head: words('type ifname;'),
    lines: devices.filter(isQuotableInterface).map(quoteInterface),
    origin: '',
  })
