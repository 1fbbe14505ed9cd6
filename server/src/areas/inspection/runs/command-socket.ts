// Asks the inspection engine over its command socket: how many rules it has, which it refused, what it counted. Each question is
// a connection of its own. While the engine reads its rules it does not answer, which is not a fault.

import { connect } from 'node:net'
import { patient } from '../../../shared/pace.ts'
import { say } from '../../../shared/said.ts'

export interface EngineReport {
  readonly version: string
  /** Null when it does not say. */
  readonly loaded: number | null
  /** Rules that it refused, and rules that say themselves that this engine is too old for them. */
  readonly refused: number
  readonly skipped: number
  /** The first that it refused. */
  readonly failed: readonly { readonly sid: number; readonly name: string; readonly reason: string }[]
  readonly counters: Readonly<Record<string, number>>
}

const mostBytes = 8 * 1024 * 1024
const mostFailed = 100
const mostCounters = 1_000
const mostReason = 300

/** Null when it does not answer in time, or answers what cannot be read. Never rejects. */
export async function askEngine(path: string, patienceMs = patient(3_000)): Promise<EngineReport | null> {
  try {
    const [version, stats, counters] = await converse(path, ['version', 'ruleset-stats', 'dump-counters'], patienceMs)
    const told = statsIn(stats)
    return {
      ...told,
      version: typeof version === 'string' ? version.slice(0, 60) : '',
      failed: told.refused === 0 ? [] : await askRefused(path, patienceMs),
      counters: countersIn(counters),
    }
  } catch {
    return null
  }
}

/** Their texts can be more than is read; that they are refused is known without them. */
async function askRefused(path: string, patienceMs: number): Promise<EngineReport['failed']> {
  try {
    const [failures] = await converse(path, ['ruleset-failed-rules'], patienceMs)
    return failuresIn(failures)
  } catch {
    return []
  }
}

/** The answers to commands, in their order, null where the engine refuses one; rejects when one is missing. */
export function converse(path: string, commands: readonly string[], patienceMs: number): Promise<unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
  const socket = connect(path)
  const timer = setTimeout(() => socket.destroy(new Error('the engine does not answer')), patienceMs)
  const answers: unknown[] = []
  let isGreeted = false
  let pending: string[] = []
  let bytes = 0
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`)
  const next = (): void => {
    const command = commands[answers.length]
    if (command !== undefined) {
      send({ command })
      return
    }
    resolve(answers)
    socket.destroy()
  }
  socket.setEncoding('utf8')
  socket.once('connect', () => send({ version: '0.2' }))
  socket.on('data', (text: string) => {
    bytes += text.length
    if (bytes > mostBytes) return void socket.destroy(new Error('the engine answers with too much'))
    // An answer ends with a line break; it has no other one. A long one comes in many pieces.
    const [first = '', ...others] = text.split('\n')
    pending.push(first)
    for (const begun of others) {
      const answer = readAnswer(pending.join(''))
      pending = [begun]
      if (answer === null || (!isGreeted && !answer.isOk))
        return void socket.destroy(new Error('the engine cannot be understood'))
      // Just after its start it has no counters yet, but all else.
      if (isGreeted) answers.push(answer.isOk ? answer.message : null)
      isGreeted = true
      next()
    }
  })
  socket.on('error', reject)
  socket.on('close', () => {
    clearTimeout(timer)
    reject(new Error('the engine closed the connection'))
  })
  return promise
}

/** Null when it cannot be read. */
function readAnswer(line: string): { readonly isOk: boolean; readonly message: unknown } | null {
  try {
    const answer = JSON.parse(line) as { readonly return?: unknown; readonly message?: unknown } | null
    return answer?.return === undefined ? null : { isOk: answer.return === 'OK', message: answer.message }
  } catch {
    return null
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0

function statsIn(stats: unknown): Pick<EngineReport, 'loaded' | 'refused' | 'skipped'> {
  const [first] = listOf(stats) as readonly (Readonly<Record<string, unknown>> | null)[]
  if (!first) return { loaded: null, refused: 0, skipped: 0 }
  return {
    loaded: countOf(first.rules_loaded),
    refused: countOf(first.rules_failed),
    skipped: countOf(first.rules_skipped),
  }
}

function failuresIn(failures: unknown): EngineReport['failed'] {
  return listOf(failures)
    .slice(0, mostFailed)
    .map((failure) => {
      const { rule, msg, error } = (failure ?? {}) as Record<string, unknown>
      const text = String(rule ?? '')
      const sid = /;\s{0,4}sid\s{0,4}:\s{0,4}(\d{1,10})/.exec(text)?.[1] ?? '0'
      const name = /[(;]\s{0,4}msg\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){0,200})/.exec(text)?.[1] ?? ''
      const reason = [msg, error].find((one) => typeof one === 'string' && one !== '') as string | undefined
      return {
        sid: Number(sid),
        name: name.replaceAll(/\\(.)/g, '$1'),
        reason: (reason ?? say`The engine does not take this rule.`).slice(0, mostReason),
      }
    })
}

/** The tree of counters as names such as `decoder.pkts`. */
function countersIn(tree: unknown): Record<string, number> {
  const counters: Record<string, number> = {}
  let count = 0
  const walk = (node: unknown, name: string, depth: number): void => {
    if (typeof node === 'number') {
      if (++count <= mostCounters) counters[name] = countOf(node)
    } else if (typeof node === 'object' && node !== null && !Array.isArray(node) && depth < 8)
      for (const [key, value] of Object.entries(node)) walk(value, name === '' ? key : `${name}.${key}`, depth + 1)
  }
  walk(tree, '', 0)
  return counters
}
