import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isNightly, Random, seed } from '../../../../test/security/random.ts'
import { Clickhouse, withoutLogServer } from '../../../../test/support/clickhouse.ts'
import { compareStores, drawRecords, questionViews } from '../../../../test/support/log-store-questions.ts'
import { NaiveLogStore } from '../../../../test/support/naive-log-store.ts'
import { csvRows } from '../../../core/area/csv.ts'
import { logViews } from '../log-views.ts'
import { ServerLogStore } from './server-log-store.ts'

const views = { ...logViews, ...questionViews }

describe('a log store on a server', { skip: withoutLogServer() }, () => {
  let folder: string
  let clickhouse: Clickhouse

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-log-server-'))
    clickhouse = await Clickhouse.start(join(mkdtempSync(join(folder, 'server-'))))
  })
  after(async () => {
    await clickhouse?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = (local: NaiveLogStore, gateway: string, cursor = gateway): ServerLogStore =>
    new ServerLogStore({
      settings: clickhouse.settings(gateway),
      local,
      views,
      csv: csvRows,
      cursorFile: join(folder, `${cursor}.json`),
      pauseMs: 10,
    })

  test('it answers random questions as the naive store does', async () => {
    const random = new Random(seed)
    const local = new NaiveLogStore(views)
    const store = open(local, 'questions')
    const other = new NaiveLogStore(views)
    const beside = open(other, 'beside')
    other.append(drawRecords(random, 100))
    await beside.flush()
    for (const count of [0, 120, 400]) {
      store.append(drawRecords(random, count))
      await store.flush()
      assert.equal(store.serverState().fault, null)
      await compareStores(random, { store, naive: local, views, questions: isNightly ? 2_000 : 25 })
    }
    await store.close()
    await beside.close()
  })
})
