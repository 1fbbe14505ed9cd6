// What a process says to the service manager that started it: that it is ready, that its event loop turns, that it is about
// to end (sd_notify(3), sd_watchdog_enabled(3)). Without a service manager it says nothing.

import { closeSync } from 'node:fs'

/** One datagram to the socket of the service manager; false when it was not taken. */
export type Send = (words: string) => boolean

const families = { unix: 1, datagram: 2 } as const
const closeOnExec = 0x80000
/** The process must not wait for a service manager that does not read. */
const withoutWaiting = 0x40
/** The family, a path or a name, and a zero after a path (unix(7)). */
const mostAddressBytes = 2 + 108

/** A path, or `@` and a name that is in no file system; null when it is neither. */
export function addressOf(socket: string): Buffer | null {
  const isName = socket.startsWith('@')
  if ((!isName && !socket.startsWith('/')) || socket.includes('\0')) return null
  const family = Buffer.from([families.unix, 0])
  const place = isName ? Buffer.from(`\0${socket.slice(1)}`) : Buffer.from(`${socket}\0`)
  const address = Buffer.concat([family, place])
  return address.length > 3 && address.length <= mostAddressBytes ? address : null
}

/** Null where the runtime cannot reach the functions of the system. */
export function openSend(address: Buffer): Send | null {
  const int = 'int32'
  const signatures = {
    socket: { return: int, arguments: [int, int, int] },
    sendto: { return: 'int64', arguments: [int, 'pointer', 'uint64', int, 'pointer', 'uint32'] },
  } as const
  try {
    const { dlopen } = process.getBuiltinModule('node:ffi')
    const { functions: libc } = dlopen(null, signatures)
    return (words) => {
      const socket = libc.socket(families.unix, families.datagram | closeOnExec, 0)
      if (socket < 0) return false
      const bytes = Buffer.from(words)
      try {
        const sent = libc.sendto(socket, bytes, BigInt(bytes.length), withoutWaiting, address, address.length)
        return Number(sent) === bytes.length
      } finally {
        closeSync(socket)
      }
    }
  } catch {
    return null
  }
}

const retryMs = 100

export interface ServiceManager {
  /** Also begins the words of the watchdog, if one is asked for: a process that is not ready has a limit of its own. */
  readonly ready: () => void
  readonly stopping: () => void
}

/** `watchdogMs`: after how long a silence the process is ended; null when it is not watched. */
export function createServiceManager(send: Send, watchdogMs: number | null): ServiceManager {
  /** Without this word the process would be taken for one that does not start. */
  const ready = (): void => {
    if (!send('READY=1')) setTimeout(ready, retryMs).unref()
    else if (watchdogMs !== null) {
      const turn = (): void => void send('WATCHDOG=1')
      turn()
      // Two words may get lost.
      setInterval(turn, watchdogMs / 3).unref()
    }
  }
  return { ready, stopping: () => void send('STOPPING=1') }
}

/** From the environment, which keeps nothing of it: what the process starts must not speak for it. */
export function findServiceManager(env: NodeJS.ProcessEnv): ServiceManager {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: limit = '', WATCHDOG_PID: watched } = env
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name]
  const address = addressOf(socket)
  const send = address && openSend(address)
  const isWatched = /^[1-9]\d{0,15}$/.test(limit) && (watched === undefined || watched === `${process.pid}`)
  return createServiceManager(send ?? (() => true), send && isWatched ? Number(limit) / 1000 : null)
}
