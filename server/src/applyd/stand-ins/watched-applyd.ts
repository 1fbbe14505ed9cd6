// applyd in its own process, with the watch on its event loop: tests talk to it over its socket, as gatewayd does.

import { referenceMs, stallFor, watchLoop } from '../../../test/support/loop-watch.ts'
import { Bench } from './harness.ts'

/** What a test asks; the answer to `take` is a `Stretch`. A number is a stall on purpose, of so many pieces of reference work. */
export type Question = 'take' | 'close' | number

/** Milliseconds of processor time: the longest turn since the last question, and a piece of reference work in this process. */
export interface Stretch {
  readonly longestMs: number
  readonly referenceMs: number
}

const bench = new Bench(process.argv[2] === 'program' ? 'program' : 'library')
const applyd = await bench.start()
const watch = watchLoop()

process.on('message', (ask: Question) => {
  if (ask === 'close') return void close()
  if (ask === 'take') return void take()
  stallFor(ask)
  process.send?.({})
})
process.on('disconnect', () => void close().finally(() => process.exit()))

function take(): void {
  const longestMs = watch.take()
  process.send?.({ longestMs, referenceMs: referenceMs() } satisfies Stretch)
  // The reference work is not applyd's.
  watch.take()
}

async function close(): Promise<void> {
  watch.stop()
  await applyd.close(true)
  bench.remove()
  process.disconnect?.()
}

process.send?.({ socketPath: applyd.socketPath, namespace: bench.namespace })
