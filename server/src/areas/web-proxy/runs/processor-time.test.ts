import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import { followProcessorTime, parseProcessorMs } from './processor-time.ts'

test('the times are found behind a name with brackets and spaces', () => {
  const line = '42 (a) R 1 (b c) S 1 1 1 0 -1 4194560 100 0 0 0 70 30 0 0 20 0 1 0 100 1000 10 0'
  assert.equal(parseProcessorMs(line), 1000)
  for (const broken of ['', '42 (squid)', '42 (squid) S 1 1']) assert.equal(parseProcessorMs(broken), null)
})

test('the time of a process that works grows, and there is none when it has ended', async () => {
  const mark = `mark-${process.pid}-${Math.trunc(performance.now() * 1e6)}`
  const read = followProcessorTime(mark)
  assert.equal(read(), null)
  const worker = spawn(process.execPath, ['-e', 'for (;;) {}', mark], { stdio: 'ignore' })
  try {
    await until('it is seen to work', () => (read() ?? 0) > 100)
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }
  assert.equal(read(), null)
})
