// Pages as data: which calls they use, which columns and fields they show, and what differs from the contract. The names of
// columns and fields come from the types of the calls, so that a renamed field of the wire breaks the build.
// No React and no style is loaded here: tests and scripts read the pages too.

import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '@gateway/server/contract'
import type { ReactNode } from 'react'
import type { IconName } from '../ui/icons.ts'

/** An item as the renderers see it, whatever list it comes from. */
export type Item = Readonly<Record<string, unknown>>

type Erased<T> = T extends object ? T : never
/** The rows of a list: the reply itself, or what stands in one of its fields. */
export type RowOf<L, In> = In extends keyof ReplyOf<L>
  ? ReplyOf<L>[In] extends readonly (infer Row)[]
    ? Erased<Row>
    : never
  : ReplyOf<L> extends readonly (infer Row)[]
    ? Erased<Row>
    : never

type Keys<T> = T extends object ? Extract<keyof T, string> : never
/** Bodies that may also come as a list of one are meant as the one. */
type Fields<E> = Keys<Exclude<BodyOf<E>, readonly unknown[]>>

/** What a person can choose from: the rows of another list. */
export interface Choices {
  readonly endpoint: Endpoint
  readonly rowsIn?: string
  readonly value: (row: Item) => string | number
  readonly label: (row: Item) => string
}

export const choices = <L extends Endpoint, const In extends string = ''>(spec: {
  readonly endpoint: L
  readonly rowsIn?: In
  readonly value: (row: RowOf<L, In>) => string | number
  readonly label: (row: RowOf<L, In>) => string
}): Choices => spec as unknown as Choices

export const widgets = [
  'text',
  'lines',
  'multiline',
  'code',
  'number',
  'switch',
  'radio',
  'select',
  'chips',
  'object',
  'objects',
  'secret',
  'time-of-day',
  'moment',
  'bytes',
  'json',
] as const
export type Widget = (typeof widgets)[number]

export interface RenderProps {
  readonly name: string
  readonly value: unknown
  readonly item: Item
  readonly isDisabled: boolean
  readonly problem: string | undefined
  readonly onChange: (value: unknown) => void
}

/** What differs from the schema; everything else follows from it. */
export interface FieldSpec {
  readonly label?: string
  readonly hint?: string
  /** Such as `min`, `MiB`, `days`. */
  readonly unit?: string
  readonly widget?: Widget
  readonly placeholder?: string
  /** Kinds of objects that can be chosen, as in `x-refers`. */
  readonly refers?: readonly string[]
  /** The values come from another list. */
  readonly choices?: Choices
  /** The words of fixed values; the wire words stay in the tooltip. */
  readonly options?: Readonly<Record<string, string>>
  /** A switch that shows the opposite of the wire value: `enabled` of a user is "Deny access". */
  readonly isInverted?: boolean
  /** Left out of the form, and out of the columns unless it is named there. */
  readonly isHidden?: boolean
  readonly isReadOnly?: boolean
  /** Asked for only when an item is added. */
  readonly isOnlyNew?: boolean
  /** The value that a new item starts with. */
  readonly initial?: unknown
  /** Shown only while this holds for the draft. */
  readonly when?: (item: Item) => boolean
  /** Sent with a new item while this holds, also when it is empty: some kinds of an item need it and others refuse it. */
  readonly isSent?: (item: Item) => boolean
  /** Overrides for the fields inside an object or a list of objects. */
  readonly fields?: Readonly<Record<string, FieldSpec>>
  readonly render?: (props: RenderProps) => ReactNode
}

export interface ColumnSpec {
  /** A field of the row, or any name where `text` or `cell` says what stands in it. */
  readonly id: string
  readonly title?: string
  readonly width?: number | 'rest'
  readonly text?: (row: Item) => string
  readonly cell?: (row: Item) => ReactNode
  /** A link to a page. */
  readonly to?: (row: Item) => string | null
  readonly isNumber?: boolean
  /** Not shown until it is chosen. */
  readonly isExtra?: boolean
}

type Column<Row> =
  | Keys<Row>
  | (Omit<ColumnSpec, 'text' | 'cell' | 'to'> & {
      readonly text?: (row: Row) => string
      readonly cell?: (row: Row) => ReactNode
      readonly to?: (row: Row) => string | null
    })

/** How an action gets its values from the rows it is used on. */
export interface Aim {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export interface RowAction {
  readonly title: string
  readonly icon?: IconName
  /** A single letter, while the grid has the focus. */
  readonly keys?: string
  readonly isDanger?: boolean
  readonly isShown?: (row: Item) => boolean
  /** A page that is opened instead of a call. */
  readonly to?: (row: Item) => string
  readonly endpoint?: Endpoint
  readonly aim?: (row: Item) => Aim
  /** All chosen rows in one call. */
  readonly aimAll?: (rows: readonly Item[]) => Aim
  /** Fields of the body that the person fills in. */
  readonly asks?: readonly string[]
  readonly fields?: Readonly<Record<string, FieldSpec>>
  /** Asked before it happens. */
  readonly confirm?: string
  /** Said afterwards; the fields of the reply are shown when it has some. */
  readonly done?: string
  /** The reply is a file. */
  readonly isDownload?: boolean
  readonly fileName?: (row: Item) => string
}

type ParamValues<E> = { readonly [K in keyof ParamsOf<E>]: string | number }
interface TypedAim<E> {
  readonly params?: ParamValues<E>
  readonly query?: Partial<QueryOf<E>>
  readonly body?: BodyOf<E> | Partial<BodyOf<E>>
}

interface RowActionSpec<E extends Endpoint, Row>
  extends Omit<RowAction, 'isShown' | 'endpoint' | 'aim' | 'aimAll' | 'asks' | 'to' | 'fileName'> {
  readonly endpoint: E
  readonly isShown?: (row: Row) => boolean
  readonly aim?: (row: Row) => TypedAim<E>
  readonly aimAll?: (rows: readonly Row[]) => TypedAim<E>
  readonly asks?: readonly Fields<E>[]
  readonly fileName?: (row: Row) => string
}

/** A call that is made on a row: `rowAction<typeof list>()({ ... })` knows the fields of its rows. */
export const rowAction =
  <L extends Endpoint, const In extends string = ''>() =>
  <E extends Endpoint>(spec: RowActionSpec<E, RowOf<L, In>>): RowAction =>
    spec as unknown as RowAction

/** A page that is opened from a row. */
export const rowLink =
  <L extends Endpoint, const In extends string = ''>() =>
  (
    spec: Pick<RowAction, 'title' | 'icon' | 'keys'> & {
      readonly to: (row: RowOf<L, In>) => string
      readonly isShown?: (row: RowOf<L, In>) => boolean
    },
  ): RowAction =>
    spec as unknown as RowAction

/** A call that stands on its own: a button, with fields where it has a body, a file where it takes one. */
export interface Action {
  readonly endpoint: Endpoint
  readonly title: string
  readonly text?: string
  readonly button: string
  readonly isDanger?: boolean
  readonly confirm?: string
  readonly done?: string
  readonly fields?: Readonly<Record<string, FieldSpec>>
  /** Sent as it is; fields named here are not asked for. */
  readonly body?: unknown
  /** The call must come from the rows of another list: each variable of the path is chosen. */
  readonly choose?: Readonly<Record<string, Choices>>
  readonly query?: Readonly<Record<string, unknown>>
  /** Of a file: such as `.pem,.crt`. */
  readonly accept?: string
  readonly isDownload?: boolean
  readonly fileName?: string
  /** What is read again afterwards. */
  readonly reads?: readonly Endpoint[]
  readonly confirmWithin?: number
}

export const action = <E extends Endpoint>(
  spec: Omit<Action, 'endpoint' | 'fields' | 'choose' | 'body'> & {
    readonly endpoint: E
    readonly fields?: { readonly [K in Fields<E>]?: FieldSpec }
    readonly choose?: { readonly [K in Extract<keyof ParamsOf<E>, string>]?: Choices }
    readonly body?: BodyOf<E>
  },
): Action => spec as unknown as Action

/** A read shown as it is: a table where it is a list, labels and values where it is an object, text where it is text. */
export interface Read {
  readonly endpoint: Endpoint
  readonly title?: string
  readonly text?: string
  readonly rowsIn?: string
  readonly columns?: readonly (string | ColumnSpec)[]
  readonly fields?: Readonly<Record<string, FieldSpec>>
  /** Only these fields of an object. */
  readonly only?: readonly string[]
  readonly everyMs?: number
  readonly query?: Readonly<Record<string, unknown>>
  /** Fields of the query that the person fills in. */
  readonly asks?: readonly string[]
  /** The variables of the path are chosen from other lists. */
  readonly choose?: Readonly<Record<string, Choices>>
  readonly empty?: string
  readonly row?: readonly RowAction[]
  /** Only when asked for: the reply is secret or costs much. */
  readonly isOnRequest?: boolean
  readonly button?: string
}

type ShownFields<E, In> = RowOf<E, In> extends never ? Keys<ReplyOf<E>> : Keys<RowOf<E, In>>

export const read = <E extends Endpoint, const In extends string = ''>(
  spec: Omit<Read, 'endpoint' | 'rowsIn' | 'columns' | 'fields' | 'only' | 'query' | 'asks' | 'choose'> & {
    readonly endpoint: E
    readonly rowsIn?: In
    readonly columns?: readonly Column<RowOf<E, In>>[]
    readonly fields?: { readonly [K in ShownFields<E, In>]?: FieldSpec }
    readonly only?: readonly ShownFields<E, In>[]
    readonly query?: Partial<QueryOf<E>>
    readonly asks?: readonly Keys<QueryOf<E>>[]
    readonly choose?: { readonly [K in Extract<keyof ParamsOf<E>, string>]?: Choices }
  },
): Read => spec as unknown as Read

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
export const section = <S extends Endpoint, U extends Endpoint>(spec: SectionSpec<S, U>): Section =>
  spec as unknown as Section

interface Common {
  /** The state of the engine behind it: a list of status items. */
  readonly status?: Endpoint
  /** One sentence below the title. */
  readonly lead?: string
  /** Offer to put a change back unless kept within so many seconds. */
  readonly confirmWithin?: number
  readonly actions?: readonly Action[]
  readonly reads?: readonly Read[]
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
  const { status, lead, confirmWithin, actions, reads, ...own } = spec
  return {
    kind: 'settings',
    sections: [own as unknown as Section],
    ...(status === undefined ? {} : { status }),
    ...(lead === undefined ? {} : { lead }),
    ...(confirmWithin === undefined ? {} : { confirmWithin }),
    ...(actions === undefined ? {} : { actions }),
    ...(reads === undefined ? {} : { reads }),
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
  /** Where the list stands in the reply, when it is not the reply. */
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
  /** The name of the list in the stored configuration, such as `firewall.forward`, by which the journal finds changes. */
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

const commonNames = ['status', 'lead', 'confirmWithin', 'actions', 'reads'] as const

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
  return { kind: 'collection', ...common, collection: { ...own, isOrdered: false } as unknown as Collection }
}

/** The order of the rows matters: `endpoints` has `move` or `position`. */
export function orderedPage<
  L extends Endpoint,
  C extends Endpoint = L,
  U extends Endpoint = C,
  const In extends string = '',
>(spec: CollectionSpec<L, C, U, In>): CollectionPage {
  const { common, own } = split(spec)
  return { kind: 'ordered', ...common, collection: { ...own, isOrdered: true } as unknown as Collection }
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
    collection: { ...own, isOrdered } as unknown as Collection,
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
  toggles: toggles as unknown as Toggles,
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
    collection: { ...own, isOrdered: false } as unknown as Collection,
    inside: parts,
  }
}

export type ContractPage = CollectionPage | ProfilePage | StackPage
