// Programs by absolute path and argument list, never through a shell, and what /proc knows about a process.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Fixed: nothing of applyd's own environment reaches a program. Times in nft rules are UTC because of TZ. */
export const programEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** `failure` is why there is no exit status: the program is not on this machine, or it did not finish. */
type Finished = { code: number | null; failure: 'missing' | 'timeout' | null; stdout: string; stderr: string }

/** Large: nft lists megabytes, and repeats the whole offending line in an error. */
const maxBuffer = 256 * 1024 * 1024

export function run([program = '', ...args]: readonly string[], timeout: number, input = ''): Promise<Finished> {
  const options = { cwd: '/', env: programEnvironment, timeout, killSignal: 'SIGKILL', maxBuffer } as const
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (fault, stdout, stderr) => {
      const failure = fault?.code === 'ENOENT' ? 'missing' : fault?.killed ? 'timeout' : null
      resolve({ code: fault ? Number(fault.code) || null : 0, failure, stdout, stderr })
    })
    // A program that ends before it has read everything reports that by its status.
    child.stdin?.on('error', () => {}).end(input)
  })
}

/** A process that cannot be confused with a later one of the same number. */
export type ProcessId = { readonly pid: number; readonly startTime: string }

/** Null when there is no such process. */
function statOf(pid: number) {
  const text = readProc(`${pid}/stat`)
  // The name in parentheses may hold anything, so count from its end (proc_pid_stat(5), fields 3, 6 and 22).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return text === '' ? null : { state: fields[0] ?? '', session: Number(fields[3]), startTime: fields[19] ?? '' }
}

export function identify(pid: number): ProcessId | null {
  const stat = statOf(pid)
  return stat && { pid, startTime: stat.startTime }
}

/** A zombie that only waits for its parent is gone. */
export function stateOf(id: ProcessId | null): 'running' | 'suspended' | 'gone' {
  const stat = id && statOf(id.pid)
  if (!stat || stat.startTime !== id.startTime || 'ZXx'.includes(stat.state)) return 'gone'
  return 'Tt'.includes(stat.state) ? 'suspended' : 'running'
}

/** `-pid` means the whole group of a process we started as a session leader. One that has already ended is not a fault. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault
  }
}

/** Processes whose environment carries this entry, with the session each belongs to. */
export const processesMarked = (entry: string): { pid: number; session: number }[] =>
  readdirSync('/proc').flatMap((name) => {
    const isMarked = /^\d+$/.test(name) && readProc(`${name}/environ`).includes(entry)
    const stat = isMarked ? statOf(Number(name)) : null
    return stat ? [{ pid: Number(name), session: stat.session }] : []
  })

/** Which running kernel and network namespace we act on: rules and process numbers mean nothing in another one. */
export const readKernelIdentity = (): string =>
  `${readProc('sys/kernel/random/boot_id').trim()} ${readlinkSync('/proc/self/ns/net')}`

/** Empty when the process has ended in the meantime. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    return ''
  }
}
