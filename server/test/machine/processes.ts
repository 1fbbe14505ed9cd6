// Programs that the machines of tests need: run to their end, or ended with the test run, however that ends.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { patienceMs } from '../support/until.ts'

export interface Result {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  /** Only ends what hangs. */
  readonly timeoutMs?: number
}

/** The kernel ends it with this process. */
const tiedToUs = ['/usr/bin/setpriv', '--pdeathsig=KILL', '--']

export function startTied(argv: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const [program = '', ...args] = [...tiedToUs, ...argv]
  return spawn(program, args, options)
}

export function runTied(
  argv: readonly string[],
  { input = '', timeoutMs = patienceMs }: RunOptions = {},
): Promise<Result> {
  const child = startTied(argv, { stdio: 'pipe', timeout: timeoutMs, killSignal: 'SIGKILL' })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  // A program that does not read its input ends all the same.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...texts }))
  })
}

/** Rejects with what the program wrote when it does not end well. */
export async function mustRun(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runTied(argv, options)
  if (code === 0) return stdout
  throw new Error(`${argv.join(' ')} ended with ${code}.\n${lastLines(stderr)}\n${lastLines(stdout)}`)
}

export const lastLines = (text: string, count = 20): string => text.trimEnd().split('\n').slice(-count).join('\n')

export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended.
    return []
  }
}
