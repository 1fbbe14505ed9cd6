// A real gatewayd whose state is on a small separate file system, which the test can fill, make read-only and make
// writable again from outside. Needs a mount namespace, as root or through a user namespace.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { patienceMs, until } from '../support/until.ts'

const mainPath = join(appRoot, 'server/src/gatewayd/main.ts')

const environment = (stateDir: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  PORTCULLIS_STATE: stateDir,
  PORTCULLIS_LISTEN: '127.0.0.1:0',
  PORTCULLIS_DATAPLANE: 'none',
  NODE_COMPILE_CACHE: join(appRoot, '.cache/compile'),
})

const isRoot = process.getuid?.() === 0
const unshare = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount', '--propagation=private', '--']

/** Why such a file system is not available here; false when it is. */
export function reasonToSkip(): string | false {
  if (process.env.PORTCULLIS_SKIP_NETNS === '1') return 'PORTCULLIS_SKIP_NETNS is set'
  const [program = '', ...args] = unshare
  const { status, stderr } = spawnSync(program, [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt'])
  return status === 0 ? false : `no small file system can be mounted here: ${String(stderr ?? '').trim()}`
}

/** A command that runs with a small file system mounted on the folder, which only it sees. */
export const smallDiskCommand = (sizeBytes: number, folder: string, command: readonly string[]): string[] => [
  ...unshare,
  'sh',
  '-c',
  'mount -t tmpfs -o size="$1",mode=700 none "$2" && shift 2 && exec "$@"',
  'sh',
  String(sizeBytes),
  folder,
  ...command,
]

export class SmallDisk {
  readonly address: string
  readonly #child: ChildProcess
  readonly #closed: Promise<number | null>
  readonly #folder: string
  readonly #said: { text: string }

  constructor(
    child: ChildProcess,
    closed: Promise<number | null>,
    folder: string,
    address: string,
    said: { text: string },
  ) {
    this.#child = child
    this.#closed = closed
    this.#folder = folder
    this.address = address
    this.#said = said
  }

  get log(): string {
    return this.#said.text
  }

  /** Still the process that was started. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The state folder, seen through the process that has it mounted. */
  get #inside(): string {
    return `/proc/${this.#child.pid}/root${this.#folder}`
  }

  /** Fills the free space completely. */
  fill(): void {
    const file = openSync(join(this.#inside, 'filler'), 'a')
    try {
      for (const size of [1 << 20, 1 << 12]) {
        const block = Buffer.alloc(size)
        while (isWritten(file, block));
      }
    } finally {
      closeSync(file)
    }
  }

  /** With the reserve taken, so that it is not filled as well. */
  async fillAll(): Promise<void> {
    const reserve = join(this.#inside, 'gateway', 'reserve')
    await until('the reserve is taken', () => (statSync(reserve, { throwIfNoEntry: false })?.size ?? 0) > 0)
    this.fill()
  }

  free(): void {
    rmSync(join(this.#inside, 'filler'))
  }

  /**
   * From now on every write of the process to a file fails, as on a disk that became read-only. (A remount is not
   * possible: the kernel refuses it while files are open for writing.)
   */
  setWritable(isWritable: boolean): void {
    const { status, stderr } = spawnSync('prlimit', [
      `--pid=${this.#child.pid}`,
      `--fsize=${isWritable ? 'unlimited' : '0'}:`,
    ])
    assert.equal(status, 0, String(stderr))
  }

  /** From now on every sync fails. False when that is not possible here. */
  async failSyncs(): Promise<boolean> {
    const calls = 'fsync,fdatasync'
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`]
    const tracer = spawn('strace', ['-f', '-qq', ...inject, '-p', `${this.#child.pid}`], { stdio: 'ignore' })
    let isGone = false
    tracer.once('error', () => {
      isGone = true
    })
    // Ends by itself with the process it traces.
    tracer.once('close', () => {
      isGone = true
    })
    const status = (): string => readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    await until('the tracer is attached', () => isGone || !/^TracerPid:\t0$/m.test(status()))
    return !isGone
  }

  /** The exit code of the process, once it has ended by itself. */
  get ended(): Promise<number | null> {
    return this.#closed
  }

  /** A copy of the database as it is on the disk now. */
  copy(): string {
    const target = mkdtempSync(join(tmpdir(), 'portcullis-small-disk-'))
    for (const name of ['gateway.db', 'gateway.db-wal']) {
      cpSync(join(this.#inside, 'gateway', name), join(target, name))
    }
    return target
  }

  /** Stops it, and asserts that it stops cleanly. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs)
    const code = await this.#closed
    clearTimeout(limit)
    assert.equal(code, 0, this.#said.text)
  }

  /** Also after a failure; the file system ends with the process. */
  end(): void {
    this.#child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Starts gatewayd once more on a copy of `state` after `spoil`, a line of shell, was run on its disk. */
export function startOnSpoiltDisk(
  state: string,
  spoil: string,
): { readonly code: number | null; readonly text: string } {
  const script = `mount -t tmpfs -o size=4m none "$1" && cp -a "$2/." "$1" && cd "$1" && ${spoil} && exec "$3" "$4"`
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-small-disk-'))
  const [program = '', ...args] = [...unshare, 'sh', '-c', script, 'sh', folder, state, runtimePath(appRoot), mainPath]
  const { status, stderr } = spawnSync(program, args, {
    env: environment(folder),
    timeout: patienceMs,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true, force: true })
  return { code: status, text: stderr }
}

function isWritten(file: number, block: Buffer): boolean {
  try {
    writeSync(file, block)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

export async function startOnSmallDisk(sizeBytes: number, adminPassword: string): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-small-disk-'))
  const script = 'mount -t tmpfs -o size="$1",mode=700 none "$2" && exec "$3" "$4"'
  const [program = '', ...args] = [
    ...unshare,
    'sh',
    '-c',
    script,
    'sh',
    String(sizeBytes),
    folder,
    runtimePath(appRoot),
    mainPath,
  ]
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...environment(folder), PORTCULLIS_NOTIFY_FD: '3', PORTCULLIS_ADMIN_PASSWORD: adminPassword },
  })
  const said = { text: '' }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.text += text
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdio[3] as Readable }).once('line', resolve)
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const first = await Promise.race([ready, closed])
  clearTimeout(limit)
  assert.ok(typeof first === 'string', `gatewayd did not start:\n${said.text}`)
  return new SmallDisk(child, closed, folder, (JSON.parse(first) as { address: string }).address, said)
}
