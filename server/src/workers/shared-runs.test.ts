import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SharedRuns } from './shared-runs.ts'

const never = new AbortController().signal

/** Runs that end when the test says so. */
function createRuns() {
  const started: { signal: AbortSignal; finish: (value: string) => void }[] = []
  const start = (signal: AbortSignal): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>()
    started.push({ signal, finish: resolve })
    return promise
  }
  return { runs: new SharedRuns<string>(), started, start }
}

describe('shared runs', () => {
  it('give one run to all who ask the same, and its result to those who ask later', async () => {
    const { runs, started, start } = createRuns()
    const answers = [1, 2, 3].map(() => runs.ask('a', never, start))
    started[0]?.finish('done')
    assert.deepEqual(await Promise.all(answers), ['done', 'done', 'done'])
    assert.equal(await runs.ask('a', never, start), 'done')
    assert.equal(started.length, 1)
  })

  it('keep the result of the last key only', async () => {
    const { runs, started, start } = createRuns()
    for (const key of ['a', 'b', 'a']) {
      const answer = runs.ask(key, never, start)
      started.at(-1)?.finish(key)
      assert.equal(await answer, key)
    }
    assert.equal(started.length, 3)
  })

  it('go on while one still waits, and end when all have gone', async () => {
    const { runs, started, start } = createRuns()
    const clients = [new AbortController(), new AbortController()]
    const answers = clients.map(({ signal }) => runs.ask('a', signal, start))
    clients[0]?.abort()
    await assert.rejects(answers[0] ?? assert.fail(), { code: 'unavailable' })
    assert.equal(started[0]?.signal.aborted, false)
    clients[1]?.abort()
    await assert.rejects(answers[1] ?? assert.fail(), { code: 'unavailable' })
    assert.equal(started[0]?.signal.aborted, true)
    const next = runs.ask('a', never, start)
    started[1]?.finish('again')
    assert.equal(await next, 'again')
  })

  it('do not keep a failure', async () => {
    const runs = new SharedRuns<string>()
    await assert.rejects(
      runs.ask('a', never, () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await runs.ask('a', never, () => Promise.resolve('yes')), 'yes')
  })
})
