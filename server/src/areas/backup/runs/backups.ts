// The backups kept on this gateway: one sealed file each in a separate folder, with a small record beside it. Keeps, lists,
// opens and removes them; what goes into one, how it is restored and where it is uploaded is decided in the backup area.

import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GatewayError, notFound } from '../../../core/contract/error.ts'
import { syncFolder, writeDurably } from '../../../shared/files/durable-file.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import {
  ArchiveError,
  type ArchiveInfo,
  isBackupStart,
  magicLength,
  type OpenedArchive,
  openArchive,
  type Release,
  readInfo,
  sealArchive,
  type Trust,
} from './archive.ts'
import { type Measure, measureSync, writeChunks } from './file.ts'
import { RecoveryKeys } from './recovery-keys.ts'
import { openSigningKey, type SigningKey } from './signing-key.ts'
import type { Entries } from './tar.ts'

export interface StoredBackup extends ArchiveInfo, Measure {
  readonly id: string
  /** Unix seconds since when it is stored here; an uploaded backup may be much older itself. */
  readonly kept_since: number
  /** Made by the gateway at its hour. */
  readonly is_automatic: boolean
  /** Where it is to go beside here, and how that went. */
  readonly uploads?: Readonly<Partial<Record<UploadKind, UploadState>>>
}

export type UploadKind = 'ftp' | 'cifs'

export interface UploadState {
  readonly state: 'waiting' | 'done' | 'failed'
  /** Unix seconds of the last try. */
  readonly at: number
  /** Why it failed, in the administrator's words. */
  readonly message: SaidText
}

export interface BackupsOptions {
  readonly folder: string
  /** Not among the backups: a copy of those must not include the keys. */
  readonly keyFile: string
  readonly signingKeyFile: string
  readonly now: () => Date
  /** In milliseconds: by which backups become too old. */
  readonly aging: () => number
  readonly version: Release
  /** Whether backups may take more of the disk; absent: always. */
  readonly hasRoom?: () => boolean
}

interface MakeOptions {
  readonly isAutomatic?: boolean
  /** Where it is to go as well. */
  readonly uploads?: readonly UploadKind[]
}

/** Backups must never take the room that the configuration needs. */
const maxBackups = 500
const maxTotalBytes = 4 * 1024 * 1024 * 1024
/** Files that are on their way in; more would wait for each other's disk. */
const maxArriving = 2

const ending = '.backup'

export class Backups {
  readonly #folder: string
  readonly #now: () => Date
  readonly #aging: () => number
  readonly #hasRoom: () => boolean
  readonly #known = new Map<string, StoredBackup>()
  readonly #signing: SigningKey
  #turn: Promise<unknown> = Promise.resolve()
  #arriving = 0
  #automaticFailure: string | null = null
  readonly version: Release
  readonly keys: RecoveryKeys

  constructor({ folder, keyFile, signingKeyFile, now, aging, version, hasRoom = () => true }: BackupsOptions) {
    this.#folder = folder
    this.#hasRoom = hasRoom
    this.#now = now
    this.#aging = aging
    this.version = version
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.keys = new RecoveryKeys(keyFile)
    this.#signing = openSigningKey(signingKeyFile)
    this.#load()
  }

  /** Newest first. */
  list(): StoredBackup[] {
    return [...this.#known.values()].sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1))
  }

  find(id: string): StoredBackup {
    const found = this.#known.get(id)
    if (!found) throw notFound(say`backup with the id ${id.slice(0, 80)}`)
    return found
  }

  /** One at a time; `gather` runs when its turn has come. */
  create(comment: string, gather: () => Promise<Entries>, options: MakeOptions = {}): Promise<StoredBackup> {
    return this.#inTurn(async () => {
      const info = { version: this.version, timestamp: this.#seconds(), comment }
      const bytes = await sealArchive(info, await gather(), this.keys.own, this.#signing)
      const id = randomUUID()
      const measure = await this.#stage(id, [bytes])
      return this.#keep(id, info, measure, options)
    })
  }

  /** A file from elsewhere, checked as a whole before it is kept; `isFit` judges what it says of itself. */
  async add(
    chunks: AsyncIterable<Buffer>,
    isFit: (info: ArchiveInfo) => boolean,
  ): Promise<StoredBackup & Pick<OpenedArchive, 'isOwn'>> {
    if (this.#arriving >= maxArriving) {
      const message = say`${maxArriving} backups are already being received. Try again in a moment.`
      throw new GatewayError('too_many_requests', message, { retryAfterSeconds: 5 })
    }
    const id = randomUUID()
    this.#arriving++
    try {
      const measure = await this.#stage(id, sifted(chunks))
      return await this.#inTurn(async () => {
        const { info, isOwn } = await openArchive(this.#stagedOf(id), this.#trust, false)
        if (!isFit(info)) throw new ArchiveError('has an invalid description')
        return { ...(await this.#keep(id, info, measure)), isOwn }
      })
    } finally {
      this.#arriving--
      rmSync(this.#stagedOf(id), { force: true })
    }
  }

  /** Its file, to be sent on or uploaded. */
  async read(id: string): Promise<Readable> {
    const { id: own } = this.find(id)
    try {
      return (await open(this.#pathOf(own))).createReadStream()
    } catch (cause) {
      throw unreadable(cause)
    }
  }

  async open(id: string): Promise<OpenedArchive> {
    const { id: own } = this.find(id)
    try {
      return await openArchive(this.#pathOf(own), this.#trust)
    } catch (cause) {
      throw this.isRefusal(cause) ? cause : unreadable(cause)
    }
  }

  async remove(id: string): Promise<void> {
    const { id: own } = this.find(id)
    this.#known.delete(own)
    await rm(this.#pathOf(own), { force: true })
    await rm(this.#recordOf(own), { force: true })
  }

  /** Removes what is stored here longer than this many days. */
  async rotate(days: number): Promise<void> {
    const oldest = Math.floor(this.#aging() / 1000) - days * 86_400
    for (const { id, kept_since } of this.list()) if (kept_since < oldest) await this.remove(id)
  }

  /** Records how an upload ended. A backup that was removed since is skipped. */
  noteUpload(id: string, kind: UploadKind, state: Omit<UploadState, 'at'>): void {
    const known = this.#known.get(id)
    if (!known) return
    const noted = { ...known, uploads: { ...known.uploads, [kind]: { ...state, at: this.#seconds() } } }
    this.#known.set(id, noted)
    writeDurably(this.#recordOf(id), JSON.stringify(noted))
  }

  isRefusal(error: unknown): error is ArchiveError {
    return error instanceof ArchiveError
  }

  get automaticFailure(): string | null {
    return this.#automaticFailure
  }

  /** Why the last automatic backup failed; null when it did not. */
  noteAutomatic(failure: string | null): void {
    this.#automaticFailure = failure
  }

  get #trust(): Trust {
    const { keys } = this
    return { find: (id) => keys.find(id), ownKeyId: keys.show().id, ownSigner: this.#signing.name }
  }

  #seconds(): number {
    return this.#now().getTime() / 1000
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}${ending}`)
  }

  /** Where a file is until it is complete; what an interruption leaves is removed at the next start. */
  #stagedOf(id: string): string {
    return `${this.#pathOf(id)}.new`
  }

  #recordOf(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #stage(id: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<Measure> {
    try {
      return await writeChunks(this.#stagedOf(id), this.#whileRoom(chunks))
    } catch (cause) {
      rmSync(this.#stagedOf(id), { force: true })
      throw (cause as NodeJS.ErrnoException).syscall === undefined ? cause : notKept(cause)
    }
  }

  /** The room of the configuration is not for backups. */
  async *#whileRoom(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (!this.#hasRoom()) throw notKept(null)
      yield chunk
    }
  }

  /** The record goes first: a backup is there when its file is. */
  async #keep(id: string, info: ArchiveInfo, measure: Measure, options: MakeOptions = {}): Promise<StoredBackup> {
    try {
      const total = this.list().reduce((sum, { size }) => sum + size, measure.size)
      if (this.#known.size >= maxBackups || total > maxTotalBytes) {
        throw new GatewayError('conflict', say`There is no room for another backup. Delete some backups first.`)
      }
      const { isAutomatic: is_automatic = false, uploads = [] } = options
      const waiting: UploadState = { state: 'waiting', at: 0, message: '' }
      const kept: StoredBackup = {
        ...info,
        id,
        ...measure,
        kept_since: this.#seconds(),
        is_automatic,
        ...(uploads.length > 0 ? { uploads: Object.fromEntries(uploads.map((kind) => [kind, waiting])) } : {}),
      }
      writeDurably(this.#recordOf(id), JSON.stringify(kept))
      await rename(this.#stagedOf(id), this.#pathOf(id))
      syncFolder(this.#folder)
      this.#known.set(id, kept)
      return kept
    } catch (cause) {
      for (const path of [this.#pathOf(id), this.#stagedOf(id), this.#recordOf(id)]) rmSync(path, { force: true })
      throw cause instanceof GatewayError ? cause : notKept(cause)
    }
  }

  /** What a stop in the middle left behind is cleared away; a file without its record gets a new one. */
  #load(): void {
    const names = readdirSync(this.#folder)
    for (const name of names) {
      const id = name.endsWith(ending) ? name.slice(0, -ending.length) : null
      const record = id === null ? null : (this.#readRecord(id) ?? this.#recordFromFile(id))
      if (record) this.#known.set(record.id, record)
    }
    for (const name of names) {
      const isOrphan = name.endsWith('.json') && !this.#known.has(name.slice(0, -'.json'.length))
      if (isOrphan || name.endsWith('.new')) rmSync(join(this.#folder, name), { force: true })
    }
  }

  #readRecord(id: string): StoredBackup | null {
    try {
      const record = JSON.parse(readFileSync(this.#recordOf(id), 'utf8')) as StoredBackup
      return record.id === id ? record : null
    } catch {
      return null
    }
  }

  #recordFromFile(id: string): StoredBackup | null {
    const { start, ...measure } = measureSync(this.#pathOf(id))
    const info = readInfo(start)
    if (!info) return null
    const record = { ...info, id, ...measure, kept_since: this.#seconds(), is_automatic: false }
    try {
      writeDurably(this.#recordOf(id), JSON.stringify(record))
    } catch {
      // A full disk must not keep the gateway from starting; the next start makes it again.
    }
    return record
  }
}

const notKept = (cause: unknown): GatewayError =>
  new GatewayError('unavailable', say`The backup was not stored: the disk is full or failing.`, { cause })

const unreadable = (cause: unknown): GatewayError =>
  new GatewayError('unavailable', say`The file of the backup cannot be read.`, { cause })

/** A file that does not begin as a backup is refused at once, not after it was written to disk. */
async function* sifted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start) start = Buffer.concat([start, chunk])
    if (start && start.length < magicLength) continue
    if (start && !isBackupStart(start)) throw new ArchiveError('was not made by this product and version')
    yield start ?? chunk
    start = null
  }
  if (start) throw new ArchiveError('was not made by this product and version')
}
