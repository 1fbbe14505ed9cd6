import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SharedRuns } from './shared-runs.ts'

const never = new AbortController().signal

/** Runs that end when the test says so. */
function createRuns() {
  const started: { signal: AbortSignal; finish: (value: object) => void }[] = []
  const start = (signal: AbortSignal): Promise<object> => {
    const { promise, resolve } = Promise.withResolvers<object>()
    started.push({ signal, finish: resolve })
    return promise
  }
  return { runs: new SharedRuns<object>(() => true), started, start }
}

describe('shared runs', () => {
  it('give one run to all who ask the same, and its result to those who ask later', async () => {
    const { runs, started, start } = createRuns()
    const answers = [1, 2, 3].map(() => runs.ask('a', never, start))
    const result = {}
    started[0]?.finish(result)
    for (const answer of await Promise.all(answers)) assert.equal(answer, result)
    assert.equal(await runs.ask('a', never, start), result)
    assert.equal(started.length, 1)
  })

  it('give a result that is not kept to those who ask while another still uses it', async () => {
    const runs = new SharedRuns<object>(() => false)
    const make = (): Promise<object> => Promise.resolve({})
    const used = await runs.ask('a', never, make)
    assert.equal(await runs.ask('a', never, make), used)
    assert.notEqual(await runs.ask('b', never, make), used)
    assert.equal(await runs.ask('a', never, make), used)
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
    const again = {}
    started[1]?.finish(again)
    assert.equal(await next, again)
  })

  it('do not keep a failure', async () => {
    const runs = new SharedRuns<object>(() => true)
    await assert.rejects(
      runs.ask('a', never, () => Promise.reject(new Error('no'))),
      /no/,
    )
    const result = {}
    assert.equal(await runs.ask('a', never, () => Promise.resolve(result)), result)
  })
})
