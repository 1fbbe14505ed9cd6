// The side of the thread that forwards the log: a forwarder on real sockets, which reads records from the file of the store.

import { setTimeout as passes } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { giveWay } from '../../../core/workers/give-way.ts'
import { StoreReader } from '../store/reader.ts'
import type { OpenCarrier } from './carrier.ts'
import { cursorFile } from './cursor-file.ts'
import { type FollowedLog, Forwarder, type ForwardingTarget } from './forwarder.ts'
import { openTcp } from './tcp-carrier.ts'
import type { ForwarderData, FromForwarder, ToForwarder } from './thread-messages.ts'
import { openUdp } from './udp-carrier.ts'

/** The entry file of the thread calls this once. */
export function serveForwarding(port: MessagePort, { logs, cursor }: ForwarderData): void {
  giveWay()
  const tell = (message: FromForwarder): void => port.postMessage(message)
  const forwarder = new Forwarder({
    log: readLog(logs, tell),
    cursor: cursorFile(cursor),
    open: openCarrier,
    elapsed: () => performance.now() / 1000,
    pause: (milliseconds, signal) => passes(milliseconds, undefined, { signal }).catch(() => {}),
    onState: (state) => tell({ is: 'state', state }),
  })
  // One after the other: settings may change faster than a collector lets go of a connection.
  let last: Promise<unknown> = Promise.resolve()
  port.on('message', (message: ToForwarder) => {
    if (message.is === 'news') forwarder.wake()
    else if (message.is === 'follow') last = last.then(() => forwarder.follow(message.target))
    else last = last.then(() => forwarder.stop()).finally(() => port.close())
  })
}

const openCarrier =
  (target: ForwardingTarget): OpenCarrier =>
  (signal) =>
    target.protocol === 'udp' ? openUdp(target) : openTcp(target, signal)

/** Read here, not through the event loop: whole records of a flood would hold it up. */
function readLog(path: string, tell: (message: FromForwarder) => void): FollowedLog {
  const reader = new StoreReader(path, {})
  const read = async <T>(place: number, look: () => T): Promise<T> => {
    try {
      return look()
    } catch (error) {
      tell({ is: 'unreadable', place })
      throw new Error(`The log cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return {
    after: (place, limit) => read(place, () => reader.after(place, limit)),
    newest: () => read(0, () => reader.newestPlace()),
  }
}
