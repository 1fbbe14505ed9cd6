// Ends connections for applyd, with one right, without which the kernel neither lists nor deletes them, and no other. Each line of
// standard input is a list of requests; each is answered by a line with the number of connections that ended and of those that the
// kernel holds, or with why none ended.
// Ends with its input.

import { closeSync, readSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { CutTarget } from '../core/plan/artifacts.ts'
import { type Cuts, cutConnections } from './cut/tracked.ts'
import { openAsking } from './flows/netlink-socket.ts'

/** Larger than any reply to a dump. */
const buffer = Buffer.alloc(256 * 1024)

/** A socket for each question: what is left in it after a fault is not taken for the answer to the next one. */
function cut(requests: readonly (readonly CutTarget[])[]): Cuts {
  const socket = openAsking()
  try {
    const send = (bytes: Buffer): void => void writeSync(socket, bytes)
    const receive = (): Buffer => buffer.subarray(0, readSync(socket, buffer, 0, buffer.length, null))
    return cutConnections({ send, receive }, requests)
  } finally {
    closeSync(socket)
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer: object
  try {
    answer = { ...cut(JSON.parse(line)), fault: null }
  } catch (fault) {
    answer = { counts: [], held: [], fault: fault instanceof Error ? fault.message : String(fault) }
  }
  writeSync(1, `${JSON.stringify(answer)}\n`)
}
