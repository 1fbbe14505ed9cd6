// Declarations for the three shapes nearly every area consists of: settings, a collection and an ordered collection.
// An area says path, fields and access; endpoints follow.

import type { TObject, TSchema } from 'typebox'
import type { Access } from './access.ts'
import { endpoint } from './endpoint.ts'
import {
  CreatedInteger,
  CreatedString,
  type PatchOf,
  patchOf,
  placementQuery,
  strictObject,
  tableQuery,
} from './fields.ts'
import { Type } from './schema.ts'

interface Common {
  readonly path: string
  /** In the administrator's words, as in "Show the firewall settings". */
  readonly title: string
  readonly view?: Access
  readonly change: Access
}

export const settingsEndpoints = <S extends TObject>(spec: Common & { readonly schema: S }) => ({
  show: endpoint({
    method: 'GET',
    path: spec.path,
    access: spec.view ?? 'view',
    summary: `Show the ${spec.title}`,
    reply: spec.schema,
  }),
  update: endpoint({
    method: 'PATCH',
    path: spec.path,
    access: spec.change,
    summary: `Change the ${spec.title}`,
    description: 'Any subset of the fields; what is not sent stays.',
    body: patchOf(spec.schema),
  }),
})

interface CollectionSpec<N extends TObject, P extends TSchema, V extends TObject> extends Common {
  /** One item in words, as in "Add a local administrator". */
  readonly item: string
  readonly idName: string
  /** Body of a creation. */
  readonly fields: N
  /** Body of an update; any subset of `fields` unless given. */
  readonly patch?: P
  /** What lists show. */
  readonly shown: V
}

export const collectionEndpoints = <N extends TObject, V extends TObject, P extends TSchema = PatchOf<N>>(
  spec: CollectionSpec<N, P, V>,
) => ({
  ...itemEndpoints(spec),
  list: listEndpoint(spec),
  create: endpoint({
    method: 'POST',
    path: spec.path,
    access: spec.change,
    summary: `Add ${spec.item}`,
    body: spec.fields,
    reply: CreatedString,
  }),
})

/** The list is also served as CSV: format_type and columns. */
export const tableEndpoint = <V extends TObject, const C extends readonly string[]>(
  spec: Common & { readonly shown: V; readonly columns: C },
) =>
  endpoint({
    method: 'GET',
    path: spec.path,
    access: spec.view ?? 'view',
    summary: `List the ${spec.title}`,
    query: tableQuery(spec.columns),
    reply: Type.Array(spec.shown),
    alsoReplies: ['text/csv'],
  })

export const orderedEndpoints = <N extends TObject, V extends TObject, P extends TSchema = PatchOf<N>>(
  spec: CollectionSpec<N, P, V>,
) => ({
  ...itemEndpoints(spec),
  list: listEndpoint(spec),
  create: endpoint({
    method: 'POST',
    path: spec.path,
    access: spec.change,
    summary: `Add ${spec.item}`,
    description: 'At the end, or right after the anchor, or with insert_after=false at the place of the anchor.',
    query: placementQuery(Type.Integer()),
    body: spec.fields,
    reply: CreatedInteger,
  }),
  move: endpoint({
    method: 'PATCH',
    path: `${spec.path}/move`,
    access: spec.change,
    summary: `Move ${spec.item}`,
    body: strictObject({
      params: strictObject({
        id: Type.Integer(),
        anchor_item_id: Type.Integer(),
        insert_after: Type.Optional(Type.Boolean()),
      }),
    }),
  }),
})

const listEndpoint = <V extends TObject>(spec: Common & { readonly shown: V }) =>
  endpoint({
    method: 'GET',
    path: spec.path,
    access: spec.view ?? 'view',
    summary: `List the ${spec.title}`,
    reply: Type.Array(spec.shown),
  })

const itemEndpoints = <N extends TObject, P extends TSchema, V extends TObject>(spec: CollectionSpec<N, P, V>) => ({
  update: endpoint({
    method: 'PATCH',
    path: `${spec.path}/:${spec.idName}`,
    access: spec.change,
    summary: `Change ${spec.item}`,
    description: 'Any subset of the fields; what is not sent stays.',
    body: (spec.patch ?? patchOf(spec.fields)) as P,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${spec.path}/:${spec.idName}`,
    access: spec.change,
    summary: `Remove ${spec.item}`,
  }),
})
