// The log stores of the gateway: the local one, and a log server.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { csvRows } from '../../server/src/core/area/csv.ts'
import { all, type Condition } from '../../server/src/core/contract/table-query.ts'
import type { NewRecord } from '../../server/src/domain/logs/record.ts'
import type { BucketQuestion, LogStore, Question } from '../../server/src/domain/logs/store.ts'
import { logViews } from '../../server/src/gatewayd/logs/log-views.ts'
import * as sql from '../../server/src/gatewayd/logs/server-store/clickhouse.ts'
import { LogServerConnection } from '../../server/src/gatewayd/logs/server-store/connection.ts'
import { LogServerQuestions } from '../../server/src/gatewayd/logs/server-store/questions.ts'
import { RunWriter } from '../../server/src/gatewayd/logs/server-store/rows.ts'
import { ensureTables, tableColumns, tableName } from '../../server/src/gatewayd/logs/server-store/schema.ts'
import { Clickhouse } from '../../server/test/support/clickhouse.ts'
import type { Engine } from './engine.ts'
import { folderBytes } from './folder-bytes.ts'
import { type Asked, commonText } from './records.ts'

const scope = { timeZone: 'UTC', brand: 'Portcullis' }
const asker = { owner: 'bench', signal: new AbortController().signal }

type Asking = Pick<LogStore, 'find' | 'buckets'>

function questionsOf(store: Asking, asked: Asked): Engine['questions'] {
  const ask =
    (where: Condition, offset = 0) =>
    async (): Promise<number> => {
      const question: Question = { view: 'hits', scope, hidden: [], where, order: [], offset, limit: 100 }
      const { total, texts } = await store.find(question, asker)
      for await (const _piece of texts(null));
      return total
    }
  const buckets: BucketQuestion = {
    view: 'hits',
    scope,
    hidden: [],
    where: all(),
    by: 'action',
    from: asked.from,
    until: asked.until,
    width: 60,
  }
  return {
    'newest 100': ask(all()),
    'equals, rare address, with the total': ask({ kind: 'equals', column: 'source_ip', cells: [asked.rareAddress] }),
    'equals, common action, with the total': ask({ kind: 'equals', column: 'action', cells: ['drop'] }),
    'contains, rare': ask({ kind: 'contains', column: 'text', texts: [asked.rareText] }),
    'contains, common, with the total': ask({ kind: 'contains', column: 'text', texts: [commonText] }),
    'count by action, last hour': async () => {
      const found = await store.buckets(buckets, asker)
      return found.reduce((sum, { counts }) => sum + Object.values(counts).reduce((one, other) => one + other, 0), 0)
    },
    'newest 100, a tenth of all further back': ask(all(), asked.offset),
  }
}

const server = join(import.meta.dirname, '..', '..', 'server', 'src')
const localModule = join(server, 'gatewayd/logs/store/local-store.ts')

export const hasLocalStore = (): boolean => existsSync(localModule)

interface LocalModule {
  createLocalLogStore(options: object): LogStore
}

export async function openLocal(folder: string, asked: Asked): Promise<Engine> {
  const { createLocalLogStore } = (await import(localModule)) as LocalModule
  const store = createLocalLogStore({
    path: join(folder, 'logs.db'),
    limits: { days: { firewall: 100_000 }, maxBytes: 100e9 },
    writerEntry: new URL(`file://${server}/gatewayd/threads/log-writer.ts`),
    workerEntry: new URL(`file://${server}/gatewayd/threads/log-worker.ts`),
  })
  // What was taken and is not on the disk yet waits in memory, so a source that never waits would measure only that.
  const atMost = 50_000
  let waiting = 0
  return {
    add: async (records) => {
      store.append(records)
      waiting += records.length
      if (waiting < atMost) return
      waiting = 0
      await store.flush()
    },
    settle: () => store.flush(),
    questions: questionsOf(store, asked),
    isConcurrent: true,
    bytes: () => folderBytes(folder),
    pid: process.pid,
    close: () => store.close(),
  }
}

/** Records go straight to the server, as the gateway sends them. */
export async function openServer(folder: string, asked: Asked): Promise<Engine> {
  const clickhouse = await Clickhouse.start(folder)
  const settings = clickhouse.settings()
  const { database, gateway } = settings
  const connection = new LogServerConnection({ settings, timeLimitMs: 120_000 })
  await ensureTables(connection, database, asker.signal)
  const questions = new LogServerQuestions({ server: connection, views: logViews, database, gateway, csv: csvRows })
  let place = 0
  return {
    add: async (records: readonly NewRecord[]) => {
      const runs = new RunWriter(gateway, new Map())
      for (const record of records) runs.add({ ...record, place: ++place }, place)
      for (const { kind, writer } of runs.runs()) {
        const columns = tableColumns(kind).map(({ name }) => name)
        const statement = sql.insert(sql.path(database, tableName(kind)), columns)
        await connection.run({ sql: statement, rows: writer.take(), signal: asker.signal })
      }
    },
    settle: () => Promise.resolve(),
    questions: questionsOf(questions, asked),
    isConcurrent: true,
    bytes: () => folderBytes(join(folder, 'data')),
    pid: clickhouse.pid,
    close: async () => {
      connection.close()
      await clickhouse.close()
    },
  }
}
