// The pieces of bodies that are kept back until they are judged, with a limit for one body and one for all of them.

export interface HoldLimits {
  readonly oneBytes: number
  readonly allBytes: number
}

export class HoldRoom {
  readonly limits: HoldLimits
  #bytes = 0

  constructor(limits: HoldLimits) {
    this.limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  take(bytes: number): void {
    this.#bytes += bytes
  }
}

export class HeldBody {
  readonly #room: HoldRoom
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(room: HoldRoom) {
    this.#room = room
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether a further piece must not be kept. */
  get isFull(): boolean {
    return this.#bytes >= this.#room.limits.oneBytes || this.#room.bytes >= this.#room.limits.allBytes
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#room.take(piece.length)
  }

  /** The pieces, which are no longer kept. */
  release(): readonly Buffer[] {
    const pieces = this.#pieces
    this.#room.take(-this.#bytes)
    this.#pieces = []
    this.#bytes = 0
    return pieces
  }
}
