// The side of the thread that forwards the log: a forwarder on real sockets, which asks gatewayd for records.

import { setPriority } from 'node:os'
import { setTimeout as passes } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { Followed } from '../../../logs/store.ts'
import type { OpenCarrier } from './carrier.ts'
import { cursorFile } from './cursor-file.ts'
import { type FollowedLog, Forwarder, type ForwardingTarget } from './forwarder.ts'
import { openTcp } from './tcp-carrier.ts'
import type { FromForwarder, ToForwarder } from './thread-messages.ts'
import { openUdp } from './udp-carrier.ts'

/** On Linux this is the priority of the calling thread alone: requests come before what is forwarded. */
const giveWay = 5

/** The entry file of the thread calls this once. */
export function serveForwarding(port: MessagePort, cursorPath: string): void {
  setPriority(0, giveWay)
  const tell = (message: FromForwarder): void => port.postMessage(message)
  const asked = askedLog(tell)
  const forwarder = new Forwarder({
    log: asked.log,
    cursor: cursorFile(cursorPath),
    open: openCarrier,
    elapsed: () => performance.now() / 1000,
    pause: (milliseconds, signal) => passes(milliseconds, undefined, { signal }).catch(() => {}),
    onState: (state) => tell({ is: 'state', state }),
  })
  // One after the other: settings may change faster than a collector lets go of a connection.
  let last: Promise<unknown> = Promise.resolve()
  port.on('message', (message: ToForwarder) => {
    if (message.is === 'news') forwarder.wake()
    else if (message.is === 'answer' || message.is === 'fault') asked.take(message)
    else if (message.is === 'follow') last = last.then(() => forwarder.follow(message.target))
    else last = last.then(() => forwarder.stop()).finally(() => port.close())
  })
}

const openCarrier =
  (target: ForwardingTarget): OpenCarrier =>
  (signal) =>
    target.protocol === 'udp' ? openUdp(target) : openTcp(target, signal)

interface Asked {
  resolve(answer: Followed | number): void
  reject(error: Error): void
}

/** The log store is on the other side. */
function askedLog(tell: (message: FromForwarder) => void) {
  const open = new Map<number, Asked>()
  let lastId = 0
  const ask = (message: (id: number) => FromForwarder): Promise<Followed | number> => {
    const { promise, resolve, reject } = Promise.withResolvers<Followed | number>()
    open.set(++lastId, { resolve, reject })
    tell(message(lastId))
    return promise
  }
  const log: FollowedLog = {
    after: async (place, limit) => (await ask((id) => ({ is: 'after', id, place, limit }))) as Followed,
    newest: async () => (await ask((id) => ({ is: 'newest', id }))) as number,
  }
  const take = (message: Extract<ToForwarder, { is: 'answer' | 'fault' }>): void => {
    const one = open.get(message.id)
    open.delete(message.id)
    if (message.is === 'answer') one?.resolve(message.answer)
    else one?.reject(new Error(message.message))
  }
  return { log, take }
}
