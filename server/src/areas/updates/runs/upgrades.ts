// Update packages on the side of gatewayd: takes an upload, checks its signature while it comes in, and shows what the last
// upgrade did. Installing is the work of root, which believes nothing of this.

import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError, invalid } from '../../../core/contract/error.ts'
import { syncFolder, writeDurably } from '../../../shared/files/durable-file.ts'
import {
  type CheckedPackage,
  PackageReader,
  RefusedPackage,
  type TrustedKeys,
} from '../../../shared/files/signed-package.ts'
import { say } from '../../../shared/said.ts'
import { findObstacle, type Installed } from '../../../upgrade/judge.ts'
import { runningName, type UpgradePlaces, uploadedName } from '../../../upgrade/places.ts'
import { readStatus, type UpgradeStatus } from '../../../upgrade/record.ts'
import { notAPackage } from '../../../upgrade/words.ts'

export interface UpgradesOptions {
  readonly places: UpgradePlaces
  /** Null when this program was not installed as a package. */
  readonly installed: () => Installed | null
  readonly keys: () => TrustedKeys
  /** Bytes that may still be written without taking the room of the configuration. */
  readonly room: () => number
  /** Where the last upgrade is noted that is in the audit trail. */
  readonly notedPath: string
}

export interface UpgradeState {
  readonly installed: Installed | null
  readonly uploaded: CheckedPackage | null
  readonly last: UpgradeStatus | null
}

const uploadedAbout = 'package.json'

export class Upgrades {
  readonly #options: UpgradesOptions
  #isReceiving = false

  constructor(options: UpgradesOptions) {
    this.#options = options
  }

  state(): UpgradeState {
    const last = this.last()
    // One that was just installed is removed when its end is noted; until then it must not be offered again.
    const isInstalled = last?.state === 'done' && !this.#isNoted(last)
    return { installed: this.#options.installed(), uploaded: isInstalled ? null : this.#uploaded(), last }
  }

  last(): UpgradeStatus | null {
    return readStatus(this.#options.places.status)
  }

  /** What is installed; refused where nothing can be. */
  requireInstalled(): Installed {
    const installed = this.#options.installed()
    if (installed === null) throw new GatewayError('conflict', notAPackage)
    return installed
  }

  /** Takes a package. Resolves when it is checked and on the disk; a refused or partial one leaves nothing. */
  async receive(chunks: AsyncIterable<Buffer>, mayAct: () => void): Promise<CheckedPackage> {
    const installed = this.requireInstalled()
    if (this.last()?.state === 'running') throw new GatewayError('conflict', running)
    if (this.#isReceiving) throw new GatewayError('conflict', say`Another package is being received. Try again later.`)
    this.#isReceiving = true
    const arriving = this.#path('arriving')
    try {
      const checked = await this.#store(arriving, chunks)
      const obstacle = findObstacle(checked, installed)
      if (obstacle !== null) throw invalid('body', obstacle)
      mayAct()
      // Without its description the file does not count.
      rmSync(this.#path(uploadedAbout), { force: true })
      chmodSync(arriving, 0o644)
      await rename(arriving, this.#path(uploadedName))
      writeDurably(this.#path(uploadedAbout), JSON.stringify(checked))
      syncFolder(this.#options.places.incoming)
      return checked
    } catch (error) {
      throw error instanceof RefusedPackage ? invalid('body', error.message) : error
    } finally {
      this.#isReceiving = false
      await rm(arriving, { force: true })
    }
  }

  /** Tells root's watch over an upgrade which process this is, and whether its configuration is in force. */
  report(revision: number, isApplied: boolean, version: string): void {
    const report = { pid: process.pid, version, revision, is_applied: isApplied }
    writeDurably(this.#path(runningName), JSON.stringify(report))
  }

  /** The last upgrade, once after its end; a package that was installed is removed. */
  takeEnd(): UpgradeStatus | null {
    const last = this.last()
    if (last === null || last.state === 'running' || this.#isNoted(last)) return null
    writeDurably(this.#options.notedPath, last.id)
    if (last.state === 'done') this.#drop()
    return last
  }

  #isNoted({ id }: UpgradeStatus): boolean {
    return readText(this.#options.notedPath) === id
  }

  #drop(): void {
    for (const name of [uploadedAbout, uploadedName]) rmSync(this.#path(name), { force: true })
  }

  #path(name: string): string {
    return join(this.#options.places.incoming, name)
  }

  #uploaded(): CheckedPackage | null {
    try {
      return JSON.parse(readText(this.#path(uploadedAbout)) ?? 'null') as CheckedPackage | null
    } catch {
      // Damaged, so nothing is uploaded: it can be uploaded again.
      return null
    }
  }

  async #store(path: string, chunks: AsyncIterable<Buffer>): Promise<CheckedPackage> {
    const reader = new PackageReader(this.#options.keys())
    const first = new Beginning()
    rmSync(path, { force: true })
    await using file = await openNew(path)
    for await (const chunk of chunks) {
      first.add(chunk)
      try {
        reader.push(chunk)
      } catch (error) {
        // An image shows what it is only after 32 kB.
        if (first.isFull || !(error instanceof RefusedPackage)) throw first.isImage() ? imageRefused() : error
        await first.fill(chunks)
        throw first.isImage() ? imageRefused() : error
      }
      if (this.#options.room() < chunk.length) throw noRoom(null)
      await file.writeFile(chunk).catch((error: unknown) => {
        throw noRoom(error)
      })
    }
    const checked = reader.finish()
    await file.sync()
    return checked
  }
}

const running = say`An upgrade is running. Wait until it has ended.`

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    throw noRoom(error)
  }
}

const noRoom = (cause: unknown): GatewayError =>
  new GatewayError('unavailable', say`The package cannot be stored: the disk is full or failing.`, {
    cause: cause instanceof Error ? cause.message : undefined,
  })

const imageRefused = (): GatewayError =>
  invalid('body', say`The file is an ISO image. Updates of this gateway are signed packages (.deb).`)

/** ISO 9660: the first volume descriptor is in sector 16, its name after the type byte. */
const imageMark = Buffer.from('CD001')
const imageMarkAt = 16 * 2048 + 1

/** The first bytes of an upload, as far as an image needs them. */
class Beginning {
  #bytes = Buffer.alloc(0)

  get isFull(): boolean {
    return this.#bytes.length >= imageMarkAt + imageMark.length
  }

  add(chunk: Buffer): void {
    if (!this.isFull) this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(0, imageMarkAt + imageMark.length)
  }

  async fill(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) {
      this.add(chunk)
      if (this.isFull) return
    }
  }

  isImage(): boolean {
    return this.#bytes.subarray(imageMarkAt).equals(imageMark)
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
