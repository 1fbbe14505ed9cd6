import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { ScanSlots } from './scan-slots.ts'

const long = 60_000

describe('slots of the antivirus program', () => {
  it('are shared: one client has its part, the next one has the rest, and those that wait take turns', async () => {
    const slots = new ScanSlots({ all: 3, ofClient: 2 })
    const begun: string[] = []
    const releases: (() => void)[] = []
    const ask = (client: string): void => {
      void slots.take(client, long).then((release) => {
        begun.push(client)
        if (release) releases.push(release)
      })
    }
    for (let count = 0; count < 50; count++) ask('a')
    ask('b')
    ask('b')
    ask('c')
    await setImmediate()
    assert.deepEqual(begun, ['a', 'a', 'b'])
    // Each time one ends another begins: `a` has fifty, and waits behind the others.
    for (let count = 0; count < 4; count++) {
      releases.shift()?.()
      await setImmediate()
    }
    assert.deepEqual(begun.slice(3, 6).toSorted(), ['a', 'b', 'c'])
    while (releases.length > 0) {
      releases.shift()?.()
      await setImmediate()
    }
    assert.equal(begun.length, 53)
  })

  it('are given up by who waits too long, and given back once', async () => {
    const slots = new ScanSlots({ all: 1, ofClient: 1 })
    const release = await slots.take('a', long)
    assert.equal(await slots.take('b', 1), null)
    release?.()
    release?.()
    const [next, second] = [slots.take('c', long), slots.take('d', 1)]
    assert.equal(typeof (await next), 'function')
    assert.equal(await second, null)
    ;(await next)?.()
  })

  it('are never more than there are, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }), async (clients) => {
        const slots = new ScanSlots({ all: 4, ofClient: 2 })
        const busy = new Map<string, number>()
        let [all, done] = [0, 0]
        await Promise.all(
          clients.map(async (client) => {
            const release = await slots.take(client, long)
            busy.set(client, (busy.get(client) ?? 0) + 1)
            assert.ok(++all <= 4 && (busy.get(client) ?? 0) <= 2)
            await setImmediate()
            busy.set(client, (busy.get(client) ?? 0) - 1)
            all--
            done++
            release?.()
          }),
        )
        assert.equal(done, clients.length)
      }),
      { numRuns: 50 },
    )
  })
})
