// The shared object that Squid before 6.13 loads (short-reads/). Root neither makes it nor knows how it is made: a program without any
// right prints it, and root takes the bytes whose SHA-256 is here, and no others.

import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { ensureWritten, type Ownership, readRegular, removeDurable } from '../../../shared/files/durable.ts'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { confine } from '../../kit/confine.ts'
import { programEnvironment } from '../../kit/processes.ts'
import type { UnitSpec } from '../../kit/tables.ts'

/** In the folder of the proxy; start-proxy.pl has a Squid that needs it load it, and says so when it is not there. */
export const shortReadsFile = 'short-reads.so'

const digests: Readonly<Record<string, string>> = {
  x64: '9fcac92095fcc09ef0385d627a6274601a2e9bd08656f17e0488de42d07c64e7',
  arm64: 'd28f6d25a9ba910a8eb0a53af65e5b5892d775f60aef4ad53ed4d4820b03b993',
}
const maker = [process.execPath, plainOption(ownApp), join(import.meta.dirname, 'short-reads', 'print.ts')]
const timeoutMs = 20_000
/** The runtime reserves half a gigabyte that it never uses. */
const limits = { nofile: 64, data: 1024 * 1024 * 1024 }

/** With a file that is right already nothing is started; one that is not right is never left there. */
export function ensureShortReads(
  path: string,
  as: Ownership,
  user: UnitSpec['user'],
  { architecture = process.arch as string, command = maker as readonly string[] } = {},
): void {
  const digest = Object.hasOwn(digests, architecture) ? digests[architecture] : undefined
  const isRight = (bytes: Buffer | null): bytes is Buffer => bytes !== null && hash('sha256', bytes) === digest
  const present = readRegular(path)
  const bytes = isRight(present) || digest === undefined ? present : make([...command, architecture], user)
  if (isRight(bytes)) ensureWritten(path, bytes, as)
  else removeDurable(path)
}

/** What it printed, whatever that is. */
function make(command: readonly string[], user: UnitSpec['user']): Buffer | null {
  const [program = '', ...args] = [...confine({ user, capabilities: [], limits }), ...command]
  const options = { cwd: '/', env: programEnvironment, timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  return spawnSync(program, args, { ...options, maxBuffer: 64 * 1024, stdio: ['ignore', 'pipe', 'ignore'] }).stdout
}
