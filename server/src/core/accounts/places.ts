// Who may compute a password hash next. A few run at once; of those that wait, the one runs first whose network, address and
// account had the fewest turns, so that a flood from many addresses cannot keep an administrator out (decision 35).

import { networkOf, type Source, type SourceNetwork, sourceOf } from '../../shared/net/source.ts'

export interface Visitor {
  readonly address: string
  /** The login as it was sent, in one spelling. Whether it exists must not decide how long it waits. */
  readonly account: string
  /** This account signed in from this address before. */
  readonly isKnown: boolean
}

const atOnce = 4
/** Places that stay free for known visitors, and as many for all others. */
const reserved = 1
/** Hashes that signed-in administrators ask for: they wait on their own and never take all places. */
const ownAtOnce = 2
const maxOwnWaiting = 32
/** Waiting visitors of one network, and of all together. */
const maxWaitingOfNetwork = 32
const maxWaiting = 256

interface Place {
  readonly kind: 'known' | 'own' | 'other'
  readonly source: Source
  readonly network: SourceNetwork
  readonly account: string
  readonly admit: (isAdmitted: boolean) => void
}

interface Ranked {
  readonly place: Place
  readonly rank: readonly number[]
}

const kinds: readonly Place['kind'][] = ['known', 'own', 'other']

export class Places {
  readonly #running = new Set<Place>()
  /** In the order in which they came. */
  readonly #waiting: Place[] = []
  readonly #networks: Turns<SourceNetwork>
  readonly #sources: Turns<Source>
  readonly #accounts: Turns<string>

  constructor(elapsed: () => number) {
    this.#networks = new Turns(elapsed)
    this.#sources = new Turns(elapsed)
    this.#accounts = new Turns(elapsed)
  }

  /** Runs the work when its turn comes; null when it was refused because too many wait. `null` visits for the gateway itself. */
  async use<T>(visitor: Visitor | null, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const place = placeFor(visitor, resolve)
    this.#waiting.push(place)
    // Anyone who waited before still has to: only the newcomer can take a free place now.
    if (this.#mayRun(place)) this.#admit(place)
    else this.#refuseSurplus(place)
    if (!(await promise)) return null
    try {
      return { result: await work() }
    } finally {
      this.#running.delete(place)
      this.#admitNext()
    }
  }

  #admitNext(): void {
    const next = this.#ranked().filter(({ place }) => this.#mayRun(place))
    const [first, ...others] = next
    if (first) this.#admit(others.reduce((best, one) => (compareRanks(one, best) < 0 ? one : best), first).place)
  }

  #admit(place: Place): void {
    this.#remove(place)
    this.#running.add(place)
    this.#countTurn(place)
    place.admit(true)
  }

  #mayRun({ kind, source }: Place): boolean {
    const running = [...this.#running]
    const isKnown = kind === 'known'
    const alike = running.filter((place) => (place.kind === 'known') === isKnown)
    if (running.length >= atOnce || alike.length >= atOnce - reserved) return false
    if (kind === 'own') return alike.filter((place) => place.kind === 'own').length < ownAtOnce
    return running.every((place) => place.kind === 'own' || place.source !== source)
  }

  #countTurn({ kind, network, source, account }: Place): void {
    if (kind === 'own') return
    this.#networks.count(network)
    this.#sources.count(source)
    this.#accounts.count(account)
  }

  /** Of those that share the limit with the newcomer, the last in the order gives way; that may be the newcomer. */
  #refuseSurplus(newcomer: Place): void {
    const isOwn = newcomer.kind === 'own'
    const sharing = this.#waiting.filter((place) => (place.kind === 'own') === isOwn)
    const neighbours = sharing.filter((place) => place.network === newcomer.network)
    if (neighbours.length > (isOwn ? maxOwnWaiting : maxWaitingOfNetwork)) this.#refuseLastOf(neighbours)
    else if (sharing.length > maxWaiting) this.#refuseLastOf(sharing)
  }

  #refuseLastOf(places: readonly Place[]): void {
    const [first, ...others] = this.#ranked().filter(({ place }) => places.includes(place))
    if (!first) return
    const { place } = others.reduce((worst, one) => (compareRanks(one, worst) >= 0 ? one : worst), first)
    this.#remove(place)
    place.admit(false)
  }

  #remove(place: Place): void {
    this.#waiting.splice(this.#waiting.indexOf(place), 1)
  }

  /** Those that wait, in the order in which they came; the one with the lowest rank is next. */
  #ranked(): Ranked[] {
    const ahead = new Map<Source | SourceNetwork, number>()
    const position = (key: Source | SourceNetwork): number => {
      const before = ahead.get(key) ?? 0
      ahead.set(key, before + 1)
      return before
    }
    return this.#waiting.map((place) => ({
      place,
      rank: [
        kinds.indexOf(place.kind),
        // One waiting visitor of each address comes before the second of any.
        position(place.source),
        this.#networks.of(place.network) + position(place.network),
        this.#sources.of(place.source),
        this.#accounts.of(place.account),
      ],
    }))
  }
}

function placeFor(visitor: Visitor | null, admit: Place['admit']): Place {
  const source = sourceOf(visitor?.address)
  const kind = visitor === null ? 'own' : visitor.isKnown ? 'known' : 'other'
  return { kind, source, network: networkOf(source), account: visitor?.account ?? '', admit }
}

function compareRanks({ rank: a }: Ranked, { rank: b }: Ranked): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

const forgetAfterSeconds = 15 * 60
const maxRemembered = 10_000

/** How many turns a key had, until it had none for a while. */
class Turns<K> {
  readonly #counts = new Map<K, { turns: number; at: number }>()
  readonly #elapsed: () => number

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  of(key: K): number {
    const count = this.#counts.get(key)
    return count && this.#elapsed() - count.at < forgetAfterSeconds ? count.turns : 0
  }

  count(key: K): void {
    const turns = this.of(key) + 1
    // Deleted first, so that the one counted longest ago is the first of the map.
    this.#counts.delete(key)
    this.#counts.set(key, { turns, at: this.#elapsed() })
    if (this.#counts.size <= maxRemembered) return
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}
