// What can be done to groups and connected gateways of the console. Every edit is held against verify.ts, so that
// faults carry the names of the fields that were sent.

import { GatewayError, refuse } from '../../contract/error.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { groups, root, ruleSlots, servers } from './config.ts'
import type { NewServerGroup, ServerPatch } from './contract.ts'
import { groupProblems, parentProblems } from './verify.ts'

const groupItem = 'server group'

export function addGroup(config: Config, id: string, fields: NewServerGroup): Config {
  const group = { comment: '', ...fields, id }
  const next = addItem(config, groups, group)
  refuse(groupProblems(next, group))
  return next
}

export function updateGroup(config: Config, id: string, patch: Partial<NewServerGroup>): Config {
  refuseRoot(id, 'changed')
  const group = { ...requireItem(config, groups, id, groupItem), ...patch }
  const next = updateItem(config, groups, group)
  refuse(groupProblems(next, group))
  return next
}

/**
 * Spec gap (central-console.md, open point 9): what was in the group goes up to the root, but not its rules: there they
 * would reach every gateway.
 */
export function removeGroup(config: Config, id: string): Config {
  refuseRoot(id, 'removed')
  const without = removeItem(config, groups, id, groupItem)
  const raised = write(config, groups, read(without, groups).map(toRoot(id)))
  const moved = write(raised, servers, read(raised, servers).map(toRoot(id)))
  return ruleSlots.reduce((next, slot) => {
    const kept = read(next, slot).filter((rule) => rule.parent_id !== id)
    return kept.length === read(next, slot).length ? next : write(next, slot, kept)
  }, moved)
}

const toRoot =
  (id: string) =>
  <T extends { readonly parent_id: string | null }>(child: T): T =>
    child.parent_id === id ? { ...child, parent_id: root.id } : child

function refuseRoot(id: string, done: string): void {
  if (id === root.id) throw new GatewayError('conflict', `The root group cannot be ${done}.`)
}

export function updateServer(config: Config, id: string, patch: ServerPatch): Config {
  const current = requireItem(config, servers, id, 'connected gateway')
  if (patch.parent_id !== undefined) refuse(parentProblems(config, patch.parent_id))
  if (current.approved && patch.approved === false)
    throw new GatewayError('conflict', 'A confirmed connection can only be ended by removing the gateway.')
  return updateItem(config, servers, { ...current, ...patch })
}
