// Which blocked events were told before. A signature that looks at single packets drops the packet and not the connection: its
// sender sends it again, and the engine reports each one. What was only reported passed, so it is told every time.

/** A few of each connection of a busy gateway. */
const mostEvents = 100_000

/** What tells events apart. */
interface Told {
  /** Number of the connection in the engine; empty: none. */
  readonly flowId: string
  readonly gid: number
  readonly sid: number
  /** Number of the application, or null for a signature. */
  readonly application: number | null
  readonly isBlocked: boolean
}

export class SeenEvents {
  readonly #most: number
  /** Those that were seen last are at the end. */
  readonly #keys = new Set<string>()
  /** Goes along with removals: to begin from the first one each time would step over all that were removed. */
  #oldest: Iterator<string> | null = null

  constructor(most = mostEvents) {
    this.#most = most
  }

  /** Remembers the event. An application has several rules, of which one is enough. */
  isRepeated({ flowId, gid, sid, application, isBlocked }: Told): boolean {
    if (flowId === '' || !isBlocked) return false
    const key = `${flowId} ${gid} ${application === null ? sid : `application ${application}`}`
    const isKnown = this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size > this.#most) {
      this.#oldest ??= this.#keys.values()
      this.#keys.delete(this.#oldest.next().value ?? '')
    }
    return isKnown
  }
}
