// The work of the classifier in its rhythm: take packets ten times a second, have the new ones looked at every few seconds, and
// write what was found. One run of ndpiReader at a time, so that a flood of connections costs a share of one core at the most
// and what does not fit is not recognised.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ClassifierReport } from '../../core/plan/facts.ts'
import { Connections } from './connections.ts'
import type { Copies } from './copies.ts'
import type { Detected } from './detect.ts'
import { parsePacket, printCapture } from './packet.ts'

export interface ClassifierParts {
  readonly copies: Copies
  readonly detect: (capture: Buffer) => Promise<ReadonlyMap<string, Detected>>
  readonly openConnections: () => Iterable<string>
  /** All lines when `isWhole`, otherwise those that are new. */
  readonly write: (lines: readonly string[], isWhole: boolean) => void
  readonly report: (report: ClassifierReport) => void
  readonly log: (message: string) => void
}

const takeMs = 100
const [takesPerRound, takesPerReport, takesPerCleaning] = [30, 50, 600]
/** About 20 MB of packets, so that a flood leaves time for the rest. */
const bundlesPerTake = 400
/** Lines that are written before the file is written again without what is over. */
const linesPerFile = 60_000

export const lineOf = (key: string, { name, server }: Detected): string =>
  JSON.stringify({ connection: key, application: name, server })

export async function runClassifier(parts: ClassifierParts, signal: AbortSignal): Promise<void> {
  const { copies, detect, openConnections, write, report, log } = parts
  const connections = new Connections()
  let [packets, recognised, lines] = [0, 0, 0]
  let fault = ''
  let running: Promise<void> | null = null

  function writeAll(): void {
    const all = [...connections.known].map(([key, detected]) => lineOf(key, detected))
    lines = all.length
    write(all, true)
  }

  async function look(): Promise<void> {
    const round = connections.round()
    if (round.size === 0) return
    try {
      const found = await detect(printCapture([...round.values()].flat()))
      const fresh = connections.settle(round, found)
      fault = ''
      if (fresh.length === 0) return
      recognised += fresh.length
      lines += fresh.length
      if (lines > linesPerFile) writeAll()
      else
        write(
          fresh.map(([key, detected]) => lineOf(key, detected)),
          false,
        )
    } catch (failure) {
      const text = (failure as Error).message
      if (text !== fault) log(text)
      fault = text
      connections.settle(round, new Map())
    }
  }

  function clean(): void {
    const open = new Set(openConnections())
    connections.keep((key) => open.has(key))
    writeAll()
  }

  writeAll()
  report({ at: Date.now(), packets, recognised, lost: 0, fault })
  for (let take = 1; !signal.aborted; take++) {
    await sleep(takeMs, undefined, { signal }).catch(() => {})
    copies.receive(bundlesPerTake, (bytes) => {
      packets++
      const packet = parsePacket(bytes)
      if (packet) connections.add(packet)
    })
    if (take % takesPerCleaning === 0) clean()
    if (take % takesPerRound === 0)
      running ??= look().finally(() => {
        running = null
      })
    if (take % takesPerReport === 0) report({ at: Date.now(), packets, recognised, lost: copies.lost(), fault })
  }
  await running
}
