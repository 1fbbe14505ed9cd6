// A separate place to run other programs: its own network, mounts and processes, gone with the process that holds
// them. What is installed for the bench alone is mounted over the machine's own files there, and nowhere else.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanPath, firstLine, toolPath } from '../../server/src/tools/launcher/tools.ts'

const env = { PATH: cleanPath, LC_ALL: 'C', TZ: 'UTC' }

const bare = 'ip link set lo up && echo ready && exec sleep infinity'

/** $1 is an empty folder, $2 a tree with usr, etc and var to lie over ours. */
const furnished = `
set -e
mount -t tmpfs tmpfs "$1"
for part in usr etc var; do
  mkdir -p "$1/$part/upper" "$1/$part/work" "$2/$part"
  mount -t overlay overlay -o "lowerdir=$2/$part:/$part,upperdir=$1/$part/upper,workdir=$1/$part/work" "/$part"
done
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/dbus
${bare}`

export interface RunOptions {
  readonly input?: string
  readonly timeoutMs?: number
}

export class Room {
  readonly #holder: ChildProcess
  readonly #folder: string | null
  readonly #parts: readonly string[]
  /** A process inside, by its number out here. */
  readonly pid: number

  constructor(holder: ChildProcess, folder: string | null, parts: readonly string[]) {
    this.#holder = holder
    this.#folder = folder
    this.#parts = parts
    this.pid = childOf(holder.pid ?? 0)
  }

  /** Runs a program to its end; a failure carries its own words. */
  run(argv: readonly string[], { input = '', timeoutMs = 120_000 }: RunOptions = {}): string {
    const [program = '', ...args] = this.enter(argv)
    const result = spawnSync(program, args, {
      input,
      env,
      encoding: 'utf8',
      timeout: timeoutMs,
      maxBuffer: 1 << 28,
    })
    if (result.status === 0) return result.stdout
    const words = firstLine(result.stderr) || firstLine(result.stdout) || result.error?.message
    throw new Error(`${argv.slice(0, 2).join(' ')} failed: ${words || `exit code ${result.status}`}`)
  }

  /** Milliseconds until the program had ended. */
  time(argv: readonly string[], options: RunOptions = {}): number {
    const begun = performance.now()
    this.run(argv, options)
    return performance.now() - begun
  }

  writeFile(path: string, text: string): void {
    this.run(['dd', `of=${path}`, 'status=none'], { input: text })
  }

  /** The command line that runs the program inside. */
  enter(argv: readonly string[]): readonly string[] {
    return [toolPath('nsenter'), `--target=${this.pid}`, ...this.#parts, '--', ...argv]
  }

  [Symbol.dispose](): void {
    this.#holder.kill('SIGKILL')
    if (this.#folder !== null) rmdirSync(this.#folder)
  }
}

/** With `files` the room also has its own mounts and processes, and what is in that folder is installed in it. */
export async function openRoom(files: string | null = null): Promise<Room> {
  const folder = files === null ? null : mkdtempSync(join(tmpdir(), 'portcullis-room-'))
  const parts = files === null ? ['--net'] : ['--net', '--mount', '--pid']
  const script = files === null ? bare : furnished
  const unshare = [toolPath('unshare'), ...parts, '--fork', '--kill-child', '--']
  const holder = spawn(
    toolPath('setpriv'),
    ['--pdeathsig=KILL', '--', ...unshare, '/bin/sh', '-c', script, 'room', folder ?? '', files ?? ''],
    { stdio: ['ignore', 'pipe', 'pipe'], env },
  )
  let complaint = ''
  holder.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const [said] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'close')])) as [unknown]
  if (String(said).includes('ready')) return new Room(holder, folder, parts)
  throw new Error(`The bench cannot create its own namespaces: ${firstLine(complaint)}`)
}

const childOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
