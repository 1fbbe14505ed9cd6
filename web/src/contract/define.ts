// Pages as data: which calls they use, which columns and fields they show, and what differs from the contract. The names of
// columns and fields come from the types of the calls, so that a renamed field of the wire breaks the build.
// No React and no style is loaded here: tests and scripts read the pages too.

import type { BodyOf, Endpoint, QueryOf, ReplyOf } from '@gateway/server/contract'
import type { ReactNode } from 'react'
import {
  type Action,
  type Choices,
  type Column,
  type ColumnSpec,
  checked,
  type FieldSpec,
  type Fields,
  type Item,
  type Keys,
  type Read,
  type RowAction,
  type RowOf,
} from './define-parts.ts'

export type {
  Action,
  Aim,
  Choices,
  ColumnSpec,
  FieldSpec,
  Item,
  Read,
  RenderProps,
  RowAction,
  RowOf,
  Widget,
} from './define-parts.ts'

export { action, choices, read, rowAction, rowLink, widgets } from './define-parts.ts'

export interface Group {
  readonly title: string
  readonly text?: string
  readonly fields: readonly string[]
  /** Exactly one of the fields, which are objects or null, is used: the person chooses which. */
  readonly isChoice?: boolean
}

/** Settings that are read by one call and changed by another. */
export interface Section {
  readonly title?: string
  readonly text?: string
  readonly endpoints: { readonly show: Endpoint; readonly update?: Endpoint; readonly replace?: Endpoint }
  readonly groups?: readonly Group[]
  readonly fields?: Readonly<Record<string, FieldSpec>>
  /** The variables of the path are chosen from other lists. */
  readonly choose?: Readonly<Record<string, Choices>>
}

type SectionSpec<S extends Endpoint, U extends Endpoint> = Omit<Section, 'endpoints' | 'groups' | 'fields'> & {
  readonly endpoints: { readonly show: S; readonly update?: U; readonly replace?: U }
  readonly groups?: readonly {
    readonly title: string
    readonly text?: string
    readonly fields: readonly (Fields<U> | Keys<ReplyOf<S>>)[]
    readonly isChoice?: boolean
  }[]
  readonly fields?: { readonly [K in Fields<U> | Keys<ReplyOf<S>>]?: FieldSpec }
}

/** One part of a settings page. All parts are changed together, as one revision. */
export const section = <S extends Endpoint, U extends Endpoint>(spec: SectionSpec<S, U>): Section => checked(spec)

interface Common {
  /** The state of the engine behind it: a list of status items. */
  readonly status?: Endpoint
  /** One sentence below the title. */
  readonly lead?: string
  /** Offer to revert a change unless kept within so many seconds. */
  readonly confirmWithin?: number
  readonly actions?: readonly Action[]
  readonly reads?: readonly Read[]
  /** What a person should know before they change something here, below the head. */
  readonly notice?: () => ReactNode
}

/** Settings, reads and actions below each other. */
export interface StackPage extends Common {
  readonly kind: 'settings' | 'status' | 'actions'
  readonly sections: readonly Section[]
}

export const settingsPage = <S extends Endpoint, U extends Endpoint>(
  spec: Common & (SectionSpec<S, U> | { readonly sections: readonly Section[] }),
): StackPage => {
  if ('sections' in spec) return { kind: 'settings', ...spec }
  const { status, lead, confirmWithin, actions, reads, notice, ...own } = spec
  return {
    kind: 'settings',
    sections: [checked(own)],
    ...(status === undefined ? {} : { status }),
    ...(lead === undefined ? {} : { lead }),
    ...(confirmWithin === undefined ? {} : { confirmWithin }),
    ...(actions === undefined ? {} : { actions }),
    ...(reads === undefined ? {} : { reads }),
    ...(notice === undefined ? {} : { notice }),
  }
}

export const statusPage = (spec: Common & { readonly reads: readonly Read[] }): StackPage => ({
  kind: 'status',
  sections: [],
  ...spec,
})

export const actionsPage = (spec: Common & { readonly actions: readonly Action[] }): StackPage => ({
  kind: 'actions',
  sections: [],
  ...spec,
})

export interface CollectionEndpoints {
  readonly list: Endpoint
  readonly create?: Endpoint
  readonly update?: Endpoint
  readonly replace?: Endpoint
  readonly remove?: Endpoint
  /** The gateway makes the copy. */
  readonly copy?: Endpoint
  readonly move?: Endpoint
  /** Moves by one step: body `{ direction }`. */
  readonly position?: Endpoint
}

/** What the grid and the panel of an item need, on a page of its own or inside of another item. */
export interface Collection {
  readonly endpoints: CollectionEndpoints
  readonly isOrdered: boolean
  /** Where the list is in the reply, when it is not the reply. */
  readonly rowsIn?: string
  readonly query?: Readonly<Record<string, unknown>>
  /** One of them, as in "static lease". */
  readonly itemName: string
  readonly title: (item: Item) => string
  /** `id` unless said. */
  readonly idField?: string
  readonly columns: readonly (string | ColumnSpec)[]
  readonly fields?: Readonly<Record<string, FieldSpec>>
  readonly groups?: readonly Group[]
  readonly empty: {
    readonly text: string
    readonly example?: Item
    readonly to?: { readonly page: string; readonly label: string }
  }
  readonly row?: readonly RowAction[]
  /** Such items cannot be changed or removed: predefined ones, those of the central console. The reason, or null. */
  readonly isFixed?: (item: Item) => string | null
  /** Fields that stay changeable where the rest of an item is fixed. */
  readonly stillChangeable?: readonly string[]
  /** What uses an item. */
  readonly usedBy?: Endpoint
  /** The name of the list in the stored configuration, such as `firewall.forward`, by which the audit trail finds changes. */
  readonly stored?: string
  readonly everyMs?: number
  /** The state of each item, by its id: its fields are columns beside those of the list. */
  readonly states?: { readonly endpoint: Endpoint; readonly idField?: string }
  readonly confirmWithin?: number
}

interface CollectionSpec<L extends Endpoint, C extends Endpoint, U extends Endpoint, In extends string>
  extends Omit<
      Collection,
      | 'endpoints'
      | 'isOrdered'
      | 'rowsIn'
      | 'query'
      | 'title'
      | 'idField'
      | 'columns'
      | 'fields'
      | 'groups'
      | 'empty'
      | 'isFixed'
      | 'stillChangeable'
    >,
    Common {
  readonly endpoints: {
    readonly list: L
    readonly create?: C
    readonly update?: U
    readonly replace?: U
    readonly remove?: Endpoint
    readonly copy?: Endpoint
    readonly move?: Endpoint
    readonly position?: Endpoint
  }
  readonly rowsIn?: In
  readonly query?: Partial<QueryOf<L>>
  readonly title: (item: RowOf<L, In>) => string
  readonly idField?: Keys<RowOf<L, In>>
  readonly columns: readonly Column<RowOf<L, In>>[]
  readonly fields?: { readonly [K in Fields<C> | Fields<U> | Keys<RowOf<L, In>>]?: FieldSpec }
  readonly groups?: readonly {
    readonly title: string
    readonly text?: string
    readonly fields: readonly (Fields<C> | Fields<U>)[]
    readonly isChoice?: boolean
  }[]
  readonly empty: {
    readonly text: string
    readonly example?: Partial<BodyOf<C>>
    readonly to?: { readonly page: string; readonly label: string }
  }
  readonly isFixed?: (item: RowOf<L, In>) => string | null
  readonly stillChangeable?: readonly (Fields<C> | Fields<U>)[]
}

export interface CollectionPage extends Common {
  readonly kind: 'collection' | 'ordered'
  readonly collection: Collection
}

const commonNames = ['status', 'lead', 'confirmWithin', 'actions', 'reads', 'notice'] as const

/** The parts of a page that every kind has, and the rest. */
function split(spec: object): { readonly common: Common; readonly own: object } {
  const isCommon = ([name]: readonly [string, unknown]): boolean => commonNames.some((known) => known === name)
  const entries = Object.entries(spec)
  return {
    common: Object.fromEntries(entries.filter(isCommon)),
    own: Object.fromEntries(entries.filter((entry) => !isCommon(entry) || entry[0] === 'confirmWithin')),
  }
}

export function collectionPage<
  L extends Endpoint,
  C extends Endpoint = L,
  U extends Endpoint = C,
  const In extends string = '',
>(spec: CollectionSpec<L, C, U, In>): CollectionPage {
  const { common, own } = split(spec)
  return { kind: 'collection', ...common, collection: checked({ ...own, isOrdered: false }) }
}

/** The order of the rows matters: `endpoints` has `move` or `position`. */
export function orderedPage<
  L extends Endpoint,
  C extends Endpoint = L,
  U extends Endpoint = C,
  const In extends string = '',
>(spec: CollectionSpec<L, C, U, In>): CollectionPage {
  const { common, own } = split(spec)
  return { kind: 'ordered', ...common, collection: checked({ ...own, isOrdered: true }) }
}

/** A tab of an open profile: another list below it, or a read about it. The id of the profile is the first variable of the path. */
export interface Inside {
  readonly id: string
  readonly title: string
  readonly text?: string
  readonly collection?: Collection
  readonly read?: Read
  /** A switch for each row of `list`; on when the row is in `enabled`. */
  readonly toggles?: Toggles
}

export interface Toggles {
  readonly list: Endpoint
  readonly enabled: Endpoint
  readonly update: Endpoint
  readonly label: (row: Item) => string
  readonly hint?: (row: Item) => string
  readonly isFixed?: (row: Item) => boolean
}

interface InsideSpec {
  readonly id: string
  readonly tab: string
  readonly text?: string
}

/** A list inside of an item, such as the rules of a profile. */
export function inside<
  L extends Endpoint,
  C extends Endpoint = L,
  U extends Endpoint = C,
  const In extends string = '',
>(
  spec: InsideSpec & { readonly isOrdered?: boolean } & Omit<CollectionSpec<L, C, U, In>, keyof Common | 'text'>,
): Inside {
  const { id, tab, text, isOrdered = false, ...own } = spec
  return {
    id,
    title: tab,
    ...(text === undefined ? {} : { text }),
    collection: checked({ ...own, isOrdered }),
  }
}

export const insideRead = ({ id, tab, text, read: shown }: InsideSpec & { readonly read: Read }): Inside => ({
  id,
  title: tab,
  ...(text === undefined ? {} : { text }),
  read: shown,
})

export const insideToggles = <L extends Endpoint>({
  id,
  tab,
  text,
  ...toggles
}: InsideSpec & {
  readonly list: L
  readonly enabled: Endpoint
  readonly update: Endpoint
  readonly label: (row: RowOf<L, ''>) => string
  readonly hint?: (row: RowOf<L, ''>) => string
  readonly isFixed?: (row: RowOf<L, ''>) => boolean
}): Inside => ({
  id,
  title: tab,
  ...(text === undefined ? {} : { text }),
  toggles: checked(toggles),
})

/** Items with lists inside: profiles with their rules. */
export interface ProfilePage extends Common {
  readonly kind: 'profile'
  readonly collection: Collection
  readonly inside: readonly Inside[]
}

export function profilePage<
  L extends Endpoint,
  C extends Endpoint = L,
  U extends Endpoint = C,
  const In extends string = '',
>(spec: CollectionSpec<L, C, U, In> & { readonly inside: readonly Inside[] }): ProfilePage {
  const { inside: parts, ...rest } = spec
  const { common, own } = split(rest)
  return {
    kind: 'profile',
    ...common,
    collection: checked({ ...own, isOrdered: false }),
    inside: parts,
  }
}

export type ContractPage = CollectionPage | ProfilePage | StackPage
