// The interface of a gateway on a machine, asked from the client beside it, as an administrator in the local network would.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { client, type Machine } from './machine.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export class MachineApi implements Disposable {
  readonly #machine: Machine
  readonly #folder = mkdtempSync(join(tmpdir(), 'portcullis-machine-'))

  constructor(machine: Machine) {
    this.#machine = machine
  }

  async signIn(password: string): Promise<void> {
    const { status, body } = await this.call('POST', '/web/auth/login', { login: 'admin', password, rest_path: '/' })
    assert.equal(status, 200, JSON.stringify(body))
  }

  /** Status 0: no answer came. */
  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const jar = join(this.#folder, 'cookies')
    const data = body === undefined ? [] : ['--data-binary', '@-', '--header', 'content-type: application/json']
    const { stdout } = await this.#machine.beside(
      'client',
      [
        '/usr/bin/curl',
        '-sk',
        '-m',
        '60',
        '-b',
        jar,
        '-c',
        jar,
        '-X',
        method,
        '-w',
        '\n%{http_code}',
        ...data,
        `https://${client.gateway}:8443${path}`,
      ],
      { input: body === undefined ? '' : JSON.stringify(body) },
    )
    const end = stdout.lastIndexOf('\n')
    const text = stdout.slice(0, end)
    return { status: Number(stdout.slice(end + 1)), body: text === '' ? null : JSON.parse(text) }
  }

  /** Rejects unless it is accepted. */
  async must(method: string, path: string, body?: unknown): Promise<Answer['body']> {
    const answer = await this.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
