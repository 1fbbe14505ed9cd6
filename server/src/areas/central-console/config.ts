// What is stored about the central console, on both sides of the link. The root group is built in and not stored.

import { Enabled, nullable, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { findIn } from '../../core/model/item-index.ts'
import { type Config, list, single } from '../../core/model/slots.ts'
import { FilterRule, rootGroup } from '../firewall/contract.ts'
import { ConsoleConnection, ConsoleSettings, type Server, ServerGroup, StoredServer } from './contract.ts'
import { ContentRule } from './contract-content.ts'

/** The side of the gateway: which console it belongs to, and how it recognises the console. */
export const connection = single(
  'central_console.connection',
  strictObject({ cc_server: ConsoleConnection.properties.cc_server, root_ca: nullable(Type.String()) }),
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

export const slots = [
  connection,
  settings,
  state,
  groups,
  servers,
  contentBefore,
  contentAfter,
  forwardBefore,
  forwardAfter,
  inputBefore,
  inputAfter,
]

export const root: ServerGroup = { id: rootGroup, name: 'Root', parent_id: null, comment: '' }

export const isGroup = (config: Config, id: string): boolean =>
  id === root.id || findIn(config, groups, id) !== undefined

/** `ownMajor` is the major version of this console. */
export const showServer = (server: StoredServer, ownMajor: number, mask: string): Server => ({
  ...server,
  version_diff: ownMajor - server.version.major,
  utm_login_secret: mask,
})
