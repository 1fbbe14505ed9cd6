// Many things in parts, each of which is one step of the keeper of sessions.

/** What one step takes: a millisecond or two. */
const atOnce = 256

/** Of what is there now. */
export function* inParts<T>(all: Iterable<T>): Generator<readonly T[]> {
  const now = [...all]
  for (let at = 0; at < now.length; at += atOnce) yield now.slice(at, at + atOnce)
}
