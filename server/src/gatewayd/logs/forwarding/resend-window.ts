// What must be sent again when a connection breaks. An acknowledged byte is in the kernel of the collector, not yet in its
// files: it may wait in the receive buffer, or in the memory of the collector. So the last part counts as delivered only when
// enough was acknowledged after it. Duplicates are bounded by the same numbers.

interface Delivered {
  /** The place before its first record. */
  readonly before: number
  readonly bytes: number
  /** Seconds at which its first and its last record were acknowledged. */
  readonly since: number
  readonly until: number
}

/** The most that a receive buffer of a collector on Linux holds unless it was set up otherwise (tcp(7), tcp_rmem). */
export const bufferBytes = 6 * 1024 * 1024
/** A collector that closes the connection has read all; within this time it has it on its disk as well. */
export const memorySeconds = 10
/** Smaller deliveries of one second are kept as one. */
const smallBytes = 64 * 1024

export class ResendWindow {
  readonly #delivered: Delivered[] = []
  #bytes = 0

  add(before: number, bytes: number, now: number): void {
    const last = this.#delivered.at(-1)
    this.#bytes += bytes
    if (last && now - last.since < 1 && last.bytes + bytes <= smallBytes)
      this.#delivered[this.#delivered.length - 1] = { ...last, bytes: last.bytes + bytes, until: now }
    else this.#delivered.push({ before, bytes, since: now, until: now })
    for (
      let first = this.#delivered[0];
      first && this.#bytes - first.bytes >= bufferBytes;
      first = this.#delivered[0]
    ) {
      this.#bytes -= first.bytes
      this.#delivered.shift()
    }
  }

  /** The place to go on from after a break; null when nothing has to be sent again. */
  resumeAt(wasClosed: boolean, now: number): number | null {
    const first = wasClosed ? this.#delivered.find(({ until }) => now - until <= memorySeconds) : this.#delivered[0]
    return first?.before ?? null
  }

  clear(): void {
    this.#delivered.length = 0
    this.#bytes = 0
  }
}
