// Runs the server that keeps what its kernel gives it (byte-origin.ts), and asks it.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import type { Received } from './byte-origin.ts'
import type { Door } from './frame-pipe.ts'

export class ByteOrigin {
  readonly ready: Promise<void>
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: Interface

  constructor({ command, env }: Door, ports: readonly number[]) {
    const [program = '', ...args] = [
      ...command,
      runtimePath(appRoot),
      join(appRoot, 'server/test/support/byte-origin.ts'),
    ]
    this.#child = spawn(program, [...args, ...ports.map(String)], {
      env: env ?? process.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout })
    this.ready = once(this.#lines, 'line').then(() => {})
  }

  async ask(): Promise<Received> {
    const answer = once(this.#lines, 'line')
    this.#child.stdin.write('\n')
    const [line] = (await answer) as [string]
    return JSON.parse(line) as Received
  }

  async stop(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.stdin.end()
    await closed
  }
}
