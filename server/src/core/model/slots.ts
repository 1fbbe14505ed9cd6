// Where an area keeps its configuration. A slot is a typed key into the one immutable Config value; areas read
// and write through it, and the store knows from it what to put on disk.

import type { Static, TObject, TSchema } from 'typebox'
import { noteWrite } from './origins.ts'
import { type Run, runsNoted } from './runs.ts'

export type ItemId = string | number

export interface Item {
  readonly id: ItemId
}

/** Settings or one item of a list as they were stored under an older version of their slot. */
export type StoredFields = Readonly<Record<string, unknown>>

/**
 * Turns settings, or one item of a list, of version n into version n + 1. Pure, total and never edited once released:
 * stored rows, old revisions and old backups are all read through it. It keeps the id and leaves secrets in their fields.
 */
export type UpgradeStep = (old: StoredFields) => StoredFields

/** One value, such as the settings of a module. */
export interface SingleSlot<T = unknown> {
  readonly kind: 'single'
  /** `<area>.<name>`: the key on disk, in diffs and in error fields. It never changes once released. */
  readonly key: string
  readonly schema: TSchema
  readonly initial: T
  /** From version 1 on, one step for each further version. */
  readonly upgrades?: readonly UpgradeStep[]
}

/** Many items in an order that is kept. Ids of a list are never used again. */
export interface ListSlot<T extends Item = Item> {
  readonly kind: 'list'
  readonly key: string
  readonly schema: TSchema
  readonly initial: readonly T[]
  /** As for settings; a step gets one item. */
  readonly upgrades?: readonly UpgradeStep[]
}

export type Slot = SingleSlot | ListSlot

/** The whole configuration: slot key to value. Frozen by convention; every change makes a new one. */
export type Config = Readonly<Record<string, unknown>>

/** The version that this release stores. */
export const versionOf = ({ upgrades = [] }: Pick<Slot, 'upgrades'>): number => 1 + upgrades.length

interface Upgradable {
  readonly upgrades?: readonly UpgradeStep[]
}

export const single = <S extends TSchema>(
  key: string,
  schema: S,
  initial: Static<S>,
  { upgrades = [] }: Upgradable = {},
): SingleSlot<Static<S>> => ({ kind: 'single', key, schema, initial, upgrades })

interface ListOptions<T> extends Upgradable {
  readonly initial?: readonly T[]
}

/** The last argument is the items that the list begins with, or those and the steps that bring older items up to date. */
export function list<S extends TObject>(
  key: string,
  schema: S,
  options: readonly (Static<S> & Item)[] | ListOptions<Static<S> & Item> = [],
): ListSlot<Static<S> & Item> {
  const { initial = [], upgrades = [] } = 'length' in options ? { initial: options } : options
  return { kind: 'list', key, schema, initial, upgrades }
}

export function read<T>(config: Config, slot: SingleSlot<T>): T
export function read<T extends Item>(config: Config, slot: ListSlot<T>): readonly T[]
export function read(config: Config, slot: Slot): unknown {
  return slot.key in config ? config[slot.key] : slot.initial
}

/** How many entries two lists have in common at the beginning and, of the others, at the end. */
export function commonEnds<T>(
  one: readonly T[],
  other: readonly T[],
  isSame: (a: T | undefined, b: T | undefined) => boolean = Object.is,
): readonly [head: number, tail: number] {
  const noted = isSame === Object.is ? runsNoted(other, one) : null
  if (noted !== null) return endsOf(noted, one.length, other.length)
  const shorter = Math.min(one.length, other.length)
  let head = 0
  // Mostly they are the very same, which needs no call for each of a hundred thousand.
  while (head < shorter && (one[head] === other[head] || isSame(one[head], other[head]))) head++
  const [end, otherEnd] = [one.length - 1, other.length - 1]
  let tail = 0
  while (tail < shorter - head) {
    const [a, b] = [one[end - tail], other[otherEnd - tail]]
    if (a !== b && !isSame(a, b)) break
    tail++
  }
  return [head, tail]
}

function endsOf(runs: readonly Run[], length: number, otherLength: number): readonly [head: number, tail: number] {
  const [first, last] = [runs[0], runs.at(-1)]
  const head = first?.at === 0 && first.from === 0 ? first.count : 0
  const isAtEnd = last !== undefined && last.at + last.count === otherLength && last.from + last.count === length
  return [head, isAtEnd && !(last === first && head > 0) ? last.count : 0]
}

/** Remembers the last result for as long as none of these slots changes. */
export function perState<T>(
  slots: readonly Pick<Slot, 'key'>[],
  compute: (config: Config) => T,
): (config: Config) => T {
  let last: { readonly values: readonly unknown[]; readonly result: T } | null = null
  return (config) => {
    if (last?.values.every((value, at) => value === config[slots[at]?.key ?? ''])) return last.result
    last = { values: slots.map(({ key }) => config[key]), result: compute(config) }
    return last.result
  }
}

export function write<T>(config: Config, slot: SingleSlot<T>, value: T): Config
export function write<T extends Item>(config: Config, slot: ListSlot<T>, value: readonly T[]): Config
export function write(config: Config, slot: Slot, value: unknown): Config {
  const next = { ...config, [slot.key]: value }
  noteWrite(config, next, slot.key)
  return next
}
