// Requirement 69.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import type { GatewayError } from '../contract/error.ts'
import { type PoolOptions, WorkerPool } from './pool.ts'
import type { standInTasks } from './stand-in-worker.ts'

const entry = new URL('./stand-in-worker.ts', import.meta.url)
const owner = 'admin'

async function withPool(
  options: Omit<PoolOptions, 'entry'>,
  act: (pool: WorkerPool<typeof standInTasks>) => Promise<void>,
): Promise<void> {
  const pool = new WorkerPool<typeof standInTasks>({ entry, ...options })
  try {
    await act(pool)
  } finally {
    await pool.close()
  }
}

describe('a pool of workers', () => {
  it('runs tasks in another thread, with lower priority and no environment', () =>
    withPool({}, async (pool) => {
      assert.equal(await pool.run('double', 21, { owner }), 42)
      assert.equal(await pool.run('priority', undefined, { owner }), 5)
      assert.equal(await pool.run('environment', undefined, { owner }), 0)
      assert.equal((await pool.run('bytes', 10, { owner })).length, 10)
    }))

  it('works under a process that was started with less priority, and keeps that', () => {
    const script = `
      import(${JSON.stringify(new URL('./pool.ts', import.meta.url).href)}).then(async ({ WorkerPool }) => {
        const pool = new WorkerPool({ entry: new URL(${JSON.stringify(entry.href)}) })
        console.log(await pool.run('priority', undefined, { owner: 'admin' }))
        await pool.close()
      })`
    // Also root, and without the right to take more.
    const bounds = process.getuid?.() === 0 ? ['/usr/bin/setpriv', '--bounding-set=-sys_nice', '--'] : []
    const program = [...bounds, process.execPath, '--eval', script]
    const { stdout, stderr } = spawnSync('/usr/bin/nice', ['-n', '10', ...program], { encoding: 'utf8' })
    assert.equal(stdout.trim(), '10', stderr)
  })

  it('does not blame the memory for a worker that fails to start', async () => {
    const pool = new WorkerPool<typeof standInTasks>({ entry: new URL('./not-there.ts', import.meta.url) })
    await assert.rejects(
      pool.run('priority', undefined, { owner }),
      /^GatewayError: The thread that did the work failed\./,
    )
    await pool.close()
  })

  it('hands refusals on as they were made, and faults as faults', () =>
    withPool({}, async (pool) => {
      await assert.rejects(pool.run('refuse', undefined, { owner }), (error: GatewayError) => {
        assert.deepEqual([error.code, error.problems], ['invalid', [{ field: 'a', message: 'No.' }]])
        return true
      })
      await assert.rejects(pool.run('fail', undefined, { owner }), /a fault/)
      assert.equal(await pool.run('double', 1, { owner }), 2)
    }))

  it('ends work that takes too long', () =>
    withPool({ timeLimitMs: 300 }, async (pool) => {
      await assert.rejects(pool.run('hang', undefined, { owner }), { code: 'unavailable' })
    }))

  it('ends work whose client has gone, and goes on with a new worker', () =>
    withPool({}, async (pool) => {
      const client = new AbortController()
      const left = pool.run('hang', undefined, { owner, signal: client.signal })
      const next = pool.run('double', 2, { owner })
      client.abort()
      await assert.rejects(left, { code: 'unavailable' })
      assert.equal(await next, 4)
    }))

  it('a client that asks and goes again and again costs no new worker each time', () =>
    withPool({}, async (pool) => {
      const thread = await pool.run('thread', undefined, { owner })
      for (let round = 0; round < 20; round++) {
        const client = new AbortController()
        const left = pool.run('double', round, { owner, signal: client.signal })
        client.abort()
        await assert.rejects(left, { code: 'unavailable' })
      }
      assert.equal(await pool.run('thread', undefined, { owner }), thread)
    }))

  it('a client with work that does not end has never all workers', () =>
    withPool({ atOnce: 2 }, async (pool) => {
      const client = new AbortController()
      const greedy = [1, 2, 3].map(() => pool.run('hang', undefined, { owner: 'greedy', signal: client.signal }))
      assert.equal(await pool.run('double', 4, { owner: 'modest' }), 8)
      client.abort()
      await Promise.allSettled(greedy)
    }))

  it('several clients that fill what may wait do not shut out one more', () =>
    withPool({ maxWaiting: 4, leftMs: 1 }, async (pool) => {
      const client = new AbortController()
      const run = (greedy: number) => pool.run('hang', undefined, { owner: `${greedy}`, signal: client.signal })
      const greedy = [1, 1, 2, 2, 3, 3, 1, 2, 3].map(run)
      const modest = pool.run('double', 4, { owner: 'modest' })
      client.abort()
      await Promise.allSettled(greedy)
      assert.equal(await modest, 8)
    }))

  it('survives a worker that fills its memory', () =>
    withPool({ maxHeapMb: 32 }, async (pool) => {
      await assert.rejects(pool.run('fill', undefined, { owner }), {
        code: 'unavailable',
        message: 'The work needed more memory than it may have.',
      })
      assert.equal(await pool.run('double', 3, { owner }), 6)
    }))

  it('gives owners turns and bounds what one of them may have waiting', () =>
    withPool({ maxWaitingPerOwner: 3 }, async (pool) => {
      const done: string[] = []
      const note = (name: string) => () => void done.push(name)
      const greedy = [1, 2, 3].map((n) => pool.run('double', n, { owner: 'greedy' }).then(note('greedy')))
      const modest = pool.run('double', 1, { owner: 'modest' }).then(note('modest'))
      const more = [4, 5].map((n) => pool.run('double', n, { owner: 'greedy' }))
      const results = await Promise.allSettled([...greedy, modest, ...more])
      assert.deepEqual(done.slice(0, 2).sort(), ['greedy', 'modest'])
      assert.ok(results.some(({ status }) => status === 'rejected'))
    }))
})
