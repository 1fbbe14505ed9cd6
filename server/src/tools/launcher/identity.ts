// Which process is meant: a pid alone is not enough, because numbers are given out again. Together with the
// moment the process began (and the boot that moment belongs to) it names one process permanently.

import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks between boot and the start of the process, as in /proc/PID/stat. */
  readonly startTicks: string
  readonly bootId: string
}

/** Null when there is no such process. `proc` is another process table than /proc, when that is wanted. */
export function readIdentity(pid: number, proc = '/proc'): ProcessIdentity | null {
  try {
    const stat = readFileSync(`${proc}/${pid}/stat`, 'utf8')
    // The name of the program is in parentheses and may itself contain some: count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, startTicks] = [fields[0], fields[19]]
    if (startTicks === undefined || state === 'Z' || state === 'X') return null
    return { pid, startTicks, bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() }
  } catch {
    return null
  }
}

export function isRunning(identity: ProcessIdentity): boolean {
  const now = readIdentity(identity.pid)
  return now !== null && now.startTicks === identity.startTicks && now.bootId === identity.bootId
}
