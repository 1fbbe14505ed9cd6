// The addresses behind objects whose content is not configuration: domains and countries. Each owner replaces its own
// entries; the compiler of the policy reads the whole book and is called when it changes.

type Entries = ReadonlyMap<string, readonly string[]>

export class AddressBook {
  readonly #owned = new Map<string, Entries>()
  readonly #listeners = new Set<() => void>()
  #current: Entries = new Map()

  /** By object id. Another value means another content, and an entry that did not change keeps its identity. */
  current(): Entries {
    return this.#current
  }

  /** Replaces all entries of the owner. Ids of two owners never collide: each has its own kinds. */
  set(owner: string, entries: Entries): void {
    const old = this.#owned.get(owner) ?? new Map()
    const kept = new Map([...entries].map(([id, addresses]) => [id, sameOr(old.get(id), addresses)]))
    if (old.size === kept.size && [...kept].every(([id, addresses]) => old.get(id) === addresses)) return
    this.#owned.set(owner, kept)
    this.#current = new Map([...this.#owned.values()].flatMap((owned) => [...owned]))
    for (const listener of this.#listeners) listener()
  }

  /** Returns what ends the listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const sameOr = (old: readonly string[] | undefined, addresses: readonly string[]): readonly string[] =>
  old?.length === addresses.length && old.every((address, index) => address === addresses[index]) ? old : addresses
