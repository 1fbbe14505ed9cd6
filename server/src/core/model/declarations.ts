// A list or a settings object, declared once: how its ids are made, what it is called, what a body may leave out, what must
// hold, what it names and what is secret. Edits (lists.ts), whole-configuration verification and the search for users of an
// object (declared-rules.ts) and routes (core/area/routes.ts) follow from the declaration.

import { type SaidText, say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import type { Problem } from '../contract/error.ts'
import type { Config, Item, ItemId, ListSlot, SingleSlot, Slot } from './slots.ts'

// The functions below are declared as methods, so that declarations of different items fit into one array.

/** A field that names objects of other lists. */
export interface ReferenceField<T> {
  readonly field: string
  /** Faults name a list by position: `values[2]`. */
  readonly isList: boolean
  idsOf(value: T): readonly string[]
  /** The place of each of these ids by its index, where that is not `field[0]`, `field[1]` ... */
  placesOf?(value: T): (index: number) => string
  /** What is wrong with naming this id, or null. Absent: `problemsOf` decides. */
  faultOf?(config: Config, id: string, value: T): SaidText | null
  /** The lists its ids live in, when `faultOf` depends only on whether an id is there. Spares a look when nothing is removed. */
  readonly slots?: readonly ListSlot[]
  /** What `faultOf` looks at of an object in these lists, beside whether it is there: one of another kind is looked at again. */
  kindOf?(object: Item): unknown
  /** The field may hold `any`, which then must be its only value. */
  readonly allowsAny?: boolean
  /** What its ids begin with; absent: they can be of any kind. Spares a look at tens of thousands of items. */
  readonly prefixes?: readonly string[]
  /** The item is removed with the object it names. Otherwise the object cannot be removed. */
  readonly isRemovedAlong?: boolean
}

interface Declaration<T> {
  /**
   * What is wrong with a value, by the fields of its body. `config` already holds it; `current` is the stored value that it
   * replaces, null for a new one and the value itself when the whole configuration is verified.
   */
  problemsOf?(config: Config, value: T, current: T | null): readonly Problem[]
  readonly references?: readonly ReferenceField<T>[]
  /** Fields that hold sealed secrets; replies never show them. */
  readonly secrets?: readonly string[]
  /**
   * Other slots that decide whether a value is right. A list whose items depend on each other (a tree of groups) names its
   * own slot, and is then verified as a whole after every change of it.
   */
  readonly reads?: readonly Slot[]
}

export interface SettingsDeclaration<T extends object = object> extends Declaration<T> {
  readonly slot: SingleSlot<T>
  /** As in "The zone is used by VPN settings". */
  readonly noun: string
}

/** Where ids come from. */
export type IdKind =
  | { readonly kind: 'uuid' }
  /** 1, 2, 3 ...; `after` numbers are taken by built-in items. */
  | { readonly kind: 'number'; readonly after?: number }
  /** `ip.id.1`; with `isShownAsNumber` replies give the number, and paths may name it alone. */
  | {
      readonly kind: 'prefixed'
      readonly prefix: string
      readonly after?: number
      readonly isShownAsNumber?: boolean
    }
  /** The item brings its id along, as a signature its sid; the area adds it with `addTo`. */
  | { readonly kind: 'given' }

/** A value that only one item may have. */
export interface Unique<T> {
  readonly field: string
  /** Null for an item that takes nothing. */
  keyOf(item: T): string | null
  messageOf(item: T): SaidText
  /** Taken by something that is built in. */
  isTaken?(key: string): boolean
}

export interface ListDeclaration<T extends Item = Item> extends Declaration<T> {
  readonly slot: ListSlot<T>
  readonly ids: IdKind
  /** One item in words, as in "There is no VPN access rule with the id 7." */
  readonly noun: string
  /** One particular item; the noun and its id unless given. */
  nameOf?(item: T): string
  /** The id by which others name it; its own unless given. Numbers are not unique, so others cannot name them. */
  mentionedAs?(item: T): string
  /** Fields that a creation or a replacement may leave out. */
  readonly defaults?: object
  /** What is stored of a body, when that is not the body as it is. */
  fieldsOf?(body: object): object
  readonly unique?: readonly Unique<T>[]
  /**
   * What would be right if other items were not there. It looks at all other items for each item, so a list that can grow
   * beyond some thousands uses `unique`. `current` is as in `problemsOf`.
   */
  conflictsOf?(config: Config, item: T, current: T | null): readonly Problem[]
  /** What of a stored item cannot be changed, whatever to, such as the login of a user of a directory. */
  lockedOf?(item: T, current: T): readonly Problem[]
  /**
   * Items belong to an item of another list, as rules to their profile. The field holds the id of the owner and is not part
   * of bodies and replies: the path names the owner. Items are placed among those of the same owner, copied with it and
   * removed with it.
   */
  readonly owner?: { readonly field: string; readonly list: ListDeclaration }
  /** Items that always exist and cannot be changed or removed, shown before the stored ones: templates, a root group. */
  readonly builtIn?: readonly T[]
  /**
   * The configuration with the items that exist from the start. They are stored by the first change of the list; once they
   * are, this gives the configuration as it is.
   */
  complete?(config: Config): Config
}

/** The items are those of the slot; everything else is checked against them. */
export const declareList = <T extends Item>(
  list: { readonly slot: ListSlot<T> } & NoInfer<ListDeclaration<T>>,
): ListDeclaration<T> => list

export const declareSettings = <T extends object>(
  settings: { readonly slot: SingleSlot<T> } & NoInfer<SettingsDeclaration<T>>,
): SettingsDeclaration<T> => settings

type NamingOptions<T> = Omit<ReferenceField<T>, 'field' | 'isList' | 'idsOf'>

const noIds: readonly string[] = []

/** A field that holds a list of ids. */
export const names = <T extends object>(
  field: keyof T & string,
  options: NamingOptions<T> = {},
): ReferenceField<T> => ({
  ...options,
  field,
  isList: true,
  idsOf: (value) => (value[field] ?? noIds) as readonly string[],
})

/** A field that holds one id; null, '' and no field at all name nothing. */
export const namesOne = <T extends object>(
  field: keyof T & string,
  options: NamingOptions<T> = {},
): ReferenceField<T> => ({
  ...options,
  field,
  isList: false,
  idsOf: (value) => {
    const id = (value[field] ?? '') as string
    return id === '' ? noIds : [id]
  },
})

/** The fault of an id that must name an item of the list. */
export const mustExist =
  (noun: string, isThere: (config: Config, id: string) => boolean) =>
  (config: Config, id: string): SaidText | null =>
    isThere(config, id) ? null : say`There is no ${sayText(noun)} with the id ${id}.`

/** The fault of an id that must be of some kind, such as "a port object", and name an object. */
export const mustBeOfKind =
  (kind: string, isOfKind: (id: string) => boolean, isThere: (config: Config, id: string) => boolean) =>
  (config: Config, id: string): SaidText | null => {
    if (!isOfKind(id)) return say`${id} is not the id of ${sayText(kind)}.`
    return isThere(config, id) ? null : say`There is no object with the id ${id}.`
  }

/** The id of the item's owner. */
export const ownerOf = (item: Item, field: string): string => String((item as Item & Record<string, unknown>)[field])

export const nameOf = <T extends Item>(list: ListDeclaration<T>, item: T): string =>
  list.nameOf?.(item) ?? `${list.noun} ${item.id}`

/** Null when no other object can name it. */
export const mentionedAs = <T extends Item>(list: ListDeclaration<T>, item: T): string | null =>
  list.mentionedAs?.(item) ?? (list.ids.kind === 'number' ? null : String(item.id))

/** The id an item of this number gets. */
export function idOf(ids: IdKind, number: number): ItemId {
  if (ids.kind === 'uuid' || ids.kind === 'given') throw new Error('ids of this list are not numbers')
  const own = number + (ids.after ?? 0)
  return ids.kind === 'number' ? own : `${ids.prefix}.id.${own}`
}

/** An id as a path gives it: where ids are shown as numbers, the number alone will do. */
export const readId = ({ ids }: Pick<ListDeclaration, 'ids'>, given: ItemId): ItemId =>
  ids.kind === 'prefixed' && ids.isShownAsNumber && /^[1-9]\d*$/.test(String(given))
    ? `${ids.prefix}.id.${given}`
    : given

/** The configuration as edits and verification of the list see it. */
export const completed = (config: Config, { complete }: Pick<ListDeclaration, 'complete'>): Config =>
  complete?.(config) ?? config

/** The value `any`, where it may be named. */
export const any = 'any'
export const anyAlone = say`"any" cannot be combined with other values.`

/** Where a field may hold `any`, it must be the only value. */
export const anyProblems = (field: string, values: readonly string[]): Problem[] =>
  values.includes(any) && values.length > 1 ? [{ field, message: anyAlone }] : []
