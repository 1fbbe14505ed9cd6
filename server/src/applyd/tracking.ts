// The kernel's table of connections, for gatewayd, which may not read it: what is tracked now, up to a bound, and the
// switches that make the kernel count. Nothing is stored or parsed here; gatewayd parses the lines.

import { readFileSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { getSystemErrorMessage } from 'node:util'
import type { SessionTable } from '../plan/artifacts.ts'
import type { Context } from './applyd.ts'
import type { TrackingSpec } from './tables.ts'

/** About 30,000 connections. The kernel walks its table again for every few kilobytes, so more would be expensive. */
const maxTableBytes = 8 * 1024 * 1024
const chunkBytes = 64 * 1024

/** Connections that existed before have no counters; that is not a failure. */
export function countConnections({ switches }: TrackingSpec): void {
  for (const path of switches) {
    try {
      if (readFileSync(path, 'utf8').trim() !== '1') writeFileSync(path, '1', { flag: 'r+' })
    } catch {
      // The part of the kernel that tracks is not loaded yet, or may not be set from here; `isCounting` shows it.
    }
  }
}

const isOn = (path: string): boolean => {
  try {
    return readFileSync(path, 'utf8').trim() === '1'
  } catch {
    return false
  }
}

const nothing = (limitation: string): SessionTable => ({ text: '', isCut: false, isCounting: false, limitation })

export async function readSessions({
  plane,
  limitation,
  tables: { tracking },
}: Pick<Context, 'plane' | 'limitation' | 'tables'>): Promise<SessionTable> {
  if (plane === 'none') return nothing(`No traffic passes here: ${limitation ?? 'nothing is applied'}.`)
  // Loading rules may have brought the tracking into the kernel since the start.
  countConnections(tracking)
  let file: FileHandle
  try {
    file = await open(tracking.table)
  } catch (fault) {
    return nothing(`The kernel does not show the connections it tracks (${reasonOf(fault)}).`)
  }
  try {
    const { text, isCut } = await readUpTo(file, maxTableBytes)
    return { text, isCut, isCounting: tracking.switches.every(isOn), limitation: null }
  } finally {
    await file.close()
  }
}

const reasonOf = (fault: unknown): string => getSystemErrorMessage((fault as NodeJS.ErrnoException).errno ?? 0)

/** Whole lines only. */
async function readUpTo(file: FileHandle, limit: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = []
  for (let size = 0; size < limit; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes)
    if (bytesRead === 0) return { text: Buffer.concat(chunks).toString('latin1'), isCut: false }
    chunks.push(buffer.subarray(0, bytesRead))
    size += bytesRead
  }
  const text = Buffer.concat(chunks).toString('latin1')
  return { text: text.slice(0, text.lastIndexOf('\n') + 1), isCut: true }
}
