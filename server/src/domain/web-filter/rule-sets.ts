// The rules of a policy as sets of bits: which rules name a category, a source, a method, a type. A decision joins a few of
// them, so a thousand rules cost hardly more than ten. Pure, but for remembering what was computed.

import { parseAddress } from '../../shared/net/ipv4.ts'
import { contains, type Ranges } from '../../shared/net/ranges.ts'
import type { FilterPolicy, FilterRule, FilterUser } from './model.ts'

/** A bit for each rule, in order. */
export type Bits = Uint32Array

export interface RuleSets {
  readonly rules: readonly FilterRule[]
  readonly words: number
  /** Neither a method, nor a type, nor a redirection: what can be decided by the name of a server. */
  readonly atTls: Bits
  /** All but decryption. */
  readonly atRequest: Bits
  readonly allow: Bits
  readonly anyType: Bits
  readonly anyMethod: Bits
  /**
   * A set to work with, with the rules of another one or empty, valid until the same number is asked for again. A decision
   * would otherwise spend most of its time on making arrays.
   */
  scratch(number: number, from?: Bits): Bits
  addCategory(target: Bits, id: string): void
  sources(address: string, user: FilterUser | null): Bits
  times(seconds: number): Bits
  addMethod(target: Bits, method: string): void
  addType(target: Bits, type: string): void
}

const compiled = new WeakMap<FilterPolicy, RuleSets>()

export function ruleSetsOf(policy: FilterPolicy): RuleSets {
  const known = compiled.get(policy) ?? compile(policy.rules)
  compiled.set(policy, known)
  return known
}

export const setBit = (bits: Bits, at: number): void => {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31))
}

export const hasBit = (bits: Bits, at: number): boolean => ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0

export function addAll(target: Bits, other: Bits): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] as number) | (other[at] as number)
}

export function keepOnly(target: Bits, other: Bits): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] as number) & (other[at] as number)
}

/** The first rule of the set from `from` on; -1 without one. */
export function nextBit(bits: Bits, from: number): number {
  let word = from >>> 5
  if (word >= bits.length) return -1
  let rest = (bits[word] as number) & (-1 << (from & 31))
  while (rest === 0) {
    if (++word >= bits.length) return -1
    rest = bits[word] as number
  }
  return (word << 5) + (31 - Math.clz32(rest & -rest))
}

function compile(rules: readonly FilterRule[]): RuleSets {
  const words = Math.max(1, (rules.length + 31) >>> 5)
  const where = (holds: (rule: FilterRule) => boolean): Bits => {
    const bits = new Uint32Array(words)
    for (const [at, rule] of rules.entries()) if (holds(rule)) setBit(bits, at)
    return bits
  }
  const categories = listsBy(rules, words, ({ categories: ids }) => ids)
  const methods = listsBy(rules, words, (rule) => rule.methods)
  const types = listsBy(rules, words, ({ contentTypes }) => contentTypes)
  const scratches: Bits[] = []
  return {
    rules,
    words,
    atTls: where(({ access, contentTypes }) => access !== 'redirect' && contentTypes.length === 0),
    atRequest: where(({ access }) => access !== 'bump'),
    allow: where(({ access }) => access === 'allow'),
    anyType: where(({ contentTypes }) => contentTypes.length === 0),
    anyMethod: where((rule) => rule.methods.length === 0),
    scratch: (number, from) => {
      const bits = scratches[number] ?? new Uint32Array(words)
      scratches[number] = bits
      if (from === undefined) bits.fill(0)
      else bits.set(from)
      return bits
    },
    addCategory: (target, id) => categories.add(target, id),
    sources: sourceSets(rules, words),
    times: timeSets(rules, words),
    addMethod: (target, method) => methods.add(target, method),
    addType: (target, type) => {
      types.add(target, type)
      types.add(target, `${type.slice(0, type.indexOf('/'))}/*`)
    },
  }
}

/** Rules by a word they name: as numbers where they are few, as bits where they are many. */
function listsBy(rules: readonly FilterRule[], words: number, wordsOf: (rule: FilterRule) => readonly string[]) {
  const lists = new Map<string, number[]>()
  for (const [at, rule] of rules.entries())
    for (const word of wordsOf(rule)) {
      const list = lists.get(word)
      if (list === undefined) lists.set(word, [at])
      else if (list.at(-1) !== at) list.push(at)
    }
  const many = new Map<string, Bits>()
  for (const [word, list] of lists)
    if (list.length > words) {
      const bits = new Uint32Array(words)
      for (const at of list) setBit(bits, at)
      many.set(word, bits)
      lists.delete(word)
    }
  return {
    add(target: Bits, word: string): void {
      const bits = many.get(word)
      if (bits !== undefined) addAll(target, bits)
      else for (const at of lists.get(word) ?? []) setBit(target, at)
    },
  }
}

const mostSources = 2_048

/** By address and user: the same hosts ask again and again. */
function sourceSets(rules: readonly FilterRule[], words: number): RuleSets['sources'] {
  const everyone = new Uint32Array(words)
  const byRanges = new Map<Ranges, number[]>()
  for (const [at, { sources }] of rules.entries()) {
    if (sources.isAny) setBit(everyone, at)
    else if (sources.addresses.length > 0)
      byRanges.set(sources.addresses, [...(byRanges.get(sources.addresses) ?? []), at])
  }
  const members = listsBy(rules, words, ({ sources }) => (sources.isAny ? [] : sources.members))
  const known = new Map<string, Bits>()
  return (address, user) => {
    const key = user === null ? address : `${address} ${user.members.join(' ')}`
    const found = known.get(key)
    if (found !== undefined) return found
    const bits = everyone.slice()
    for (const member of user?.members ?? []) members.add(bits, member)
    const number = parseAddress(address)
    if (number !== null)
      for (const [ranges, list] of byRanges) if (contains(ranges, number)) for (const at of list) setBit(bits, at)
    if (known.size >= mostSources) known.clear()
    known.set(key, bits)
    return bits
  }
}

/** The set is the same until the next border of any time. */
function timeSets(rules: readonly FilterRule[], words: number): RuleSets['times'] {
  const always = new Uint32Array(words)
  const byRanges = new Map<Ranges, number[]>()
  for (const [at, { times }] of rules.entries()) {
    if (times === null) setBit(always, at)
    else byRanges.set(times, [...(byRanges.get(times) ?? []), at])
  }
  let [since, until] = [1, 0]
  let last = always
  return (seconds) => {
    if (byRanges.size === 0) return always
    if (seconds >= since && seconds <= until) return last
    last = always.slice()
    ;[since, until] = [0, Number.POSITIVE_INFINITY]
    for (const [ranges, list] of byRanges) {
      if (contains(ranges, seconds)) for (const at of list) setBit(last, at)
      const [from, to] = bordersAround(ranges, seconds)
      since = Math.max(since, from)
      until = Math.min(until, to)
    }
    return last
  }
}

/** First and last second around this one in which nothing changes. */
function bordersAround(ranges: Ranges, seconds: number): readonly [from: number, to: number] {
  let from = Number.NEGATIVE_INFINITY
  for (let at = 0; at < ranges.length; at += 2) {
    const [low, high] = [ranges[at] as number, ranges[at + 1] as number]
    if (seconds < low) return [from, low - 1]
    if (seconds <= high) return [low, high]
    from = high + 1
  }
  return [from, Number.POSITIVE_INFINITY]
}
