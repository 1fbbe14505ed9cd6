// Which content coding a client gets (RFC 9110, 12.5.3): the one it likes best of those that we have.

export type Coding = 'zstd' | 'gzip' | 'br'

/** Of codings that a client likes as much: the cheapest to make, and the one whose bytes are kept. */
const fastest: readonly Coding[] = ['zstd', 'gzip', 'br']
const keptFirst: readonly Coding[] = ['gzip', 'zstd', 'br']
const smallest = ['br', 'gzip'] as const

export interface Accepted {
  /** For what is compressed for this answer. */
  readonly coding: Coding | null
  /** For what may be compressed already. */
  readonly keptCoding: Coding | null
  /** For files that were compressed when they were built. */
  readonly builtCoding: 'br' | 'gzip' | null
  /** The client does not want the plain bytes, so that a short reply is compressed too. */
  readonly refusesPlain: boolean
}

/** A shorter reply fits into a packet or two as it is; asking a thread would take longer than sending it. */
export const shortestCompressed = 2_048

const plain: Accepted = { coding: null, keptCoding: null, builtCoding: null, refusesPlain: false }

/** Clients send the same few headers again and again. */
let last: { readonly header: string; readonly accepted: Accepted } = { header: '', accepted: plain }

/** Without the header a client gets the plain bytes: it may not know what a coding is. */
export function acceptedBy(header: string | string[] | undefined): Accepted {
  if (header === undefined || header === '') return plain
  const text = String(header)
  if (last.header !== text) last = { header: text, accepted: read(text) }
  return last.accepted
}

function read(header: string): Accepted {
  const qualities = new Map<string, number>()
  for (const element of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim())
    if (name !== '') qualities.set(name === 'x-gzip' ? 'gzip' : name, qualityIn(parameters))
  }
  const rest = qualities.get('*')
  const qualityOf = (name: string): number => qualities.get(name) ?? rest ?? 0
  // Plain bytes are fine unless the client says otherwise, and then better than what it likes less.
  const ofPlain = qualities.get('identity') ?? (rest === 0 ? 0 : null)
  const best = <C extends Coding>(order: readonly C[]): C | null => {
    const [first] = order.toSorted((a, b) => qualityOf(b) - qualityOf(a))
    return first && qualityOf(first) > 0 && qualityOf(first) >= (ofPlain ?? 0) ? first : null
  }
  return {
    coding: best(fastest),
    keptCoding: best(keptFirst),
    builtCoding: best(smallest),
    refusesPlain: ofPlain === 0,
  }
}

/** What cannot be read counts as not wanted. */
function qualityIn(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return 1
  const value = weight.slice(2)
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 0
}
