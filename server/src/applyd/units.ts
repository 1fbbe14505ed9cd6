// What a unit's table entry means: its command line, the hash of its inputs and its probe. Its process is managed
// by supervisor.ts.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { confine } from '../engines/kit/confine.ts'
import { type Command, type Probe, readsFile, type UnitSpec } from '../engines/kit/tables.ts'
import { type SaidText, say } from '../shared/said.ts'
import { hasNewSocket } from './machine/ports.ts'

export function commandLine(command: Command, pathOf: (file: string) => string): string[] {
  const args = command.args.map((arg) => arg.replace(/\{([a-z0-9._-]+)\}/g, (_, name: string) => pathOf(name)))
  return [command.program, ...args]
}

/** The process number stays the same from the first wrapper to the engine. */
export const unitCommandLine = (unit: UnitSpec, pathOf: (file: string) => string): string[] => [
  ...confine(unit),
  ...commandLine(unit, pathOf),
]

/** Changes whenever the process needs a restart or reload: another command line or, after the space, another file. */
export function inputsOf(unit: UnitSpec, contents: ReadonlyMap<string, Buffer | null>): string {
  const files = [...contents]
    .filter(([name, content]) => content && readsFile(unit, name))
    .map(([name, content]) => [name, content && digestOf(content)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const command = unitCommandLine(unit, (file) => file)
  return `${digest(JSON.stringify(command))} ${digest(JSON.stringify(files))}`
}

const digest = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')
const digests = new WeakMap<Buffer, string>()

/** Contents never change, so each is read once. */
export function digestOf(content: Buffer): string {
  const known = digests.get(content) ?? digest(content)
  digests.set(content, known)
  return known
}

/** Why the engine cannot work on this kernel; null when no feature is missing. */
export function kernelFault({ needs = [] }: UnitSpec): SaidText | null {
  const missing = needs.filter(({ path }) => !existsSync(path)).map(({ name }) => name)
  return missing.length === 0 ? null : say`The running kernel does not support ${missing.join(' and ')}.`
}

/**
 * One attempt. A port counts only with a socket that was not there before the engine started; a datagram would need the
 * engine's own protocol, so for UDP that is all.
 */
export async function answers(probe: Exclude<Probe, { kind: 'alive' }>, before: ReadonlySet<string>): Promise<boolean> {
  if (probe.kind !== 'unix' && !hasNewSocket(probe, before)) return false
  return probe.kind === 'udp' || accepts(probe)
}

function accepts(target: { host: string; port: number } | { path: string }): Promise<boolean> {
  const socket = connect(target).setTimeout(500)
  const accepted = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    for (const event of ['error', 'timeout']) socket.once(event, () => resolve(false))
  })
  return accepted.finally(() => socket.destroy())
}

/** Of the answer to a reload: one line. */
const maxAnswerBytes = 4096

/** Sends `reload`; the fault that the program answers with, null when it works with its new files. */
export function askReload(path: string, timeoutMs: number): Promise<string | null> {
  const socket = connect(path, () => socket.write('reload\n'))
  let text = ''
  const answer = new Promise<string | null>((resolve) => {
    // Not a timeout of the socket, which begins again with each byte.
    const timer = setTimeout(() => resolve('It does not answer.'), timeoutMs)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (text.includes('\n') || text.length > maxAnswerBytes) socket.destroy()
    })
    socket.on('error', () => resolve('It does not answer.'))
    socket.on('close', () => {
      const [line = ''] = Buffer.from(text, 'latin1').toString().split('\n')
      clearTimeout(timer)
      if (/^ok( |$)/.test(line) && text.includes('\n')) resolve(null)
      else resolve(line.startsWith('fault ') ? line.slice('fault '.length) : 'Its answer is not valid.')
    })
  })
  return answer.finally(() => socket.destroy())
}
