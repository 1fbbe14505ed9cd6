// The programs a trial runs, by absolute path and argument list, and the scratch namespaces they run in.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The output of a program that has to succeed; otherwise its first words. */
export function run(command: readonly string[], input: string | Buffer = ''): Promise<Buffer> {
  const [program = '', ...args] = command
  const file = openUnlinked(input)
  const child = spawn(program, args, { env: environment, stdio: [file, 'pipe', 'pipe'] })
  fs.closeSync(file)
  const output: Buffer[] = []
  let complaint = ''
  child.stdout?.on('data', (data: Buffer) => output.push(data))
  child.stderr?.on('data', (data: Buffer) => {
    complaint += data
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output))
      else reject(new Error(complaint.split('\n', 1)[0] || `${program} ended with ${code}.`))
    })
  })
}

/** A file and no pipe, because ip goes through what it restores several times. Its name is gone at once. */
function openUnlinked(content: string | Buffer): number {
  const folder = fs.mkdtempSync(join(tmpdir(), 'portcullis-trial-'))
  try {
    fs.writeFileSync(join(folder, 'input'), content, { mode: 0o600 })
    return fs.openSync(join(folder, 'input'), 'r')
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

/** A program that goes on running, but not longer than we do. */
export const start = (command: readonly string[]): ChildProcess =>
  spawn('/usr/bin/setpriv', ['--pdeathsig=KILL', '--', ...command], {
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
  })

export interface Namespace {
  readonly pid: number
  /** Lives as long as the namespace. */
  readonly holder: ChildProcess
  /** The beginning of a command that is to run inside. */
  readonly enter: readonly string[]
}

/** The holder writes something once it is in its new namespace; `greeting` makes it do so. */
export async function makeNamespace(program: readonly string[], greeting: string): Promise<Namespace> {
  const holder = start(['/usr/bin/unshare', '--net', '--', ...program])
  const heard = once(holder.stdout ?? holder, 'data').then(() => true)
  const ended = once(holder, 'close').then(() => false)
  // A holder that could not start takes no greeting; that it ended says so.
  holder.stdin?.on('error', () => {}).write(greeting)
  if (!(await Promise.race([heard, ended]))) throw new Error('No network namespace can be made here.')
  const pid = holder.pid ?? 0
  return { pid, holder, enter: ['/usr/bin/nsenter', `--net=/proc/${pid}/ns/net`, '--'] }
}
