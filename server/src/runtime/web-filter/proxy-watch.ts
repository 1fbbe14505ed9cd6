// Whether the web proxy answers: a small request over loopback, again and again while it should run. A proxy that is suspended
// or hangs takes connections and says nothing, so only an answer counts. One that clients have filled says nothing either: it is
// told from a dead one, because what a client can cause must not end the filtering of others. Who asks decides what follows.

import { connect } from 'node:net'
import type { WebProxyState } from '../../plan/facts.ts'

export interface ProxyWatchParts {
  readonly port: number
  /** Whether it should run now. */
  readonly isWanted: () => boolean
  /** Whether it has as many connections as it can have; asked when it is silent. */
  readonly isFull: () => boolean
  /** The state is another one. */
  readonly onChange: (state: WebProxyState | null, before: WebProxyState | null) => void
  readonly everyMs?: number
  /** For one answer. */
  readonly patienceMs?: number
}

export interface ProxyWatch {
  /** Null while it need not run. */
  state(): WebProxyState | null
  /** Asks at once, and tells the state. */
  look(): Promise<WebProxyState | null>
  close(): void
}

/** It is away for a moment while it takes a new configuration. */
const missedAnswers = 2

export function watchProxy({
  port,
  isWanted,
  isFull,
  onChange,
  everyMs = 1_000,
  // Many connections at once make it late; they are not to pass for its end.
  patienceMs = 10_000,
}: ProxyWatchParts): ProxyWatch {
  let state: WebProxyState | null = null
  let missed = 0
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
    const heard = await hearFrom(port, patienceMs)
    missed = heard === 'answer' ? 0 : missed + 1
    if (!isWanted()) return set(null)
    if (heard === 'answer') return set('up')
    if (heard === 'silence') return set(isFull() ? 'full' : 'down')
    // From the start on it is down until it answers.
    return state !== null && state !== 'down' && missed < missedAnswers ? state : set('down')
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
