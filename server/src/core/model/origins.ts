// From which configuration one was made, and by which slots they can differ. A configuration has hundreds of slots and a change
// touches one or two: who knows which ones need not compare all of them, several times for each change.

/** Frozen by convention, as slots.ts says. */
type Config = object

interface Origin {
  /** Weak: otherwise every configuration would keep all those before it. */
  readonly from: WeakRef<Config>
  readonly keys: readonly string[]
  /** Made within an edit, from a configuration that no one will ask about. */
  readonly isDraft: boolean
}

const origins = new WeakMap<Config, Origin>()

/** Beyond this comparing all of them is as fast. */
const mostKeys = 16

/** `next` is `config` with another value in one slot. */
export function noteWrite(config: Config, next: Config, key: string): void {
  const known = origins.get(config)
  if (known?.isDraft) {
    const keys = known.keys.includes(key) ? known.keys : [...known.keys, key]
    if (keys.length <= mostKeys) origins.set(next, { from: known.from, keys, isDraft: true })
    return
  }
  origins.set(next, { from: new WeakRef(config), keys: [key], isDraft: true })
}

/** `next` is what follows `config`, and differs from it in these slots only. */
export function noteSuccessor(config: Config, next: Config, keys: readonly string[]): void {
  if (keys.length <= mostKeys) origins.set(next, { from: new WeakRef(config), keys, isDraft: false })
}

/** The slots in which one can differ from the other; null when that is not known. */
export function slotsTouched(from: Config, to: Config): readonly string[] | null {
  if (from === to) return []
  const origin = origins.get(to)
  return origin?.from.deref() === from ? origin.keys : null
}
