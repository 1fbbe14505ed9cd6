// An event stream of one endpoint, such as a log tail. It stops while the tab is hidden, and goes on where it ended.

import type { Endpoint } from '@gateway/server/contract'
import { addressOf, type CallOptions } from './call.ts'

export interface StreamHandlers {
  /** By the name of the event. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>
  /** The stream cannot be opened now; it is tried again. */
  readonly onTrouble?: () => void
  readonly onOpen?: () => void
}

const retryMs = 2_000
const longestPauseMs = 30_000

/** Begins to listen; what is returned ends it. The id of the last event is sent as `after`. */
export function listen(
  endpoint: Endpoint,
  options: CallOptions,
  { on, onTrouble, onOpen }: StreamHandlers,
): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastId = ''
  let failures = 0

  const close = (): void => {
    clearTimeout(timer)
    source?.close()
    source = null
  }

  const open = (): void => {
    close()
    if (document.hidden) return
    const query = lastId === '' ? options.query : { ...options.query, after: lastId }
    const stream = new EventSource(addressOf(endpoint, { ...options, ...(query ? { query } : {}) } as CallOptions))
    source = stream
    stream.addEventListener('open', () => {
      failures = 0
      onOpen?.()
    })
    for (const [name, take] of Object.entries(on)) {
      stream.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId !== '') lastId = lastEventId
        take(JSON.parse(data))
      })
    }
    stream.addEventListener('error', () => {
      stream.close()
      if (source !== stream) return
      failures += 1
      onTrouble?.()
      timer = setTimeout(open, Math.min(longestPauseMs, retryMs * 2 ** (failures - 1)))
    })
  }

  const onVisibility = (): void => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', onVisibility)
  open()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    close()
  }
}
