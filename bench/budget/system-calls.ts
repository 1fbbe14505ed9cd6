// Counts system calls of gatewayd's main thread and of applyd with what it starts, by strace, and among them the requests that
// list the firewall. It slows both down, so no processor time is measured then.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../server/test/support/until.ts'
import { isListing } from '../firewall/listings.ts'
import { benchFolder } from '../folder.ts'

const strace = '/usr/bin/strace'

export interface Calls {
  readonly gatewayd: number
  readonly applyd: number
  readonly listings: number
}

/** What waits, and what threads wake each other with, depends on how busy the machine is. */
const uncounted = /^(\w*(epoll|poll|select|mmap|munmap)\w*\(|<|\+|-|\w+\(\d+<anon_inode:\[eventfd\])/

/** What the cheapest of the works needed. Null where strace is missing or may not attach. */
export async function countCalls(
  pids: { readonly gatewayd: number; readonly applyd: number },
  works: readonly (() => Promise<unknown>)[],
): Promise<Calls | null> {
  if (!existsSync(strace)) return null
  const output = join(benchFolder(), 'strace')
  const options = [
    '-f',
    '-y',
    '-s',
    '64',
    '-e',
    'trace=%file,%desc,%network,%process',
    '-e',
    'signal=none',
    '-o',
    output,
  ]
  const traced = [pids.gatewayd, pids.applyd]
  const attach = traced.flatMap((pid) => ['-p', `${pid}`])
  const tracer = spawn(strace, [...options, ...attach], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(tracer, 'exit')
  let said = ''
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const isAttached = (pid: number): boolean => /^TracerPid:\s+[1-9]/m.test(statusOf(pid))
  const bothAttached = until('strace is attached', () => traced.every(isAttached)).then(() => true)
  if (!(await Promise.race([bothAttached, ended.then(() => false)]))) return null
  const read = (): string => (existsSync(output) ? readFileSync(output, 'utf8') : '')
  try {
    const found: Calls[] = []
    for (const work of works) {
      const before = read().length
      await work()
      // What was asked before the answer has been written by then, but for the last lines.
      await pause(50)
      found.push(countIn(read().slice(before), pids.gatewayd))
    }
    // What both do by themselves every few seconds only adds to some of them.
    const least = (pick: (calls: Calls) => number): number => Math.min(...found.map(pick))
    return {
      gatewayd: least((calls) => calls.gatewayd),
      applyd: least((calls) => calls.applyd),
      listings: least((calls) => calls.listings),
    }
  } finally {
    tracer.kill('SIGTERM')
    await ended
    const isFree = (pid: number): boolean => /^TracerPid:\s+0$/m.test(statusOf(pid))
    await until(`strace has let go: ${said}`, () => traced.every(isFree))
  }
}

const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'utf8')

/** Each line begins with the thread. Other threads of gatewayd write and read logs when it suits them. */
function countIn(text: string, gatewayd: number): Calls {
  const threads = new Set(readdirSync(`/proc/${gatewayd}/task`))
  const lines = text.split('\n').map((line) => /^(\d+)\s+(.*)$/.exec(line)?.slice(1) ?? ['', ''])
  const counted = lines.filter(([thread, call = '']) => thread !== '' && !uncounted.test(call))
  const others = counted.filter(([thread = '']) => !threads.has(thread))
  return {
    gatewayd: counted.filter(([thread]) => thread === `${gatewayd}`).length,
    applyd: others.length,
    listings: others.filter(([, call = '']) => isListing(call)).length,
  }
}
