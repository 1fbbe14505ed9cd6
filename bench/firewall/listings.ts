// Counts what applyd and the programs it starts ask of nftables, by strace: requests for all objects of a kind, whether a
// program or applyd itself sends them, and the nft programs started. It slows applyd down, so nothing is timed in the meantime.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../server/test/support/until.ts'
import { benchFolder } from '../folder.ts'

const strace = '/usr/bin/strace'

export interface Asked {
  /** Requests for all chains, rules, sets or elements: what a listing is made of. */
  readonly listings: number
  readonly programs: number
}

/** For each piece of work what was asked while it was done; null where strace is missing or may not attach. */
export async function countListings(pid: number, works: readonly (() => Promise<unknown>)[]): Promise<Asked[] | null> {
  if (!existsSync(strace)) return null
  const output = join(benchFolder(), 'strace')
  const trace = 'trace=execve,sendto,sendmsg,sendmmsg'
  const tracer = spawn(strace, ['-f', '-s', '4096', '-e', trace, '-e', 'signal=none', '-o', output, '-p', `${pid}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(tracer, 'exit')
  const [said] = (await Promise.race([once(tracer.stderr, 'data'), ended])) as [unknown]
  if (!String(said).includes('attached')) return null
  const read = (): string => (existsSync(output) ? readFileSync(output, 'utf8') : '')
  try {
    const results: Asked[] = []
    for (const work of works) {
      const before = read().length
      await work()
      // What was asked before the answer has been written by then, but for the last lines.
      await pause(50)
      results.push(countIn(read().slice(before)))
    }
    return results
  } finally {
    tracer.kill('SIGTERM')
    await ended
    await until('strace has let go', () => /^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
  }
}

/** By name, and by number where strace does not see the protocol of a socket in another namespace (nf_tables.h). */
const dump = /nlmsg_type=(\S*NFT_MSG_GET[A-Z]+|0xa[\da-f]{2}\b)[^}]*nlmsg_flags=[^,}]*(NLM_F_DUMP|0x300)/

/** Whether a line of strace is a request for all objects of a kind. */
export const isListing = (line: string): boolean => dump.test(line)

function countIn(text: string): Asked {
  const lines = text.split('\n')
  return {
    listings: lines.filter(isListing).length,
    programs: lines.filter((line) => /execve\("[^"]*\/nft"/.test(line)).length,
  }
}
