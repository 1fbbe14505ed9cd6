// Searches in parts, and blocks whose columns have so many different cells that they are in slices.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { all, type Condition } from '../../../core/contract/table-query.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Question } from '../../../domain/logs/store.ts'
import { logViews } from '../log-views.ts'
import { StoreReader } from './reader.ts'
import { hasSearch, joinPages, shareOf } from './shared-search.ts'
import { StoreWriter } from './writer.ts'

const count = 70_000
const addressOf = (at: number): string => `10.${at % 200}.${at % 193}.${at % 7}`
const portOf = (at: number): number => (at * 7_919) % 60_000

const recordAt = (at: number): NewRecord => ({
  kind: 'firewall',
  time: 1_790_000_000_000_000 + at * 1_000,
  priority: 6,
  unit: 'u',
  syslogId: 's',
  message: `Hit ${at} from ${addressOf(at)}`,
  fields: { source_ip: addressOf(at), source_port: portOf(at), action: at % 3 === 0 ? 'drop' : 'accept' },
})

const asked = (where: Condition, changes: Partial<Question> = {}): Question => ({
  view: 'hits',
  scope: { timeZone: 'UTC', brand: 'Gate' },
  hidden: [],
  where,
  order: [],
  offset: 0,
  limit: 100,
  ...changes,
})
const equals = (column: string, cell: string | number): Condition => ({ kind: 'equals', column, cells: [cell] })
const contains = (column: string, text: string): Condition => ({ kind: 'contains', column, texts: [text] })

describe('many different cells, and searches in parts', () => {
  let folder = ''
  let reader: StoreReader
  const indexes = Array.from({ length: count }, (_, at) => at)

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
    const path = join(folder, 'logs.db')
    const limits = { days: { firewall: 100_000 }, maxBytes: 1e12 }
    const writer = new StoreWriter({ path, limits, now: () => 1_790_000_000_000 })
    for (let at = 0; at < count; at += 10_000) writer.append(indexes.slice(at, at + 10_000).map(recordAt))
    writer.commit()
    while (writer.tidy());
    writer.close()
    reader = new StoreReader(path, logViews)
  })
  after(() => {
    reader.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The newest texts that are meant, and how many there are. */
  const assertFound = (where: Condition, isMeant: (at: number) => boolean): void => {
    const question = asked(where)
    const { total, rows } = reader.find(question)
    const meant = indexes.filter(isMeant)
    assert.equal(total, meant.length)
    const texts = reader.show(question, rows).map(({ text }) => text)
    assert.deepEqual(
      texts,
      meant
        .reverse()
        .slice(0, 100)
        .map((at) => recordAt(at).message),
    )
  }

  it('finds one of many addresses', () => {
    for (const at of [0, 4_711, 40_000, 65_536, count - 1]) {
      assertFound(equals('source_ip', addressOf(at)), (one) => addressOf(one) === addressOf(at))
    }
    assertFound(equals('source_ip', '10.1.1'), () => false)
    assertFound(equals('source_ip', ''), () => false)
  })

  it('finds one of many ports', () => {
    for (const at of [1, 30_000, count - 1]) {
      assertFound(equals('source_port', portOf(at)), (one) => portOf(one) === portOf(at))
    }
    assertFound(equals('source_port', 65_000), () => false)
  })

  it('finds a part of an address', () => {
    assertFound(contains('source_ip', '.19.19.'), (at) => addressOf(at).includes('.19.19.'))
    assertFound({ kind: 'not', of: contains('source_ip', '1') }, (at) => !addressOf(at).includes('1'))
  })

  it('sorts by one of many addresses', () => {
    const question = asked(all(), { order: [{ field: 'source_ip', direction: 'desc' }], limit: 10 })
    const shown = reader.show(question, reader.find(question).rows).map(({ source_ip }) => source_ip)
    const expected = indexes.map(addressOf).sort().reverse()
    assert.deepEqual(shown, expected.slice(0, 10))
  })

  it('finds the same in two parts as in one, wherever they meet', () => {
    const first = { limit: 150, offset: 0 }
    for (const where of [contains('text', '77'), contains('text', 'hit'), equals('action', 'drop')]) {
      const whole = reader.find(asked(where, { offset: 50, limit: 100 }))
      for (const place of [1, 30_000, 65_536, count - 60, count - 1]) {
        const parts = [
          { after: 0, upTo: place },
          { after: place, upTo: count },
        ]
        const pages = parts.map((within) => reader.find(asked(where, first), within))
        assert.deepEqual(joinPages(pages, 50, 100), { total: whole.total, rows: whole.rows })
      }
    }
  })

  it('leaves out what came after the search began', () => {
    const { total } = reader.find(asked(all()), { after: 0, upTo: count - 5 })
    assert.equal(total, count - 5)
  })

  it('shares only searches of many records', () => {
    const range = (first: number, records: number) => ({
      kind: 'firewall' as const,
      records,
      first,
      last: first + records - 1,
      oldest: 0,
      newest: 0,
    })
    assert.deepEqual(shareOf([range(1, 1_000)], 1_000), [{ after: 0, upTo: 1_000 }])
    const blocks = [range(300_001, 100_000), range(1, 100_000), range(100_001, 200_000)]
    assert.deepEqual(shareOf(blocks, 400_000), [
      { after: 0, upTo: 300_000 },
      { after: 300_000, upTo: 400_000 },
    ])
    assert.equal(hasSearch({ kind: 'not', of: contains('text', 'a') }), true)
    assert.equal(hasSearch(equals('action', 'drop')), false)
  })
})
