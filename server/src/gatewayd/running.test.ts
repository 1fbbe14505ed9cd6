import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Host, type Run, run } from '../core/area/run.ts'
import { optionalService, service } from '../core/area/service.ts'
import { provide, RunningServices } from './running.ts'

const lower = service<{ readonly name: string }>('lower')
const upper = service<{ readonly name: string }>('upper')
const absent = optionalService<object>('absent')

describe('services that run', () => {
  const did: string[] = []
  const noted: string[] = []
  const log = (_level: string, message: string): void => void noted.push(message)
  const one = (name: typeof lower, needs: readonly (typeof lower)[] = [], stop?: () => Promise<void>): Run =>
    run(name, ({ services }) => {
      for (const needed of needs) services.of(needed)
      did.push(`make ${name.name}`)
      return {
        offers: { name: name.name },
        start: () => void did.push(`start ${name.name}`),
        follow: () => void did.push(`follow ${name.name}`),
        stop: async () => {
          did.push(`stop ${name.name}`)
          await stop?.()
        },
      }
    })
  const open = (runs: readonly Run[], provided: Parameters<typeof provide>[] = []): RunningServices => {
    did.length = 0
    noted.length = 0
    const host = { services: { of: (name: typeof lower) => running.of(name) } } as unknown as Host
    const running: RunningServices = new RunningServices(
      runs,
      provided.map((pair) => provide(...pair)),
      host,
    )
    return running
  }

  it('are made once, when they are first asked for, after what they need', () => {
    const running = open([one(upper, [lower]), one(lower)])
    assert.deepEqual(did, [])
    assert.equal(running.of(upper), running.of(upper))
    running.makeAll()
    assert.deepEqual(did, ['make lower', 'make upper'])
  })

  it('are started and told of changes in the order in which they were made, and stopped in the reverse one', async () => {
    const running = open([one(upper, [lower]), one(lower)])
    running.makeAll()
    await running.start()
    running.follow()
    await running.stop(log)
    await running.stop(log)
    assert.equal(running.of(upper).name, 'upper')
    assert.deepEqual(did.slice(2), [
      'start lower',
      'start upper',
      'follow lower',
      'follow upper',
      'stop upper',
      'stop lower',
    ])
  })

  it('are absent only where their name says that they can be', () => {
    const running = open([run(absent, () => null)])
    assert.equal(running.of(absent), undefined)
    assert.throws(() => running.of(lower), /"lower" does not run/)
  })

  it('may be provided instead of being made', () => {
    const running = open([one(lower)], [[lower, { name: 'another' }]])
    assert.equal(running.of(lower).name, 'another')
    assert.deepEqual(did, [])
  })

  it('that need each other are a fault', () => {
    const running = open([one(upper, [lower]), one(lower, [upper])])
    assert.throws(() => running.makeAll(), /"upper" needs itself/)
  })

  it('that do not stop, or fail to, hold no other one up', async () => {
    const fails = (): Promise<void> => Promise.reject(new Error('no'))
    const hangs = (): Promise<void> => new Promise(() => {})
    const third = service<{ readonly name: string }>('third')
    const running = open([one(lower), one(upper, [], hangs), one(third, [], fails)])
    running.makeAll()
    await running.stop(log, 20)
    assert.deepEqual(did.slice(3), ['stop third', 'stop upper', 'stop lower'])
    assert.deepEqual(noted, ['a service did not stop', 'a service did not stop in time'])
  })
})
