// Programs by absolute path and argument list, never through a shell, and what /proc knows about a process.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { patient } from '../../shared/pace.ts'

/** Fixed: nothing of applyd's own environment reaches a program. Times in nft rules are UTC because of TZ. */
export const programEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** `failure` is why there is no exit status: the program is not on this machine, or it did not finish. */
type Finished = { code: number | null; failure: 'missing' | 'timeout' | null; stdout: string; stderr: string }

/** Large: nft lists megabytes, and repeats the whole offending line in an error. */
const maxBuffer = 256 * 1024 * 1024

/** `signal` ends the program; there is no exit status then. */
export function run(
  [program = '', ...args]: readonly string[],
  timeoutMs: number,
  input = '',
  signal?: AbortSignal,
): Promise<Finished> {
  const limits = { timeout: patient(timeoutMs), killSignal: 'SIGKILL', maxBuffer } as const
  const options = { cwd: '/', env: programEnvironment, ...limits, ...(signal ? { signal } : {}) }
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
function statOf(pid: number, proc = '/proc') {
  const text = readProc(`${pid}/stat`, proc)
  // The name in parentheses may hold anything, so count from its end (proc_pid_stat(5), fields 3, 4, 6 and 22).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return text === ''
    ? null
    : {
        state: fields[0] ?? '',
        parent: Number(fields[1]),
        session: Number(fields[3]),
        startTime: fields[19] ?? '',
      }
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

/** Longer than a process takes to stop, shorter than anyone waits. */
const suspendMilliseconds = 100

/** Does the work while the process does not run; false when it does not stop in time. One that does not run stays as it is. */
export function whileSuspended(id: ProcessId | null, work: () => boolean): boolean {
  if (!id || stateOf(id) !== 'running') return work()
  signal(id.pid, 'SIGSTOP')
  try {
    const limit = performance.now() + suspendMilliseconds
    while (stateOf(id) === 'running') if (performance.now() > limit) return false
    return work()
  } finally {
    signal(id.pid, 'SIGCONT')
  }
}

/** `-pid` means the whole group of a process we started as a session leader. One that has already ended is not a fault. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault
  }
}

/** `marked`: ours. `unsettled`: it is becoming another program right now, so what it will be is not known yet. */
type Likeness = 'marked' | 'other' | 'unsettled'

/** Flag of threads of the kernel, which have neither arguments nor an environment (proc_pid_stat(5), field 9). */
const kernelThread = 0x00200000

/**
 * Command line and environment of a process, as a hash. A child has those of its parent from the fork until it becomes
 * another program, and so is found even if the parent was killed in between.
 */
export const imageOf = (pid: number, proc = '/proc'): string =>
  createHash('sha256')
    .update(`${readProc(`${pid}/cmdline`, proc)}\0\0${readProc(`${pid}/environ`, proc)}`)
    .digest('hex')

/**
 * Whether the environment of a process carries the entry, or it is a copy of the process that had the image. While a
 * process becomes another program, the kernel shows neither arguments nor environment, or first the old and then the new.
 */
function likenessOf(pid: string, entry: string, image: string | null, proc: string): Likeness {
  const before = readProc(`${pid}/cmdline`, proc)
  const environment = readProc(`${pid}/environ`, proc)
  const stat = readProc(`${pid}/stat`, proc)
  const [state = '', , , , , , flags = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || 'ZXx'.includes(state) || (Number(flags) & kernelThread) !== 0) return 'other'
  if (environment.includes(entry)) return 'marked'
  if (readProc(`${pid}/cmdline`, proc) !== before) return 'unsettled'
  if (image !== null && imageOf(Number(pid), proc) === image) return 'marked'
  const hasNeither = environment === '' && before === ''
  return hasNeither && isReadable(`${pid}/environ`, proc) && !hasEnvironment(stat) ? 'unsettled' : 'other'
}

/** Field 51, the end of the environment in memory, is 0 until the kernel has built the new program. */
const hasEnvironment = (stat: string): boolean =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[48] ?? '0') !== 0

/** Every process of the mark with its session and parent, and whether there are processes about which nothing can be said yet. */
export function processesMarked(entry: string, image: string | null = null, proc = '/proc') {
  const found: { pid: number; session: number; parent: number }[] = []
  let isSettled = true
  for (const name of readdirSync(proc).filter((one) => /^\d+$/.test(one) && Number(one) !== process.pid)) {
    const likeness = likenessOf(name, entry, image, proc)
    if (likeness === 'unsettled') isSettled = false
    const stat = likeness === 'marked' ? statOf(Number(name), proc) : null
    if (stat) found.push({ pid: Number(name), session: stat.session, parent: stat.parent })
  }
  return { found, isSettled }
}

/**
 * Which boot and network namespace we act on: rules and process numbers mean nothing in another one. A container that boots
 * again, and a lab that starts again, may see the same boot of the kernel and a namespace of the same number, but never a
 * first process of the same time.
 */
export const readKernelIdentity = (): string =>
  `${readProc('sys/kernel/random/boot_id').trim()}/${identify(1)?.startTime} ${readlinkSync('/proc/self/ns/net')}`

/** Process numbers and start times of another boot mean other processes. */
export const isSameBoot = (one: string, other: string): boolean => one.split(' ')[0] === other.split(' ')[0]

/** Empty when the process has ended in the meantime. */
function readProc(path: string, proc = '/proc'): string {
  try {
    return readFileSync(`${proc}/${path}`, 'latin1')
  } catch {
    return ''
  }
}

function isReadable(path: string, proc: string): boolean {
  try {
    closeSync(openSync(`${proc}/${path}`, 'r'))
    return true
  } catch {
    return false
  }
}

export const findProgram = (name: string): string =>
  ['/usr/sbin', '/sbin', '/usr/bin', '/bin'].map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ??
  `/usr/sbin/${name}`
