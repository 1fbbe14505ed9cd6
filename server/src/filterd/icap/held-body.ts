// The pieces of bodies that are kept back until they are judged, with a limit for one body, one for all of a client and one for
// all of them: a client that has many bodies kept back fills its own share, not that of others.

export interface HoldLimits {
  readonly oneBytes: number
  readonly clientBytes: number
  readonly allBytes: number
}

export class HoldRoom {
  readonly limits: HoldLimits
  readonly #clients = new Map<string, number>()
  #bytes = 0

  constructor(limits: HoldLimits) {
    this.limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  of(client: string): number {
    return this.#clients.get(client) ?? 0
  }

  take(client: string, bytes: number): void {
    this.#bytes += bytes
    const now = this.of(client) + bytes
    if (now === 0) this.#clients.delete(client)
    else this.#clients.set(client, now)
  }
}

export class HeldBody {
  readonly #room: HoldRoom
  readonly #client: string
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(room: HoldRoom, client: string) {
    this.#room = room
    this.#client = client
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether a further piece must not be kept. */
  get isFull(): boolean {
    const { oneBytes, clientBytes, allBytes } = this.#room.limits
    return this.#bytes >= oneBytes || this.#room.of(this.#client) >= clientBytes || this.#room.bytes >= allBytes
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#room.take(this.#client, piece.length)
  }

  /** The pieces, which are no longer kept. */
  release(): readonly Buffer[] {
    const pieces = this.#pieces
    this.#room.take(this.#client, -this.#bytes)
    this.#pieces = []
    this.#bytes = 0
    return pieces
  }
}
