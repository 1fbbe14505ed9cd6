// The groups and connected gateways of the console, declared; its rules are in lists-rules.ts.

import type { Problem } from '../../core/contract/error.ts'
import { declareList, declareSettings, mustExist, namesOne } from '../../core/model/declarations.ts'
import { findIn } from '../../core/model/item-index.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { faultOfRoot } from './certificate.ts'
import { connection, groups, isGroup, root, servers } from './config.ts'
import type { ServerGroup, StoredServer } from './contract.ts'

export const connectionSettings = declareSettings({
  slot: connection,
  noun: 'connection to the central console',
  problemsOf: (_config, { root_ca }) => {
    const fault = root_ca === null ? null : faultOfRoot(root_ca)
    return fault === null ? [] : [{ field: 'root_ca', message: fault }]
  },
})

/** The fault of the id of a group. */
export const faultOfGroup = mustExist('server group', isGroup)

export const groupList = declareList<ServerGroup>({
  slot: groups,
  noun: 'server group',
  nameOf: ({ name }) => `server group "${name}"`,
  ids: { kind: 'uuid' },
  defaults: { comment: '' },
  builtIn: [root],
  references: [namesOne('parent_id', { faultOf: faultOfGroup })],
  problemsOf: treeProblems,
  reads: [groups],
})

/** The root group is level one (docs/behaviour/central-console.md 2.1). */
const maxLevels = 3

/** Groups form a tree below the root. */
function treeProblems(config: Config, group: ServerGroup): Problem[] {
  const problem = (message: SaidText): Problem[] => [{ field: 'parent_id', message }]
  if (group.parent_id === null) return problem(say`Only the root group has no parent.`)
  if (!isGroup(config, group.parent_id)) return []
  const level = levelBelow(config, group.parent_id, group.id)
  if (level === null) return problem(say`A group cannot be inside itself.`)
  return level + heightOf(config, group.id) - 1 > maxLevels
    ? problem(say`Groups can be nested at most ${maxLevels} levels deep, including the root group.`)
    : []
}

/** The level of a group with this parent; null when the parent is inside the group. Stops where the depth is exceeded. */
function levelBelow(config: Config, parentId: string, id: string): number | null {
  let level = 2
  for (let at = parentId; at !== root.id && level <= maxLevels; level++) {
    if (at === id) return null
    at = findIn(config, groups, at)?.parent_id ?? root.id
  }
  return level
}

const childrenOf = perState([groups], (config) => Map.groupBy(read(config, groups), ({ parent_id }) => parent_id))

/** How many levels a group and what is below it take; not more than would be too many. */
function heightOf(config: Config, id: string, atMost = maxLevels): number {
  if (atMost === 0) return 0
  const children = childrenOf(config).get(id) ?? []
  return 1 + children.reduce((height, child) => Math.max(height, heightOf(config, child.id, atMost - 1)), 0)
}

export const serverList = declareList<StoredServer>({
  slot: servers,
  noun: 'connected gateway',
  nameOf: ({ title }) => `connected gateway "${title}"`,
  ids: { kind: 'given' },
  references: [namesOne('parent_id', { faultOf: faultOfGroup })],
  lockedOf: (server, current) =>
    current.approved && !server.approved
      ? [{ field: 'approved', message: say`A confirmed connection can only be ended by removing the gateway.` }]
      : [],
  reads: [groups],
})
