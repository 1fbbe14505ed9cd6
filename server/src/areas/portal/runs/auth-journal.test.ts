import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { NaiveLogStore } from '../../../../test/support/naive-log-store.ts'
import { Database } from '../../../core/database/database.ts'
import { logViews } from '../../../gatewayd/logs/log-views.ts'
import { AuthJournal, type AuthStart } from './auth-journal.ts'

const start = (id: string, started: number): AuthStart => ({
  id,
  started,
  user_id: 3,
  login: 'anna',
  name: 'Anna',
  group_name: 'All',
  domain_type: 'local',
  ip: '10.0.0.1',
  country_name: '',
  country_code: '',
})

describe('the authentication journal', () => {
  let database: Database
  let logs: NaiveLogStore
  let journal: AuthJournal
  let faults: unknown[]
  const begin = (): AuthJournal => new AuthJournal({ database, logs, onFault: (error) => faults.push(error) })
  beforeEach(() => {
    faults = []
    database = new Database(':memory:')
    logs = new NaiveLogStore(logViews)
    journal = begin()
  })
  afterEach(async () => {
    await journal.stop()
    database.close()
  })

  const written = async () =>
    (await logs.after(0, 1_000)).records.map(({ fields: { session, ended } }) => [session, ended])

  it('writes the beginning of a session and its end, and knows what is open', async () => {
    journal.begin(start('a', 100))
    journal.begin(start('b', 110))
    await journal.settle()
    assert.deepEqual(journal.open(), { ids: ['a', 'b'], since: 100 })
    journal.end('a', 150)
    journal.end('a', 160)
    journal.end('unknown', 160)
    await journal.settle()
    assert.deepEqual(journal.open(), { ids: ['b'], since: 110 })
    assert.deepEqual(await written(), [
      ['a', -1],
      ['b', -1],
      ['a', 150],
    ])
    const [first, , last] = (await logs.after(0, 10)).records
    assert.partialDeepStrictEqual(first, { time: 100_000_000, message: "User 'anna' signed in from 10.0.0.1." })
    assert.partialDeepStrictEqual(last, { time: 150_000_000, fields: { started: 100, login: 'anna' } })
  })

  it('ends what is not a session any more', async () => {
    journal.adopt([start('a', 100), start('b', 110)])
    journal.endOthers((id) => id === 'b', 500)
    await journal.settle()
    assert.deepEqual(journal.open().ids, ['b'])
    assert.deepEqual(await written(), [
      ['b', -1],
      ['a', 500],
    ])
  })

  it('writes nothing of a transaction that was undone', async () => {
    assert.throws(() =>
      database.transact(() => {
        journal.begin(start('a', 100))
        throw new Error('refused')
      }),
    )
    await journal.settle()
    assert.deepEqual([journal.open().ids, await written()], [[], []])
  })

  it('writes nothing twice after a crash, whether the log had it or not', async () => {
    for (const hasIt of [true, false]) {
      const id = `s${hasIt}`
      const flush = logs.flush
      const append = logs.append
      if (!hasIt) logs.append = () => {}
      logs.flush = () => Promise.reject(new Error('the power failed'))
      journal.begin(start(id, 100))
      await journal.settle()
      await journal.stop()
      logs.flush = flush
      logs.append = append
      journal = begin()
      await journal.settle()
      assert.deepEqual(
        (await written()).filter(([session]) => session === id),
        [[id, -1]],
      )
      journal.end(id, 200)
      await journal.settle()
    }
    assert.equal(faults.length, 2)
    assert.deepEqual(journal.open().ids, [])
    assert.equal((await written()).length, 4)
  })
})
