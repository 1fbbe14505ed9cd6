// Which live sets a plan declares, for who fills them.

import type { Artifact, NftTable } from './artifacts.ts'
import { isMemberSet, liveSets } from './live-sets.ts'

/** The answer is the same value while the sets are the same. Tables that did not change are not looked through again. */
export function createLiveSetFinder(): (artifacts: readonly Artifact[]) => ReadonlySet<string> {
  let known: ReadonlySet<string> = new Set()
  let seen: readonly NftTable[] = []
  return (artifacts) => {
    const tables = artifacts.filter((artifact) => artifact.kind === 'nft')
    if (tables.length === seen.length && tables.every((table, at) => table === seen[at])) return known
    seen = tables
    const names = tables.flatMap(({ pieces }) => pieces.filter(isLive).map(({ name }) => name))
    if (names.length !== known.size || names.some((name) => !known.has(name))) known = new Set(names)
    return known
  }
}

const isLive = ({ kind, name }: NftTable['pieces'][number]): boolean =>
  kind === 'set' && (name in liveSets || (name.startsWith('u_') && isMemberSet(name)))
