// The logs of the launcher and of the processes it starts: opened once, emptied while they are written to. Engines' logs
// are applyd's.

import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { openForAppending } from '../../shared/files/launched.ts'
import { trimLog } from '../../shared/files/trim-log.ts'
import { logDir } from './layout.ts'

/** Above this a log is set aside, keeping one older file; on a small file system, above its share of it. */
const maxLogBytes = 10 * 1024 * 1024
const shareOfDisk = 64
const trimMilliseconds = 10_000

const pathOf = (stateDir: string, name: string): string => join(logDir(stateDir), `${name}.log`)

/** Opens a log for appending; the file stays ours, a process only gets the descriptor. */
export function openLog(stateDir: string, name: string): number {
  trimLog(pathOf(stateDir, name), limitOf(stateDir))
  return openForAppending(pathOf(stateDir, name), 0o640)
}

/** Keeps the named logs within their limit for as long as the launcher runs. */
export function keepLogsShort(stateDir: string, names: () => readonly string[]): void {
  setInterval(() => {
    for (const name of names()) trimLog(pathOf(stateDir, name), limitOf(stateDir))
  }, trimMilliseconds).unref()
}

function limitOf(stateDir: string): number {
  const { blocks, bsize } = statfsSync(logDir(stateDir))
  return Math.min(maxLogBytes, Math.floor((blocks * bsize) / shareOfDisk))
}
