// Programs timed from a small process in a room, as a shell would start them.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Room } from './room.ts'

export class Timer implements Disposable {
  readonly #process: ChildProcess

  constructor(room: Room) {
    const [program = '', ...args] = room.enter(['perl', join(import.meta.dirname, 'timer.pl')])
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  }

  /** Milliseconds until the program had ended. */
  async time(argv: readonly string[]): Promise<number> {
    this.#process.stdin?.write(`${argv.join('\t')}\n`)
    const [line] = (await once(this.#process.stdout ?? this.#process, 'data')) as [Buffer]
    const [time, status] = line.toString().split(' ').map(Number)
    if (status !== 0) throw new Error(`${argv.slice(0, 3).join(' ')} failed`)
    return time ?? Number.NaN
  }

  [Symbol.dispose](): void {
    this.#process.stdin?.end()
  }
}
