// What a change with dry_run=true answers: objects with their fields, lines of rendered files, and live connections. Shared by
// the server, the OpenAPI document and the console.

import type { Static } from 'typebox'
import { nullable, oneOf, strictObject } from './fields.ts'
import { Type } from './schema.ts'

export const ObjectChange = strictObject({
  object: Type.String({ description: 'Such as firewall.settings or administrators.local[<id>].' }),
  action: oneOf(['added', 'changed', 'moved', 'removed']),
  fields: Type.Array(
    strictObject({
      field: Type.String(),
      before: Type.Unknown(),
      after: Type.Unknown(),
      at: Type.Optional(
        Type.Integer({
          description:
            'In a long list before and after contain only the difference; this is the index of its first entry.',
        }),
      ),
      unchanged: Type.Optional(
        Type.Integer({ description: 'Number of entries of a long list that are the same before and after.' }),
      ),
    }),
  ),
})

export type ObjectChange = Static<typeof ObjectChange>

export const ArtifactChange = strictObject({
  artifact: Type.String({ description: 'Kind and name, such as nft inet gateway or file unbound.conf.' }),
  action: oneOf(['added', 'changed', 'removed']),
  removed_lines: Type.Array(Type.String()),
  added_lines: Type.Array(Type.String()),
})

export type ArtifactChange = Static<typeof ArtifactChange>

/** More are not listed. */
export const maxListedConnections = 1_000

export const RefusedConnection = strictObject({
  protocol: oneOf(['tcp', 'udp']),
  source: Type.String(),
  source_port: Type.Integer(),
  destination: Type.String({ description: 'As the source called it.' }),
  destination_port: Type.Integer(),
  rule: nullable(Type.String({ description: 'Origin of what would refuse it; null when it is not a rule.' })),
  user: nullable(Type.String({ description: 'user.id.<n> whose session is at the source.' })),
})

export type RefusedConnection = Static<typeof RefusedConnection>

export const DryRun = strictObject(
  {
    dry_run: Type.Unsafe<true>({ const: true }),
    changes: Type.Array(ObjectChange, { description: 'Objects with their fields before and after.' }),
    artifacts: Type.Array(ArtifactChange, { description: 'Lines removed from and added to rendered files.' }),
    unchecked: Type.Array(Type.String(), { description: 'What could not be checked on this machine.' }),
    connections: Type.Array(RefusedConnection, {
      maxItems: maxListedConnections,
      description: 'Live connections that the change would refuse and cut_connections=true would cut.',
    }),
    connections_total: Type.Integer({ description: 'All of them, also those that are not listed.' }),
    connections_note: nullable(Type.String({ description: 'What the list does not cover.' })),
  },
  'What a change with dry_run=true would do.',
)

export type DryRun = Static<typeof DryRun>
