// Many things in parts, each of which is one step of the keeper of sessions.

/** What one step takes: a millisecond or two. */
const atOnce = 256
/** Hosts that one request cuts: a network can have had more of them than applyd takes. */
export const cutAtOnce = 10_000

/** Of what is there now. */
export function* inParts<T>(all: Iterable<T>, most = atOnce): Generator<readonly T[]> {
  const now = [...all]
  for (let at = 0; at < now.length; at += most) yield now.slice(at, at + most)
}
