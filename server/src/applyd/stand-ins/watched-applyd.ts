// applyd in its own process, with the watch on its event loop: tests talk to it over its socket, as gatewayd does.

import { watchLoop } from '../../../test/support/loop-watch.ts'
import { Bench } from './harness.ts'

const bench = new Bench(process.argv[2] === 'program' ? 'program' : 'library')
const applyd = await bench.start()
const watch = watchLoop()

process.on('message', (ask: 'take' | 'close') => {
  if (ask === 'take') process.send?.({ longestMs: watch.take(), log: bench.log })
  else void close()
})
process.on('disconnect', () => void close().finally(() => process.exit()))

async function close(): Promise<void> {
  watch.stop()
  await applyd.close(true)
  bench.remove()
  process.disconnect?.()
}

process.send?.({ socketPath: applyd.socketPath })
