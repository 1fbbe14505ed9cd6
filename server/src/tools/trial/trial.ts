// One trial: makes the copy, sends the packets into it and reads from the kernel's trace what became of each.

import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Copy, makeCopy, readGateway } from './copy.ts'
import type { DetailedResult, TrialInput } from './input.ts'
import { start } from './programs.ts'
import type { Sending } from './sender.ts'
import { Trace } from './trace.ts'

/** Few enough that the kernel's buffer for traces cannot overflow. */
const sentAtOnce = 100
const signMs = 50
/** A packet without a verdict was lost on the way, as to an address without a route; this long we wait for others. */
const silenceMs = 150

export async function runTrial({ script, packets }: TrialInput): Promise<readonly DetailedResult[]> {
  const rounds = Math.ceil(packets.length / sentAtOnce)
  const copy = await makeCopy(await readGateway(), script, packets, rounds + 1)
  const monitor = start(copy.monitor)
  try {
    const trace = await sendAll(copy, monitor)
    return packets.map((_, at) => trace.resultOf(at + 1))
  } finally {
    monitor.kill('SIGKILL')
    copy.close()
  }
}

async function sendAll(copy: Copy, monitor: ChildProcess): Promise<Trace> {
  const { trace, next } = watch(monitor)
  const send = (sendings: readonly Sending[]) => copy.peer.holder.stdin?.write(`${JSON.stringify(sendings)}\n`)
  /** nft does not say when it begins to listen, so a sign is sent until it is seen. */
  const waitForSign = async (sign: Sending): Promise<void> => {
    for (let isSilent = true; !trace.hasSeen(sign.port); isSilent = !(await next(signMs))) if (isSilent) send([sign])
  }
  const [first, ...others] = copy.signs
  if (first) await waitForSign(first)
  for (const [round, sign] of others.entries()) {
    const sent = copy.sendings.slice(round * sentAtOnce, (round + 1) * sentAtOnce).flatMap((sending) => sending ?? [])
    send(sent)
    await waitForSign(sign)
    const isOver = () => sent.every(({ port }) => trace.isDecided(port))
    for (let isSilent = false; !isOver() && !isSilent; ) isSilent = !(await next(silenceMs))
  }
  return trace
}

/** `next` answers whether a line came in time. */
function watch(monitor: ChildProcess): { readonly trace: Trace; readonly next: (ms: number) => Promise<boolean> } {
  const trace = new Trace()
  let wake = () => {}
  let hasEnded = false
  createInterface({ input: monitor.stdout ?? process.stdin }).on('line', (line) => {
    trace.addLine(line)
    wake()
  })
  monitor.once('close', () => {
    hasEnded = true
    wake()
  })
  const next = async (ms: number): Promise<boolean> => {
    const isInTime = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
      wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
    if (hasEnded) throw new Error('nft shows no traces here.')
    return isInTime
  }
  return { trace, next }
}
