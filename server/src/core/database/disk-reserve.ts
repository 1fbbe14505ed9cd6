// Room that is kept on the disk of the state folder (docs/behaviour/storage.md): a file with real blocks. On a full disk it
// is given up for what must work there, such as signing in and out, and taken again when the disk has room.

import { randomFillSync } from 'node:crypto'
import { rmSync, statfsSync, statSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

const mostBytes = 64 * 1024 * 1024
/** On a small file system the reserve is this part of it. */
const shareOfDisk = 8
/** Beyond the reserve, this part of it must be free as well: one change takes more than it stores. */
const marginShare = 16
const writtenAtOnce = 1024 * 1024
const lookMilliseconds = 2_000

/** Bytes that this process can still write, and the size of the file system. */
export type MeasureDisk = (folder: string) => { readonly free: number; readonly total: number }

const measureDisk: MeasureDisk = (folder) => {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}

export interface DiskState {
  /** `low`: logs and backups take no more room. `full`: new changes are refused. */
  readonly state: 'enough' | 'low' | 'full'
  readonly freeBytes: number
  readonly totalBytes: number
  readonly reserveBytes: number
}

export class DiskReserve {
  readonly #path: string
  readonly #measure: MeasureDisk
  readonly #bytes: number
  #taking: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #isFailing = false
  /** Called with every look at the disk. */
  onLook: (state: DiskState['state']) => void = () => {}

  constructor(path: string, measure: MeasureDisk = measureDisk) {
    this.#path = path
    this.#measure = measure
    const wanted = Math.min(mostBytes, Math.floor(this.#measured().total / shareOfDisk))
    this.#bytes = Math.max(writtenAtOnce / 4, wanted - (wanted % 4096))
  }

  /** Takes the room, and takes it again whenever it was given up. */
  start(): void {
    const look = (): void => {
      this.onLook(this.state().state)
      void this.take()
    }
    this.#timer = setInterval(look, lookMilliseconds).unref()
    look()
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    await this.#taking
  }

  /** Whether a new change may be stored: what it takes must never be that of the reserve. */
  hasRoom(): boolean {
    return this.#room() >= this.#bytes + this.#bytes / marginShare
  }

  /** Whether logs and backups may grow: they leave as much again to the configuration. */
  hasRoomForLogs(): boolean {
    return this.#room() >= 2 * this.#bytes
  }

  state(): DiskState {
    const { free, total } = this.#measured()
    const isFull = this.#isFailing || !this.hasRoom()
    return {
      state: isFull ? 'full' : this.hasRoomForLogs() ? 'enough' : 'low',
      freeBytes: free,
      totalBytes: total,
      reserveBytes: this.#bytes,
    }
  }

  /** What the disk said to the last write, whatever it says of its room. */
  noteWrite(isDone: boolean): void {
    this.#isFailing = !isDone
  }

  /** Gives the room up; false when there is none to give. */
  release(): boolean {
    if (this.#held() === 0) return false
    try {
      truncateSync(this.#path)
    } catch {
      rmSync(this.#path, { force: true })
    }
    return true
  }

  /** Takes the room where the disk has more than that. */
  take(): Promise<void> {
    this.#taking ??= this.#fill()
      // The next look tries again.
      .catch(() => {})
      .finally(() => {
        this.#taking = null
      })
    return this.#taking
  }

  async #fill(): Promise<void> {
    const held = this.#held()
    if (held >= this.#bytes || this.#measured().free < (this.#bytes - held) * 1.25) return
    await using file = await open(this.#path, 'a', 0o600)
    // Random, because a file system may store zeros without using room. Others get their turn between the parts.
    const part = randomFillSync(Buffer.allocUnsafe(writtenAtOnce))
    for (let at = (await file.stat()).size; at < this.#bytes; at += part.length)
      await file.write(part.subarray(0, Math.min(part.length, this.#bytes - at)))
    await file.sync()
  }

  /** With what the reserve holds. */
  #room(): number {
    return this.#measured().free + this.#held()
  }

  #held(): number {
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    return stats ? Math.min(stats.size, stats.blocks * 512) : 0
  }

  #measured(): ReturnType<MeasureDisk> {
    return this.#measure(dirname(this.#path))
  }
}
