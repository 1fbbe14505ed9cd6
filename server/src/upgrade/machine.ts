// What the program of an upgrade asks of the machine: commands, time and whether the gateway answers. Tests hand in their own.

import { spawn } from 'node:child_process'
import { request } from 'node:https'
import { setTimeout as passes } from 'node:timers/promises'
import { patient } from '../shared/pace.ts'

export interface Ended {
  readonly code: number
  /** The end of what it wrote, both streams. */
  readonly output: string
}

export interface Machine {
  /** The limit is that of an ordinary machine. */
  run(command: readonly [string, ...string[]], limitMs?: number): Promise<Ended>
  /** True when something speaks HTTPS there and answers. */
  answers(host: string, port: number): Promise<boolean>
  pause(ms: number): Promise<void>
  log(message: string): void
}

const keptOutput = 8_192
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const environment = { PATH: path, LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive', HOME: '/root' }

export const thisMachine: Machine = {
  run: ([program, ...args], limitMs = 60_000) =>
    new Promise((resolve) => {
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment, cwd: '/' })
      let output = ''
      const take = (text: string): void => {
        output = `${output}${text}`.slice(-keptOutput)
      }
      child.stdout.setEncoding('utf8').on('data', take)
      child.stderr.setEncoding('utf8').on('data', take)
      const timer = setTimeout(() => child.kill('SIGKILL'), patient(limitMs))
      child.once('error', (fault) => {
        clearTimeout(timer)
        resolve({ code: 127, output: fault.message })
      })
      // Not `close`: a service that a maintainer script left behind would hold the pipes open.
      child.once('exit', (code, signal) => {
        clearTimeout(timer)
        setImmediate(() =>
          resolve({ code: code ?? 128, output: signal ? `${output}\nIt ended with ${signal}.` : output }),
        )
      })
    }),
  answers: (host, port) =>
    new Promise((resolve) => {
      // Only whether it answers counts: nothing is sent that a wrong server could use.
      const timeout = patient(3_000)
      const asked = request({ host, port, path: '/metrics', rejectUnauthorized: false, timeout, agent: false })
      asked.once('response', (answer) => {
        answer.resume()
        resolve((answer.statusCode ?? 500) < 500)
      })
      asked.once('timeout', () => asked.destroy(new Error('timeout')))
      asked.once('error', () => resolve(false))
      asked.end()
    }),
  pause: (ms) => passes(ms),
  log: (message) => console.log(message),
}

/** The last lines that say something, as one short text. */
export function lastWords(output: string, lines = 3): string {
  const said = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return said.slice(-lines).join(' ').slice(-500)
}
