// Which rules of a table never decide or could go, and because of which others. Every rule is compared with every other
// that could matter: rules are grouped by their conditions other than addresses, and a look at the outer bounds of the
// addresses in flat arrays comes before any real comparison. Pure.

import { covers, type Ranges, unite } from '../../shared/net/ranges.ts'
import {
  type AddressField,
  coversFrame,
  frameKey,
  holdsAddresses,
  holdsField,
  isEmpty,
  overlapsShape,
  type Shape,
} from './hygiene-shape.ts'

/** `inner` is covered by `outer`. */
export interface Covered {
  readonly inner: Shape
  readonly outer: readonly Shape[]
  /** The covering rules are asked first, so the rule never decides; otherwise one asked later would do the same. */
  readonly isDead: boolean
}

/** More rules than this together do not explain anything. */
const maxTogether = 64
/** Joining longer lists would take longer than all else. */
const maxJoined = 20_000

/** Shapes in the order in which rules are asked: the log table is turned round. */
export function findCovered(shapes: readonly Shape[]): Covered[] {
  const table = arrange(shapes.filter((shape) => !isEmpty(shape)))
  const found: Covered[] = []
  const dead = new Set<Shape>()
  for (const [at, inner] of table.shapes.entries()) {
    const outer = findEarlier(table, at)
    if (outer === null) continue
    dead.add(inner)
    found.push({ inner, outer, isDead: true })
  }
  for (const [at, inner] of table.shapes.entries()) {
    const outer = dead.has(inner) ? null : findLater(table, at, dead)
    if (outer !== null) found.push({ inner, outer: [outer], isDead: false })
  }
  return found
}

/** Rules that differ in nothing but addresses, by their places in the table. */
interface Frame {
  readonly example: Shape
  readonly places: number[]
  /** Frames whose conditions hold wherever this one's do; found when first asked for. */
  wider: readonly Frame[] | null
}

interface Table {
  readonly shapes: readonly Shape[]
  readonly frames: readonly Frame[]
  readonly frameOf: readonly Frame[]
  /** Destination ports of the frames. */
  readonly portLow: Uint16Array
  readonly portHigh: Uint16Array
  readonly sourceLow: Uint32Array
  readonly sourceHigh: Uint32Array
  readonly targetLow: Uint32Array
  readonly targetHigh: Uint32Array
  /** Equal for equal effects. */
  readonly effects: Uint32Array
  /** 1 for rules that also match IPv6. */
  readonly ipv6: Uint8Array
}

function arrange(shapes: readonly Shape[]): Table {
  const frames = new Map<string, Frame>()
  const frameOf = shapes.map((example, at) => {
    const key = frameKey(example)
    const frame = frames.get(key) ?? { example, places: [], wider: null }
    frame.places.push(at)
    frames.set(key, frame)
    return frame
  })
  const effects = new Map<string, number>()
  for (const { effect } of shapes) if (!effects.has(effect)) effects.set(effect, effects.size)
  const low = (ranges: Ranges): number => ranges[0] ?? 0
  const high = (ranges: Ranges): number => ranges.at(-1) ?? 0
  return {
    shapes,
    frames: [...frames.values()],
    frameOf,
    portLow: Uint16Array.from(frames.values(), ({ example }) => low(example.destinationPorts)),
    portHigh: Uint16Array.from(frames.values(), ({ example }) => high(example.destinationPorts)),
    sourceLow: Uint32Array.from(shapes, ({ source }) => low(source)),
    sourceHigh: Uint32Array.from(shapes, ({ source }) => high(source)),
    targetLow: Uint32Array.from(shapes, ({ destination }) => low(destination)),
    targetHigh: Uint32Array.from(shapes, ({ destination }) => high(destination)),
    effects: Uint32Array.from(shapes, ({ effect }) => effects.get(effect) ?? 0),
    ipv6: Uint8Array.from(shapes, ({ takesIpv6 }) => (takesIpv6 ? 1 : 0)),
  }
}

function widerFrames({ frames, frameOf, portLow, portHigh }: Table, at: number): readonly Frame[] {
  const frame = frameOf[at] as Frame
  if (frame.wider !== null) return frame.wider
  const ports = frame.example.destinationPorts
  const [from, to] = [ports[0] as number, ports.at(-1) as number]
  frame.wider = frames.filter(
    ({ example }, i) =>
      (portLow[i] as number) <= from && (portHigh[i] as number) >= to && coversFrame(example, frame.example),
  )
  return frame.wider
}

/** The first rule that covers this one, or several that do together in one address field. Null when packets are left. */
function findEarlier(table: Table, at: number): readonly Shape[] | null {
  const { shapes, sourceLow, sourceHigh, targetLow, targetHigh } = table
  const inner = shapes[at] as Shape
  const [sourceFrom, sourceTo] = [sourceLow[at] as number, sourceHigh[at] as number]
  const [from, to] = [targetLow[at] as number, targetHigh[at] as number]
  const parts: Record<AddressField, number[]> = { source: [], destination: [] }
  let first = at
  for (const { places } of widerFrames(table, at))
    for (const i of places) {
      if (i >= first) break
      if ((targetLow[i] as number) > to || (targetHigh[i] as number) < from) continue
      if ((sourceLow[i] as number) > sourceTo || (sourceHigh[i] as number) < sourceFrom) continue
      const holdsSource = (sourceLow[i] as number) <= sourceFrom && (sourceHigh[i] as number) >= sourceTo
      const holdsTarget = (targetLow[i] as number) <= from && (targetHigh[i] as number) >= to
      const outer = shapes[i] as Shape
      if (holdsSource && holdsTarget && holdsAddresses(outer, inner)) {
        first = i
        break
      }
      if (holdsSource && canJoin(outer, 'destination', parts) && holdsField(outer, inner, 'source'))
        parts.destination.push(i)
      if (holdsTarget && canJoin(outer, 'source', parts) && holdsField(outer, inner, 'destination'))
        parts.source.push(i)
    }
  if (first < at) return [shapes[first] as Shape]
  const inOrder = (field: AddressField) => parts[field].toSorted((a, b) => a - b).map((i) => shapes[i] as Shape)
  return joinParts(inner, 'destination', inOrder('destination')) ?? joinParts(inner, 'source', inOrder('source'))
}

/** Where users are is not known, so that a list of them fills no gap between others. */
const canJoin = ({ live }: Shape, field: AddressField, parts: Readonly<Record<AddressField, readonly number[]>>) =>
  live[field] === null && parts[field].length < maxTogether

/** The first rules that are enough together, without those that add nothing. */
function joinParts(inner: Shape, field: AddressField, parts: readonly Shape[]): readonly Shape[] | null {
  if (parts.length < 2 || (inner.takesIpv6 && !parts.some(({ takesIpv6 }) => takesIpv6))) return null
  if (parts.reduce((sum, part) => sum + part[field].length, 0) > maxJoined) return null
  if (!covers(unite(parts.map((part) => part[field])), inner[field])) return null
  const needed: Shape[] = []
  let joined: Ranges = []
  let lacksIpv6 = inner.takesIpv6
  for (const part of parts) {
    if (covers(joined, part[field]) && !(lacksIpv6 && part.takesIpv6)) continue
    needed.push(part)
    joined = unite([joined, part[field]])
    if (part.takesIpv6) lacksIpv6 = false
    if (covers(joined, inner[field]) && !lacksIpv6) break
  }
  return needed
}

/** A later rule with the same effect that covers this one, with nothing between them that could decide otherwise. */
function findLater(table: Table, at: number, dead: ReadonlySet<Shape>): Shape | null {
  const { shapes, sourceLow, sourceHigh, targetLow, targetHigh } = table
  const inner = shapes[at] as Shape
  const [sourceFrom, sourceTo] = [sourceLow[at] as number, sourceHigh[at] as number]
  const [from, to] = [targetLow[at] as number, targetHigh[at] as number]
  let first = shapes.length
  for (const { places } of widerFrames(table, at))
    for (let next = placeAfter(places, at); next < places.length; next++) {
      const i = places[next] as number
      if (i >= first) break
      if ((targetLow[i] as number) > from || (targetHigh[i] as number) < to) continue
      if ((sourceLow[i] as number) > sourceFrom || (sourceHigh[i] as number) < sourceTo) continue
      const outer = shapes[i] as Shape
      if (outer.effect !== inner.effect || dead.has(outer) || !holdsAddresses(outer, inner)) continue
      first = i
      break
    }
  return first < shapes.length && !decidesBetween(table, at, first) ? (shapes[first] as Shape) : null
}

/** A rule between the two has another effect on a packet of the first. */
function decidesBetween(table: Table, at: number, end: number): boolean {
  const { shapes, effects, ipv6, sourceLow, sourceHigh, targetLow, targetHigh } = table
  const inner = shapes[at] as Shape
  const [sourceFrom, sourceTo] = [sourceLow[at] as number, sourceHigh[at] as number]
  const [from, to] = [targetLow[at] as number, targetHigh[at] as number]
  for (let i = at + 1; i < end; i++) {
    if (effects[i] === effects[at]) continue
    const isApart =
      (targetLow[i] as number) > to ||
      (targetHigh[i] as number) < from ||
      (sourceLow[i] as number) > sourceTo ||
      (sourceHigh[i] as number) < sourceFrom
    if (isApart && (ipv6[i] === 0 || ipv6[at] === 0)) continue
    if (overlapsShape(shapes[i] as Shape, inner)) return true
  }
  return false
}

/** Index of the first place behind `at`, by halving. */
function placeAfter(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] as number) <= at) low = middle + 1
    else high = middle
  }
  return low
}
