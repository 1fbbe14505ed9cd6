// A client of web sites in a namespace of the lab that is asked many things one after the other: connections stay open between
// questions, and one process asks them all.

import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'

export interface WebAsk {
  readonly id: number
  readonly url: string
  /** Where it is connected to, whatever the URL says. */
  readonly address: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes to send. */
  readonly body?: number
  /** Questions with the same name go over one connection, one after the other. */
  readonly connection?: string
  /** The client's own address. */
  readonly source?: string
}

export interface WebAnswer {
  readonly id: number
  /** 0 without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of it. */
  readonly body: string
  readonly bytes: number
  /** Who signed the certificate; empty in plain text. */
  readonly issuer: string
  readonly isReused: boolean
  /** Why there is no answer. */
  readonly fault: string
}

export class WebClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting = new Map<number, (answer: WebAnswer) => void>()
  #count = 0

  constructor(stateDir: string, namespace = 'client') {
    const { command, env } = openLab(stateDir, namespace)
    const [program = '', ...args] = [
      ...command,
      runtimePath(appRoot),
      join(appRoot, 'server/test/support/web-asker.ts'),
    ]
    this.#child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as WebAnswer
      // After a fault the answer may still end.
      this.#waiting.get(answer.id)?.(answer)
      this.#waiting.delete(answer.id)
    })
  }

  ask(question: Omit<WebAsk, 'id'>): Promise<WebAnswer> {
    this.#count++
    const id = this.#count
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#child.stdin.write(`${JSON.stringify({ id, ...question })}\n`)
    })
  }

  /** Call it before the lab stops. */
  async close(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.kill()
    await closed
    assert.equal(this.#waiting.size, 0, 'questions without an answer')
  }
}
