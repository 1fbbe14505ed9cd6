// The backups kept on this gateway: one sealed file each in a folder of their own, beside it a small record. Keeps, lists,
// opens and removes them; what goes into one and how it is restored is decided in the backup area.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError, notFound } from '../contract/error.ts'
import {
  ArchiveError,
  type ArchiveInfo,
  type OpenedArchive,
  openArchive,
  type Release,
  readInfo,
  sealArchive,
} from './backup-archive.ts'
import { syncFolder, writeDurably } from './durable-file.ts'
import { RecoveryKeys } from './recovery-keys.ts'
import type { Entries } from './tar.ts'

export interface StoredBackup extends ArchiveInfo {
  readonly id: string
  /** A checksum to compare by eye; what proves a file is its seal. */
  readonly md5: string
  readonly size: number
  /** Unix seconds since when it lies here; an upload may be much older itself. */
  readonly kept_since: number
  /** Made by the gateway at its hour. */
  readonly is_automatic: boolean
}

export interface BackupsOptions {
  readonly folder: string
  /** Not among the backups: whoever copies those must not get it along. */
  readonly keyFile: string
  readonly now: () => Date
  readonly version: Release
}

/** Backups must never take the room that the configuration needs. */
const maxBackups = 500
const maxTotalBytes = 4 * 1024 * 1024 * 1024

const ending = '.backup'

export class Backups {
  readonly #folder: string
  readonly #now: () => Date
  readonly #known = new Map<string, StoredBackup>()
  #turn: Promise<unknown> = Promise.resolve()
  #automaticFailure: string | null = null
  readonly version: Release
  readonly keys: RecoveryKeys

  constructor({ folder, keyFile, now, version }: BackupsOptions) {
    this.#folder = folder
    this.#now = now
    this.version = version
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.keys = new RecoveryKeys(keyFile)
    this.#load()
  }

  /** Newest first. */
  list(): StoredBackup[] {
    return [...this.#known.values()].sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1))
  }

  find(id: string): StoredBackup {
    const found = this.#known.get(id)
    if (!found) throw notFound(`backup with the id ${id.slice(0, 80)}`)
    return found
  }

  /** One at a time; `gather` runs when its turn has come. */
  create(comment: string, gather: () => Promise<Entries>, isAutomatic = false): Promise<StoredBackup> {
    return this.#inTurn(async () => {
      const info = { version: this.version, timestamp: this.#seconds(), comment }
      return this.#keep(info, await sealArchive(info, await gather(), this.keys.own), isAutomatic)
    })
  }

  /** A file from elsewhere, opened before it is kept; `isFit` judges what it says of itself. */
  add(bytes: Buffer, isFit: (info: ArchiveInfo) => boolean): Promise<StoredBackup> {
    return this.#inTurn(async () => {
      const { info } = await openArchive(bytes, (id) => this.keys.find(id))
      if (!isFit(info)) throw new ArchiveError('does not describe itself as a backup must')
      return this.#keep(info, bytes)
    })
  }

  async read(id: string): Promise<Buffer> {
    const { id: own } = this.find(id)
    try {
      return await readFile(this.#pathOf(own))
    } catch (cause) {
      throw new GatewayError('unavailable', 'The file of the backup cannot be read.', { cause })
    }
  }

  async open(id: string): Promise<OpenedArchive> {
    return openArchive(await this.read(id), (key) => this.keys.find(key))
  }

  async remove(id: string): Promise<void> {
    const { id: own } = this.find(id)
    this.#known.delete(own)
    await rm(this.#pathOf(own), { force: true })
    await rm(this.#recordOf(own), { force: true })
  }

  /** Removes what lies here longer than so many days. */
  async rotate(days: number): Promise<void> {
    const oldest = this.#seconds() - days * 86_400
    for (const { id, kept_since } of this.list()) if (kept_since < oldest) await this.remove(id)
  }

  isRefusal(error: unknown): error is ArchiveError {
    return error instanceof ArchiveError
  }

  get automaticFailure(): string | null {
    return this.#automaticFailure
  }

  /** How the last automatic backup ended; null: well. */
  noteAutomatic(failure: string | null): void {
    this.#automaticFailure = failure
  }

  #seconds(): number {
    return this.#now().getTime() / 1000
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}${ending}`)
  }

  #recordOf(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  /** The record goes first: a backup is there when its file is. */
  async #keep(info: ArchiveInfo, bytes: Buffer, isAutomatic = false): Promise<StoredBackup> {
    const total = this.list().reduce((sum, { size }) => sum + size, bytes.length)
    if (this.#known.size >= maxBackups || total > maxTotalBytes) {
      throw new GatewayError('conflict', 'There is no room for a further backup. Delete some first.')
    }
    const id = randomUUID()
    const kept = { ...this.#describe(id, info, bytes), is_automatic: isAutomatic }
    try {
      writeDurably(this.#recordOf(id), JSON.stringify(kept))
      await writeFile(this.#pathOf(id), bytes)
      syncFolder(this.#folder)
    } catch (cause) {
      for (const path of [this.#pathOf(id), `${this.#pathOf(id)}.new`, this.#recordOf(id)])
        rmSync(path, { force: true })
      throw new GatewayError('unavailable', 'The backup was not kept: the disk is full or fails.', { cause })
    }
    this.#known.set(id, kept)
    return kept
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

  #describe(id: string, info: ArchiveInfo, bytes: Buffer): StoredBackup {
    const md5 = createHash('md5').update(bytes).digest('hex')
    return { ...info, id, md5, size: bytes.length, kept_since: this.#seconds(), is_automatic: false }
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
    const bytes = readFileSync(this.#pathOf(id))
    const info = readInfo(bytes)
    if (!info) return null
    const record = this.#describe(id, info, bytes)
    writeDurably(this.#recordOf(id), JSON.stringify(record))
    return record
  }
}

/** Like writeDurably, without holding up others while many megabytes are written. */
async function writeFile(path: string, bytes: Buffer): Promise<void> {
  const staged = `${path}.new`
  const file = await open(staged, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(staged, path)
}
