// The parts that pages are declared of: items, fields, columns, choices, actions and reads, typed by their calls. Pure data.

import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '@gateway/server/contract'
import type { ReactNode } from 'react'
import type { IconName } from '../ui/icons.ts'

/** An item as the renderers see it, whatever list it comes from. */
export type Item = Readonly<Record<string, unknown>>

type Erased<T> = T extends object ? T : never
/** The rows of a list: the reply itself, or what is in one of its fields. */
export type RowOf<L, In> = In extends keyof ReplyOf<L>
  ? ReplyOf<L>[In] extends readonly (infer Row)[]
    ? Erased<Row>
    : never
  : ReplyOf<L> extends readonly (infer Row)[]
    ? Erased<Row>
    : never

export type Keys<T> = T extends object ? Extract<keyof T, string> : never
/** Bodies that may also come as a list of one are meant as the one. */
export type Fields<E> = Keys<Exclude<BodyOf<E>, readonly unknown[]>>

/**
 * Cast: a page is checked against its endpoints here, where it is written; what renders it works with every endpoint and knows
 * none of them.
 */
export const checked = <T>(spec: object): T => spec as unknown as T

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
}): Choices => checked(spec)

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
  /** Of the entries of a list, by their index. */
  readonly problems: ReadonlyMap<number, string>
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
  /** More than a hint, below the field: what the draft means, or how values are written. */
  readonly help?: (item: Item) => ReactNode
}

export interface ColumnSpec {
  /** A field of the row, or any name where `text` or `cell` says what is in it. */
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

export type Column<Row> =
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
    checked(spec)

/** A page that is opened from a row. */
export const rowLink =
  <L extends Endpoint, const In extends string = ''>() =>
  (
    spec: Pick<RowAction, 'title' | 'icon' | 'keys'> & {
      readonly to: (row: RowOf<L, In>) => string
      readonly isShown?: (row: RowOf<L, In>) => boolean
    },
  ): RowAction =>
    checked(spec)

/** A call by itself: a button, with fields where it has a body, a file where it takes one. */
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
  /** Of the query: takes the name of the file. */
  readonly nameField?: string
  readonly isDownload?: boolean
  readonly fileName?: string
  /** What is read again afterwards. */
  readonly reads?: readonly Endpoint[]
  readonly confirmWithin?: number
  /** What the call answers says nothing to a person, such as ids. */
  readonly hidesReply?: boolean
}

export const action = <E extends Endpoint>(
  spec: Omit<Action, 'endpoint' | 'fields' | 'choose' | 'body' | 'nameField'> & {
    readonly endpoint: E
    readonly nameField?: Keys<QueryOf<E>>
    readonly fields?: { readonly [K in Fields<E>]?: FieldSpec }
    readonly choose?: { readonly [K in Extract<keyof ParamsOf<E>, string>]?: Choices }
    readonly body?: BodyOf<E>
  },
): Action => checked(spec)

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
): Read => checked(spec)
