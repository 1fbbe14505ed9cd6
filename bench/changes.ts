// A durable change through the one door against one bare SQLite commit of the same durability, with one writer and with
// 32 at once.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { areas } from '../server/src/areas/index.ts'
import { updateSingle } from '../server/src/core/model/list-edits.ts'
import { noteSettings, sampleArea } from '../server/test/support/sample-area.ts'
import { createTestGateway } from '../server/test/support/test-gateway.ts'
import { benchFolder } from './folder.ts'
import { median, type Row } from './table.ts'

const rounds = 9
const perRound = 300
const writers = 32

export async function benchChanges(): Promise<Row[]> {
  const folder = benchFolder()
  // Tests watch what areas read, which takes time that a gateway does not need.
  const gateway = await createTestGateway({ folder, parts: { areas: [...areas, sampleArea] } })
  const bare = new DatabaseSync(join(folder, 'bare.db'))
  bare.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT NOT NULL)',
  )
  const insert = bare.prepare('INSERT INTO t (body) VALUES (?)')
  const body = JSON.stringify({
    slot: 'sample.settings',
    before: { limit: 1 },
    after: { limit: 2 },
    who: 'bench',
    when: 'now',
  })

  let value = 0
  const change = () =>
    gateway.engine.change({
      edit: (config) => [updateSingle(config, noteSettings, { limit: value++ % 1_000 }), null],
      actor: { login: 'bench', address: '127.0.0.1' },
      reason: 'bench',
    })
  const samples = { bare: [] as number[], one: [] as number[], many: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    samples.bare.push(await microsecondsEach(perRound, async () => void insert.run(body)))
    samples.one.push(await microsecondsEach(perRound, change))
    samples.many.push(await microsecondsEach(perRound / 10, () => Promise.all(Array.from({ length: writers }, change))))
  }
  await gateway.close()
  bare.close()
  const one = median(samples.one)
  const raw = median(samples.bare)
  const many = median(samples.many) / writers
  return [
    {
      what: 'one durable change',
      ours: `${one.toFixed(0)} us`,
      raw: `${raw.toFixed(0)} us`,
      ratio: one / raw,
      aim: 'at most 3 x a bare commit',
      isMet: one / raw <= 3,
    },
    {
      what: `changes a second, ${writers} writers against one`,
      ours: `${(1e6 / many).toFixed(0)}`,
      raw: `${(1e6 / one).toFixed(0)}`,
      ratio: one / many,
      aim: 'at least 3 x one writer',
      isMet: one / many >= 3,
    },
  ]
}

async function microsecondsEach(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < count; index++) await work()
  return ((performance.now() - start) * 1000) / count
}
