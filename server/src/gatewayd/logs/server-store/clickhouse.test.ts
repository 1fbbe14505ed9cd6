import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as sql from './clickhouse.ts'

const hostile = `'; DROP TABLE x; -- \\' \\\\' \` " \n\t\0 {brand} é 😀 ${'\\'.repeat(3)}'`

test('texts are quoted, whatever is in them', () => {
  assert.equal(sql.text(`it's`), `'it\\'s'`)
  assert.equal(sql.text('a\\'), `'a\\\\'`)
  assert.equal(sql.text('\0'), `'\\0'`)
  assert.equal(sql.text('\ud83d'), `'\ufffd'`)
  // Every quote inside has an odd number of backslashes before it, so that none ends the text.
  const inside = sql.text(hostile).slice(1, -1)
  for (const { 0: match } of inside.matchAll(/\\*'/g)) assert.equal(match.length % 2, 0, match)
  assert.equal(/(?:[^\\]|\\.)*/s.exec(inside)?.[0], inside)
})

test('names have a fixed alphabet', () => {
  assert.equal(sql.name('table'), '`table`')
  for (const bad of ['', 'a`b', 'a.b', 'a b', '1a', hostile, 'a'.repeat(65)]) assert.throws(() => sql.name(bad), /name/)
})

test('numbers are printed in full and stay within what a column holds', () => {
  assert.equal(sql.number(-1), '-1')
  assert.equal(sql.number(1e300), '9007199254740991')
  assert.equal(sql.number(-Infinity), '-9007199254740991')
  assert.throws(() => sql.number(Number.NaN), /number/)
})

test('a selection is printed from its parts', () => {
  const query = sql.select({
    what: { place: sql.name('place') },
    from: sql.path('logs', 'log_system'),
    where: sql.and([sql.compare(sql.name('unit'), '=', sql.text("o'neil")), sql.isOneOf(sql.name('priority'), [])]),
    order: [['place', 'desc']],
    limit: 5,
  })
  assert.equal(
    query,
    "SELECT `place` AS `place` FROM `logs`.`log_system` WHERE ((`unit` = 'o\\'neil') AND 0) ORDER BY `place` DESC LIMIT 0, 5",
  )
})

test('rows are read as they were written, in pieces of any size', async () => {
  const rows = [
    [1_790_000_000_123_456, hostile, 'x'.repeat(300)],
    [-1, '', 'é'.repeat(60)],
    [Number.MAX_SAFE_INTEGER, '😀', 'y'.repeat(20_000)],
  ] as const
  const writer = new sql.RowWriter(16)
  for (const [number, ...texts] of rows) {
    writer.number(number)
    for (const text of texts) writer.text(text)
  }
  const bytes = writer.take()
  for (const size of [1, 7, 64, bytes.length]) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const read: sql.ReadRow[] = []
    for await (const some of sql.readRows(pieces(), ['number', 'text', 'text'])) read.push(...some)
    assert.deepEqual(read, rows)
  }
  const cut = async function* () {
    yield bytes.subarray(0, -1)
  }
  await assert.rejects(async () => {
    for await (const _rows of sql.readRows(cut(), ['number', 'text', 'text']));
  }, /middle of a row/)
})

test('an answer that is not made of rows ends with a fault, not with the memory', async () => {
  const row = (length: readonly number[]) => Buffer.concat([Buffer.alloc(8), Buffer.from(length)])
  const endless = Array.from({ length: 400 }, () => row(Array.from({ length: 400 }, () => 0x80)))
  const huge = [row([0xff, 0xff, 0xff, 0xff, 0x7f]), ...Array.from({ length: 40 }, () => Buffer.alloc(65_536))]
  const long = [row([0x80, 0x80, 0x80, 0x01]), ...Array.from({ length: 40 }, () => Buffer.alloc(65_536))]
  for (const pieces of [endless, huge, long]) {
    let taken = 0
    async function* sent() {
      for (const piece of pieces) {
        taken++
        yield piece
      }
    }
    await assert.rejects(async () => {
      for await (const _rows of sql.readRows(sent(), ['number', 'text']));
    }, /not made of rows/)
    assert.ok(taken < 30, String(taken))
  }
})
