// Declarations for the three shapes nearly every area consists of: settings, a collection and an ordered collection.
// An area says path, fields and access; endpoints follow.

import type { TObject, TProperties, TSchema } from 'typebox'
import type { Access } from './access.ts'
import { endpoint } from './endpoint.ts'
import {
  CreatedInteger,
  CreatedString,
  named,
  type PatchOf,
  patchOf,
  placementQuery,
  strictObject,
  tableQuery,
} from './fields.ts'
import { Type } from './schema.ts'

const anySubset = 'Any subset of the fields; what is not sent stays.'
const placed = 'At the end, or right after the anchor, or with insert_after=false at the place of the anchor.'

interface Common<Path extends string = string> {
  readonly path: Path
  /** In the administrator's words, as in "Show the firewall settings". */
  readonly title: string
  readonly view?: Access
  readonly change: Access
  /** Of every change. */
  readonly needsFreshSignIn?: boolean
}

const freshness = ({ needsFreshSignIn }: Pick<Common, 'needsFreshSignIn'>) =>
  needsFreshSignIn ? { needsFreshSignIn } : {}

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
    description: anySubset,
    body: patchOf(spec.schema),
    ...freshness(spec),
  }),
})

interface CollectionSpec<
  N extends TObject,
  P extends TSchema,
  V extends TObject,
  Path extends string,
  Id extends string,
> extends Common<Path> {
  /** One item in words, as in "Add a local administrator". */
  readonly item: string
  readonly idName: Id
  /** Body of a creation. */
  readonly fields: N
  /** Body of an update; any subset of `fields` unless given. */
  readonly patch?: P
  /** What lists show. */
  readonly shown: V
}

export const collectionEndpoints = <
  N extends TObject,
  V extends TObject,
  const Path extends string,
  const Id extends string,
  P extends TSchema = PatchOf<N>,
>(
  spec: CollectionSpec<N, P, V, Path, Id>,
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
    ...freshness(spec),
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

export const orderedEndpoints = <
  N extends TObject,
  V extends TObject,
  const Path extends string,
  const Id extends string,
  P extends TSchema = PatchOf<N>,
>(
  spec: CollectionSpec<N, P, V, Path, Id>,
) => ({
  ...itemEndpoints(spec),
  list: listEndpoint(spec),
  create: endpoint({
    method: 'POST',
    path: spec.path,
    access: spec.change,
    summary: `Add ${spec.item}`,
    description: placed,
    query: placementQuery(Type.Integer()),
    body: spec.fields,
    reply: CreatedInteger,
    ...freshness(spec),
  }),
  move: endpoint({
    method: 'PATCH',
    path: `${spec.path}/move` as const,
    access: spec.change,
    summary: `Move ${spec.item}`,
    body: moveBody('Move', { id: Type.Integer() }),
    errors: ['not_found'],
    ...freshness(spec),
  }),
})

/** The rules of each profile of an area, in their order, below the path of the profiles. */
export const profileRuleEndpoints = <N extends TObject, V extends TObject, const Path extends string>(spec: {
  readonly path: Path
  /** In words, as in "List the rules of a profile" and "Add a rule to a profile". */
  readonly title: string
  readonly item: string
  readonly fields: N
  readonly shown: V
  readonly bodyLimitBytes: number
}) => {
  const { item, fields, bodyLimitBytes } = spec
  const path = `${spec.path}/:profile_id/rules` as const
  return {
    list: endpoint({
      method: 'GET',
      path,
      access: 'view',
      summary: `List the ${spec.title} of a profile in their order`,
      reply: Type.Array(spec.shown),
    }),
    create: endpoint({
      method: 'POST',
      path,
      access: 'configure',
      summary: `Add ${item} to a profile`,
      description: placed,
      query: placementQuery(Type.Integer()),
      body: fields,
      reply: CreatedInteger,
      bodyLimitBytes,
    }),
    update: endpoint({
      method: 'PATCH',
      path: `${path}/:rule_id` as const,
      access: 'configure',
      summary: `Change ${item} of a profile`,
      description: anySubset,
      body: patchOf(fields),
      bodyLimitBytes,
    }),
    move: endpoint({
      method: 'PATCH',
      path: `${spec.path}/rules/move` as const,
      access: 'configure',
      summary: `Move ${item} of a profile`,
      body: moveBody('ProfileRuleMove', {
        profile_id: Type.String({ minLength: 1, maxLength: 80 }),
        rule_id: Type.Integer(),
      }),
      errors: ['not_found'],
    }),
    remove: endpoint({
      method: 'DELETE',
      path: `${path}/:rule_id` as const,
      access: 'configure',
      summary: `Remove ${item} of a profile`,
    }),
  }
}

/** What is moved, and where to. */
const moveBody = <P extends TProperties>(title: string, which: P) =>
  named(
    title,
    strictObject({
      params: strictObject({
        ...which,
        anchor_item_id: Type.Integer(),
        insert_after: Type.Optional(Type.Boolean()),
      }),
    }),
  )

const listEndpoint = <V extends TObject>(spec: Common & { readonly shown: V }) =>
  endpoint({
    method: 'GET',
    path: spec.path,
    access: spec.view ?? 'view',
    summary: `List the ${spec.title}`,
    reply: Type.Array(spec.shown),
  })

const itemEndpoints = <
  N extends TObject,
  P extends TSchema,
  V extends TObject,
  const Path extends string,
  const Id extends string,
>(
  spec: CollectionSpec<N, P, V, Path, Id>,
) => ({
  update: endpoint({
    method: 'PATCH',
    path: `${spec.path}/:${spec.idName}` as const,
    access: spec.change,
    summary: `Change ${spec.item}`,
    description: anySubset,
    body: (spec.patch ?? patchOf(spec.fields)) as P,
    ...freshness(spec),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${spec.path}/:${spec.idName}` as const,
    access: spec.change,
    summary: `Remove ${spec.item}`,
    ...freshness(spec),
  }),
})
