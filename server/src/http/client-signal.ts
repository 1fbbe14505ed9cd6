// Whether a client still waits: work for one that has gone is ended.

import type { ServerResponse } from 'node:http'

const signals = new WeakMap<ServerResponse, AbortSignal>()

/** Aborted when the connection ends before the reply was sent. Made when it is first asked for: most replies need none. */
export function clientSignal(reply: ServerResponse): AbortSignal {
  const known = signals.get(reply)
  if (known) return known
  const controller = new AbortController()
  signals.set(reply, controller.signal)
  if (reply.destroyed) controller.abort()
  else
    reply.once('close', () => {
      if (!reply.writableFinished) controller.abort()
    })
  return controller.signal
}
