// Whether the web proxy answers: a small request over loopback, again and again while it should run. A proxy that is suspended
// or hangs takes connections and says nothing, so only an answer counts. Who asks decides what follows.

import { connect } from 'node:net'
import type { WebProxyState } from '../../plan/facts.ts'

export interface ProxyWatchParts {
  readonly port: number
  /** Whether it should run now. */
  readonly isWanted: () => boolean
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

/** One answer may be late on a busy machine. */
const missedAnswers = 2

export function watchProxy({
  port,
  isWanted,
  onChange,
  everyMs = 1_000,
  patienceMs = 3_000,
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
    missed = (await answersAt(port, patienceMs)) ? 0 : missed + 1
    if (!isWanted()) return set(null)
    if (missed === 0) return set('up')
    // From the start on it is down until it answers.
    return state === 'up' && missed < missedAnswers ? state : set('down')
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

/** Any reply: that it refuses the request is one too. */
function answersAt(port: number, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isAnswered: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isAnswered)
    }
    const timer = setTimeout(end, patienceMs, false)
    socket.once('connect', () => socket.write(question))
    socket.once('data', (bytes) => end(bytes.toString('latin1').startsWith('HTTP/')))
    for (const event of ['error', 'end']) socket.once(event, () => end(false))
  })
}
