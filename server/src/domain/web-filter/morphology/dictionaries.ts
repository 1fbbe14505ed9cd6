// Dictionaries compiled to one automaton over stems (Aho and Corasick): a word of a page costs one step, however many words
// and dictionaries there are. A page has a score with the sum of weights for each dictionary.

import { stemOf } from './stems.ts'
import { wordsOf } from './words.ts'

/** The form of the file of dictionaries, whose words have a weight of 0 or more. */
export interface WordDictionary {
  readonly id: string
  readonly title: string
  readonly threshold: number
  readonly words: readonly { readonly value: string; readonly weight: number }[]
}

/** More nodes than stems can ever be. */
const stemSpace = 2 ** 24
const maxKnownWords = 65_536
const wordsASlice = 2_000

interface Found {
  readonly dictionary: number
  readonly weight: number
}

export class CompiledDictionaries {
  readonly dictionaries: readonly WordDictionary[]
  readonly #stems = new Map<string, number>()
  /** From a node by a stem; the key is both. Node 0 is the root. */
  readonly #edges = new Map<number, number>()
  readonly #found: Found[][] = [[]]
  readonly #fails: number[] = [0]
  /** The longest proper suffix that ends an entry. */
  readonly #shorter: number[] = [0]
  /** Words of pages with their stems, 0 for one of no dictionary. */
  readonly #known = new Map<string, number>()

  private constructor(dictionaries: readonly WordDictionary[]) {
    this.dictionaries = dictionaries
  }

  /** `pause` is waited for between slices. */
  static async compile(
    dictionaries: readonly WordDictionary[],
    pause: () => Promise<void>,
  ): Promise<CompiledDictionaries> {
    const compiled = new CompiledDictionaries(dictionaries)
    const levels: [parent: number, stem: number, child: number][][] = []
    let done = 0
    for (const [dictionary, { words }] of dictionaries.entries()) {
      for (const { value, weight } of words) {
        if (weight > 0) compiled.#add(dictionary, weight, value, levels)
        if (++done % wordsASlice === 0) await pause()
      }
    }
    for (const level of levels) {
      for (const [parent, stem, child] of level) {
        const fail = parent === 0 ? 0 : compiled.#step(compiled.#fails[parent] ?? 0, stem)
        compiled.#fails[child] = fail
        compiled.#shorter[child] = (compiled.#found[fail]?.length ?? 0) > 0 ? fail : (compiled.#shorter[fail] ?? 0)
        if (++done % wordsASlice === 0) await pause()
      }
    }
    return compiled
  }

  #add(dictionary: number, weight: number, value: string, levels: [number, number, number][][]): void {
    const stems = wordsOf(value).map((word) => this.#numberOf(stemOf(word)))
    if (stems.length === 0) return
    let node = 0
    for (const [depth, stem] of stems.entries()) {
      const key = node * stemSpace + stem
      const known = this.#edges.get(key)
      const next = known ?? this.#found.length
      if (known === undefined) {
        this.#edges.set(key, next)
        this.#found.push([])
        this.#fails.push(0)
        this.#shorter.push(0)
        levels[depth] ??= []
        levels[depth]?.push([node, stem, next])
      }
      node = next
    }
    const found = this.#found[node] ?? []
    const same = found.findIndex((one) => one.dictionary === dictionary)
    // Two forms of one word are found at the same place: the larger weight counts, once.
    if (same < 0) found.push({ dictionary, weight })
    else found[same] = { dictionary, weight: Math.max(weight, found[same]?.weight ?? 0) }
  }

  #numberOf(stem: string): number {
    const known = this.#stems.get(stem)
    if (known !== undefined) return known
    this.#stems.set(stem, this.#stems.size + 1)
    return this.#stems.size
  }

  #step(from: number, stem: number): number {
    for (let node = from; ; node = this.#fails[node] ?? 0) {
      const next = this.#edges.get(node * stemSpace + stem)
      if (next !== undefined) return next
      if (node === 0) return 0
    }
  }

  /** The node after a word, from that before it; `onFound` gets what ends there. */
  next(from: number, word: string, onFound: (found: Found) => void): number {
    let stem = this.#known.get(word)
    if (stem === undefined) {
      stem = this.#stems.get(stemOf(word)) ?? 0
      if (this.#known.size >= maxKnownWords) this.#known.clear()
      this.#known.set(word, stem)
    }
    if (stem === 0) return 0
    const node = this.#step(from, stem)
    for (let end = node; end !== 0; end = this.#shorter[end] ?? 0)
      for (const found of this.#found[end] ?? []) onFound(found)
    return node
  }
}

/** The running text and the texts of attributes: phrases do not go from one to the other. */
export type Lane = 0 | 1

export class PageScore {
  readonly #compiled: CompiledDictionaries
  readonly #sums: Float64Array
  readonly #nodes: [number, number] = [0, 0]
  #reached: WordDictionary | null = null

  constructor(compiled: CompiledDictionaries) {
    this.#compiled = compiled
    this.#sums = new Float64Array(compiled.dictionaries.length)
  }

  /** The first dictionary whose threshold was reached. */
  get reached(): WordDictionary | null {
    return this.#reached
  }

  add(lane: Lane, word: string): void {
    this.#nodes[lane] = this.#compiled.next(this.#nodes[lane], word, this.#onFound)
  }

  readonly #onFound = ({ dictionary, weight }: Found): void => {
    const sum = (this.#sums[dictionary] ?? 0) + weight
    this.#sums[dictionary] = sum
    const one = this.#compiled.dictionaries[dictionary]
    // With a threshold of 0 any word with a weight is enough, and a weight is a whole number.
    if (one !== undefined && this.#reached === null && sum >= Math.max(1, one.threshold)) this.#reached = one
  }
}
