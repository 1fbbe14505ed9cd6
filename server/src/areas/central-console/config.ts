// What is stored about the central console, on both sides of the link. The root group is not stored: it is always there.

import { Enabled, nullable, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { type Config, type ItemId, type ListSlot, list, read, single } from '../../model/slots.ts'
import { FilterRule, rootGroup } from '../firewall/contract.ts'
import { ConsoleSettings, type Server, ServerGroup, StoredServer } from './contract.ts'
import { ContentRule } from './contract-content.ts'

/** The gateway's side: which console, and how it is recognised. */
export const connection = single(
  'central_console.connection',
  strictObject({ cc_server: nullable(Type.String()), root_ca: nullable(Type.String()) }),
  { cc_server: null, root_ca: null },
)

export const settings = single('central_console.settings', ConsoleSettings, { domain: null })
export const state = single('central_console.state', Enabled, { enabled: false })

export const groups = list('central_console.groups', ServerGroup)
export const servers = list('central_console.servers', StoredServer)

export const contentBefore = list('central_console.content_before', ContentRule)
export const contentAfter = list('central_console.content_after', ContentRule)
export const forwardBefore = list('central_console.forward_before', FilterRule)
export const forwardAfter = list('central_console.forward_after', FilterRule)
export const inputBefore = list('central_console.input_before', FilterRule)
export const inputAfter = list('central_console.input_after', FilterRule)

export const contentSlots = [contentBefore, contentAfter]
export const firewallSlots = [forwardBefore, forwardAfter, inputBefore, inputAfter]

/** Any table of rules, by what all rules have. */
export type GroupedRule = { readonly id: number; readonly parent_id: string }
export const ruleSlots = [...contentSlots, ...firewallSlots] as unknown as readonly ListSlot<GroupedRule>[]

export const slots = [connection, settings, state, groups, servers, ...contentSlots, ...firewallSlots]

/** `central_console.forward_before[7]` */
export const originOf = (slot: { readonly key: string }, id: ItemId): string => `${slot.key}[${id}]`

export const root = { id: rootGroup, name: 'Root', parent_id: null, comment: '' } as const

export const allGroups = (config: Config): GroupItem[] => [root, ...read(config, groups)]

export interface GroupItem {
  readonly id: string
  readonly name: string
  readonly parent_id: string | null
  readonly comment: string
}

export const isGroup = (config: Config, id: string): boolean => allGroups(config).some((group) => group.id === id)

/** `ownMajor` is the major version of this console. */
export const showServer = (server: StoredServer, ownMajor: number, mask: string): Server => ({
  ...server,
  version_diff: ownMajor - server.version.major,
  utm_login_secret: mask,
})
