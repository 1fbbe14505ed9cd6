// Whether the web proxy answers: a small request over loopback, again and again while it should run. A proxy that is suspended
// or hangs takes connections and says nothing, so only an answer counts. One that clients have filled, or that works through what
// they sent, says nothing either, and one that they had use up its memory ends: these are told from a dead one, because what a
// client can cause must not end the filtering of others. Who asks decides what follows.

import { connect } from 'node:net'
import type { WebProxyState } from '../../../core/plan/facts.ts'

export interface ProxyWatchParts {
  readonly port: number
  /** Whether it should run now. */
  readonly isWanted: () => boolean
  /** Whether it has as many connections as it can have; asked when it is silent. */
  readonly isFull: () => boolean
  /** Processor time that it has used, in milliseconds; null where it is not known. */
  readonly processorMs?: () => number | null
  /** Called when the state has changed. */
  readonly onChange: (state: WebProxyState | null, before: WebProxyState | null) => void
  readonly everyMs?: number
  /** For one answer. */
  readonly patienceMs?: number
  /** How long after its last answer one that has ended may take to come back. */
  readonly returnMs?: number
}

export interface ProxyWatch {
  /** Null while it need not run. */
  state(): WebProxyState | null
  /** Asks at once, and tells the state. */
  look(): Promise<WebProxyState | null>
  close(): void
}

/** For the log. */
export const proxyFaults: Readonly<Record<Exclude<WebProxyState, 'up'>, string>> = {
  down: 'the web proxy does not answer',
  full: 'the web proxy has no room for more connections or too much to do',
  starting: 'the web proxy has ended and is being started again',
}

/** It is away for a moment while it takes a new configuration. */
const missedAnswers = 2
/** Of the time of a silence: who works that much has something to do, who hangs or is suspended does not. */
const workingShare = 0.1

export function watchProxy({
  port,
  isWanted,
  isFull,
  processorMs = () => null,
  onChange,
  everyMs = 1_000,
  // Many connections at once make it late; they are not to pass for its end.
  patienceMs = 10_000,
  // Longer than the longest pause before it is started again, and its start.
  returnMs = 60_000,
}: ProxyWatchParts): ProxyWatch {
  let state: WebProxyState | null = null
  let missed = 0
  /** When it last answered, by a clock that cannot be set. */
  let answeredAt = Number.NEGATIVE_INFINITY
  let running: Promise<WebProxyState | null> | null = null
  const set = (next: WebProxyState | null): WebProxyState | null => {
    if (next !== state) {
      const before = state
      state = next
      onChange(next, before)
    }
    return next
  }
  const ask = async (): Promise<WebProxyState | null> => {
    if (!isWanted()) {
      missed = 0
      return set(null)
    }
    const [askedAt, workedBefore] = [performance.now(), processorMs()]
    const heard = await hearFrom(port, patienceMs)
    missed = heard === 'answer' ? 0 : missed + 1
    if (!isWanted()) return set(null)
    if (heard === 'answer') {
      answeredAt = performance.now()
      return set('up')
    }
    if (heard === 'silence') {
      const worked = (processorMs() ?? 0) - (workedBefore ?? Number.POSITIVE_INFINITY)
      const isWorking = worked > (performance.now() - askedAt) * workingShare
      return set(isFull() || isWorking ? 'full' : 'down')
    }
    // From the start on it is down until it answers.
    if (state === null || state === 'down') return set('down')
    if (performance.now() - answeredAt >= returnMs) return set('down')
    return missed < missedAnswers ? state : set('starting')
  }
  const look = (): Promise<WebProxyState | null> => {
    running ??= ask().finally(() => {
      running = null
    })
    return running
  }
  const timer = setInterval(look, everyMs).unref()
  return { state: () => state, look, close: () => clearInterval(timer) }
}

/** A whole request, because others are not told apart in its log. */
const question = 'GET http://health.invalid/ HTTP/1.1\r\nHost: health.invalid\r\nConnection: close\r\n\r\n'

/** Any reply is an answer, also one that refuses the request. */
function hearFrom(port: number, patienceMs: number): Promise<'answer' | 'refusal' | 'silence'> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (heard: 'answer' | 'refusal' | 'silence'): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(heard)
    }
    const timer = setTimeout(end, patienceMs, 'silence')
    socket.once('connect', () => socket.write(question))
    socket.once('data', (bytes) => end(bytes.toString('latin1').startsWith('HTTP/') ? 'answer' : 'refusal'))
    for (const event of ['error', 'end']) socket.once(event, () => end('refusal'))
  })
}
