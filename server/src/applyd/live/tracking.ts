// The kernel's table of connections, for gatewayd, which may not read it: what is tracked now, up to a bound, and
// whether the kernel counts, which is a setting of the plan. Nothing is stored or parsed here; gatewayd parses the lines.

import { readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { getSystemErrorMessage } from 'node:util'
import type { SessionTable } from '../../core/plan/artifacts.ts'
import type { TrackingSpec } from '../../engines/kit/tables.ts'
import type { Context } from '../context.ts'

/** About 30,000 connections, for those who need all of them at once; lists are read in parts (session-parts.ts). */
const maxTableBytes = 8 * 1024 * 1024
const chunkBytes = 64 * 1024

const isOn = (path: string): boolean => {
  try {
    return readFileSync(path, 'utf8').trim() === '1'
  } catch {
    return false
  }
}

const nothing = (limitation: string): SessionTable => ({ text: '', isCut: false, isCounting: false, limitation })

/** What holds for every reading of the table. */
export function readingOf({
  plane,
  limitation,
  tables: { tracking },
}: Pick<Context, 'plane' | 'limitation' | 'tables'>): Omit<SessionTable, 'text'> {
  if (plane === 'none') return nothing(`No traffic passes here: ${limitation ?? 'nothing is applied'}.`)
  return { isCut: false, isCounting: tracking.switches.every(isOn), limitation: null }
}

export async function readSessions(context: Pick<Context, 'plane' | 'limitation' | 'tables'>): Promise<SessionTable> {
  const about = readingOf(context)
  if (about.limitation !== null) return { ...about, text: '' }
  const file = await openTable(context.tables.tracking)
  if (typeof file === 'string') return nothing(file)
  try {
    return { ...about, ...(await readUpTo(file, maxTableBytes)) }
  } finally {
    await file.close()
  }
}

/** The open table, or why there is none. */
export async function openTable({ table }: TrackingSpec): Promise<FileHandle | string> {
  try {
    return await open(table)
  } catch (fault) {
    return `The kernel does not show the connections it tracks (${reasonOf(fault)}).`
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
