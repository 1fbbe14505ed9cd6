// The category database of the content filter: takes uploaded archives, has the index built by a worker, and answers questions
// from the index in use. What is in the lists and how the index is made is in web-filter/categories/.

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError, invalid } from '../../../core/contract/error.ts'
import { WorkerPool } from '../../../core/workers/pool.ts'
import type { buildTasks } from '../../../domain/web-filter/categories/build-worker.ts'
import { type OpenIndex, openCategoryIndex } from '../../../domain/web-filter/categories/file-index.ts'
import type { FolderNames } from '../../../domain/web-filter/categories/folders.ts'
import { IndexRefused, type SourceReport } from '../../../domain/web-filter/categories/format.ts'
import { describeInputs, type StarterList } from '../../../domain/web-filter/categories/inputs.ts'
import { ListsRefused } from '../../../domain/web-filter/categories/refused.ts'
import { keyBytes } from '../../../domain/web-filter/categories/siphash.ts'
import type { CategoryLookup } from '../../../domain/web-filter/model.ts'
import { syncFolder } from '../../../shared/files/durable-file.ts'
import { type SaidText, say } from '../../../shared/said.ts'

/** Millions of lines on a busy machine, and still an end for what hangs. */
const buildLimitMs = 30 * 60_000

export interface CategoryDatabaseOptions {
  /** `web-filter` of the state folder. */
  readonly folder: string
  readonly folders: FolderNames
  readonly starter: readonly StarterList[]
  readonly now: () => Date
  /** Bytes that may still be written without taking the room of the configuration. */
  readonly room: () => number
  readonly onFault: (error: unknown) => void
}

export interface DatabaseState {
  readonly state: 'ready' | 'building' | 'failed'
  /** Why the last build failed; empty otherwise. */
  readonly message: SaidText
  readonly entries: number
  readonly bytes: number
  /** Unix seconds; null without an index. */
  readonly builtAt: number | null
  /** Percent of the lists that are read; null when nothing is built. */
  readonly progress: number | null
  /** Where the operator puts lists. */
  readonly folder: string
  readonly sources: readonly SourceReport[]
}

export class CategoryDatabase {
  readonly #options: CategoryDatabaseOptions
  readonly #pool: WorkerPool<typeof buildTasks>
  readonly #listeners = new Set<(file: string) => void>()
  #index: OpenIndex | null = null
  /** Empty also before the first index, which every start builds. */
  #fault: SaidText = ''
  #starting: Promise<void> | null = null
  #building: Promise<void> | null = null
  #progress: Float64Array | null = null
  /** Lists changed while a build was running. */
  #isWanted = false
  #isReceiving = false
  #isClosed = false
  /** Answers from the index that is in use at the time of the question. */
  readonly lookup: CategoryLookup = { find: (request) => this.#index?.find(request) ?? [] }

  constructor(options: CategoryDatabaseOptions) {
    this.#options = options
    this.#pool = new WorkerPool({
      entry: new URL('../../../domain/web-filter/categories/build-worker.ts', import.meta.url),
      timeLimitMs: buildLimitMs,
    })
    this.#open()
  }

  /** The index, which the decision process reads. */
  get file(): string {
    return join(this.#options.folder, 'categories', 'current')
  }

  get #lists(): string {
    return join(this.#options.folder, 'lists')
  }

  /** A complete upload until an index was built with it, and the one that is in use. */
  #upload(name: 'arriving' | 'waiting' | 'archive'): string {
    return join(this.#options.folder, 'uploads', name)
  }

  state(): DatabaseState {
    const facts = this.#index?.facts
    const isFirst = this.#index === null && (this.#starting !== null || this.#fault === '')
    const isBuilding = this.#building !== null || isFirst
    const [done = 0, all = 0] = this.#progress ?? []
    return {
      state: isBuilding ? 'building' : this.#fault === '' ? 'ready' : 'failed',
      message: isBuilding ? '' : this.#fault,
      entries: facts?.entries ?? 0,
      bytes: facts?.bytes ?? 0,
      builtAt: facts?.builtAt ?? null,
      progress: isBuilding ? (all > 0 ? Math.min(100, Math.floor((done / all) * 100)) : 0) : null,
      folder: this.#lists,
      sources: facts?.table.sources ?? [],
    }
  }

  /** Called with the path of the index each time that a new one is in place. */
  onNew(listener: (file: string) => void): void {
    this.#listeners.add(listener)
  }

  /** At a start: builds when there is no index, when lists changed, or when an upload waits. Never rejects. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  async #start(): Promise<void> {
    if (this.#building || this.#isClosed) return
    try {
      if (!this.#isReceiving) rmSync(this.#upload('arriving'), { force: true })
      this.#makeFolders()
      const inputs = await describeInputs(this.#places())
      if (this.#index?.facts.table.inputs === inputs && !existsSync(this.#upload('waiting'))) this.#fault = ''
      else await this.build()
    } catch (error) {
      this.#noteFault(error)
    }
  }

  /** Builds a new index of all lists; resolves when it is in use or has failed, which the state shows. */
  build(): Promise<void> {
    if (this.#building) this.#isWanted = true
    this.#building ??= this.#buildWanted().finally(() => {
      this.#building = null
      this.#progress = null
    })
    return this.#building
  }

  /** Takes an archive of lists. Resolves when it is checked and on the disk; the index is built afterwards. */
  async receive(chunks: AsyncIterable<Buffer>, mayAct: () => void): Promise<void> {
    if (this.#isReceiving || (this.#building && existsSync(this.#upload('waiting')))) {
      throw new GatewayError(
        'conflict',
        say`Another archive is being received or built. Wait until the database is ready.`,
      )
    }
    this.#isReceiving = true
    const arriving = this.#upload('arriving')
    try {
      this.#makeFolders()
      await this.#store(arriving, chunks)
      await this.#check(arriving)
      mayAct()
      await rename(arriving, this.#upload('waiting'))
      syncFolder(join(this.#options.folder, 'uploads'))
    } finally {
      this.#isReceiving = false
      await rm(arriving, { force: true })
    }
    void this.build()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.close()
    await this.#building
    this.#index?.close()
    this.#index = null
  }

  #places() {
    const { folders, starter } = this.#options
    const found = (['waiting', 'archive'] as const).map((name) => this.#upload(name)).find((path) => existsSync(path))
    return { lists: this.#lists, archive: found ?? null, folders, starter }
  }

  async #buildWanted(): Promise<void> {
    do {
      this.#isWanted = false
      await this.#buildOnce()
    } while (this.#isWanted && !this.#isClosed)
  }

  async #buildOnce(): Promise<void> {
    const places = this.#places()
    const progress = new Float64Array(new SharedArrayBuffer(16))
    this.#progress = progress
    const isUpload = places.archive === this.#upload('waiting')
    try {
      this.#makeFolders()
      const builtAt = Math.floor(this.#options.now().getTime() / 1000)
      const target = { target: this.file, key: randomBytes(keyBytes), builtAt, mostBytes: this.#options.room() }
      await this.#pool.run('build', { ...places, ...target, progress }, { owner: 'build' })
      if (isUpload) await rename(this.#upload('waiting'), this.#upload('archive'))
      this.#fault = ''
      this.#open()
      for (const listener of this.#listeners) listener(this.file)
    } catch (error) {
      // Lists that cannot be used now cannot be used later; everything else is tried again at the next start.
      if (isUpload && error instanceof GatewayError && error.code === 'invalid')
        rmSync(this.#upload('waiting'), { force: true })
      this.#noteFault(error)
    }
  }

  #noteFault(error: unknown): void {
    if (this.#isClosed) return
    const isRefusal = error instanceof GatewayError || error instanceof IndexRefused || error instanceof ListsRefused
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    this.#fault = isRefusal
      ? error.message
      : say`The category index could not be built (${code}). The old one stays in use.`
    if (!isRefusal) this.#options.onFault(error)
  }

  #open(): void {
    try {
      const opened = openCategoryIndex(this.file)
      this.#index?.close()
      this.#index = opened
      this.#fault = ''
    } catch (error) {
      if (!(error instanceof IndexRefused)) throw error
      const isMissing = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
      this.#fault = isMissing ? '' : error.message
    }
  }

  /** On a gateway applyd makes them, with the groups that may read; a folder that is there keeps its mode. */
  #makeFolders(): void {
    for (const [name, mode] of [
      ['categories', 0o750],
      ['uploads', 0o700],
      ['lists', 0o755],
    ] as const) {
      const path = join(this.#options.folder, name)
      if (existsSync(path)) continue
      mkdirSync(path, { recursive: true, mode })
      chmodSync(path, mode)
    }
  }

  async #store(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    await using file = await open(path, 'w', 0o600)
    try {
      for await (const chunk of chunks) {
        if (this.#options.room() < chunk.length) throw noRoom(null)
        await file.writeFile(chunk)
      }
      await file.sync()
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : noRoom(error)
    }
  }

  async #check(path: string): Promise<void> {
    try {
      await this.#pool.run('check', { path, folders: this.#options.folders }, { owner: 'check' })
    } catch (error) {
      throw error instanceof GatewayError && error.code === 'invalid' ? invalid('body', error.message) : error
    }
  }
}

const noRoom = (cause: unknown): GatewayError =>
  new GatewayError('conflict', say`The archive cannot be stored: the disk of the gateway is full or failing.`, {
    cause,
  })
