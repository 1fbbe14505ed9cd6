// What the decision process decides with: the three files of a plan and the index of categories. Everything is replaced at
// once; a file that cannot be used leaves what was there before, and the fault is shown until it is replaced.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { type CategoryIndex, noCategories } from '../domain/web-filter/categories/lookup.ts'
import { loadCategoryIndex } from '../domain/web-filter/categories/memory-index.ts'
import type { Deciding } from '../domain/web-filter/decide.ts'
import { type EntryTable, joinLookups, lookUpIn, tableOf } from '../domain/web-filter/entry-table.ts'
import type { CategoryLookup, FilterPolicy } from '../domain/web-filter/model.ts'
import {
  type FilterDictionary,
  parseDictionaries,
  parsePolicy,
  parseUserCategories,
} from '../domain/web-filter/policy-file.ts'

export interface PolicyPaths {
  readonly policy: string
  readonly userCategories: string
  readonly dictionaries: string
  /** The index of categories. */
  readonly index: string
}

/** Longer lists are compiled in another thread. */
const shortBytes = 64 * 1024

export interface LoadedPolicy {
  /** Of the three files. */
  readonly digest: string
  readonly policy: FilterPolicy
  readonly userCategories: CategoryLookup
  readonly dictionaries: readonly FilterDictionary[]
}

/** Throws a sentence where a file cannot be used. */
export async function loadPolicy({ policy, userCategories, dictionaries }: PolicyPaths): Promise<LoadedPolicy> {
  const texts = await Promise.all([policy, userCategories, dictionaries].map((path) => readFile(path)))
  const [policyText = Buffer.alloc(0), categoriesText = Buffer.alloc(0), dictionariesText = Buffer.alloc(0)] = texts
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}\n`).update(text)
  const parsed = usable('The policy', parsePolicy(policyText.toString()))
  const table = await compileEntries(categoriesText)
  return {
    digest: hash.digest('hex'),
    policy: parsed,
    userCategories: lookUpIn(table, (id) => parsed.names[id] ?? id),
    dictionaries: usable('The list of dictionaries', parseDictionaries(dictionariesText.toString())),
  }
}

function usable<T extends object>(what: string, value: T | string): T {
  if (typeof value === 'string') throw new Error(`${what} cannot be used. ${value}`)
  return value
}

/** Shared with the worker. */
export const compileText = (text: string): EntryTable =>
  tableOf(usable('The list of user categories', parseUserCategories(text)))

async function compileEntries(text: Buffer): Promise<EntryTable> {
  if (text.length <= shortBytes) return compileText(text.toString())
  const worker = new Worker(new URL('./compile-worker.ts', import.meta.url), { workerData: text.toString() })
  try {
    return await new Promise<EntryTable>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('The list of user categories could not be compiled.')))
    })
  } finally {
    void worker.terminate()
  }
}

export class PolicyFiles {
  readonly #paths: PolicyPaths
  readonly #onChange: () => void
  #loaded: LoadedPolicy | null = null
  #index: CategoryIndex | null = null
  #deciding: Deciding | null = null
  #policyFault: string | null = null
  #indexFault: string | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(paths: PolicyPaths, onChange: () => void = () => {}) {
    this.#paths = paths
    this.#onChange = onChange
  }

  /** Null before any file could be used. */
  get deciding(): Deciding | null {
    return this.#deciding
  }

  get loaded(): LoadedPolicy | null {
    return this.#loaded
  }

  get index(): CategoryIndex | null {
    return this.#index
  }

  get faults(): readonly string[] {
    return [this.#policyFault, this.#indexFault].filter((fault) => fault !== null)
  }

  /** The digest of what decides now, or why the earlier rules stay. */
  reload(): Promise<{ readonly digest: string } | { readonly fault: string }> {
    return this.#inTurn(async () => {
      try {
        const loaded = await loadPolicy(this.#paths)
        this.#loaded = loaded
        this.#policyFault = null
        this.#use()
        return { digest: loaded.digest }
      } catch (error) {
        const fault = wordsOf(error)
        this.#policyFault = this.#loaded ? `The rules could not be read, the earlier ones stay. ${fault}` : fault
        this.#onChange()
        return { fault }
      }
    })
  }

  reloadIndex(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        this.#index = await loadCategoryIndex(this.#paths.index)
        this.#indexFault = null
        this.#use()
      } catch (error) {
        const stays = this.#index ? ' The earlier one stays.' : ''
        this.#indexFault = `The index of categories could not be read. ${wordsOf(error)}${stays}`
        this.#onChange()
      }
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  #use(): void {
    if (this.#loaded) {
      const { policy, userCategories } = this.#loaded
      this.#deciding = { policy, categories: joinLookups(userCategories, this.#index ?? noCategories) }
    }
    this.#onChange()
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
