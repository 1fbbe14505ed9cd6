// What one would take without a store of our own: a table of SQLite with a full-text index, and lines of JSON with ripgrep.

import { spawnSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Engine } from './engine.ts'
import { folderBytes } from './folder-bytes.ts'
import { type Asked, commonText } from './records.ts'

export function openSqlite(folder: string, asked: Asked): Engine {
  const database = new DatabaseSync(join(folder, 'logs.db'))
  database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
    CREATE TABLE hits (place INTEGER PRIMARY KEY, time INTEGER, action TEXT, rule_id TEXT, protocol TEXT, source_ip TEXT,
      source_port INTEGER, destination_ip TEXT, destination_port INTEGER, message TEXT);
    CREATE INDEX by_time ON hits (time); CREATE INDEX by_source ON hits (source_ip);
    CREATE VIRTUAL TABLE texts USING fts5(message, content='', detail='none', tokenize='trigram')`)
  const insert = database.prepare('INSERT INTO hits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const index = database.prepare('INSERT INTO texts (rowid, message) VALUES (?, ?)')
  let place = 0
  const total = (text: string, ...values: (string | number)[]): number =>
    Number(Object.values(database.prepare(text).get(...values) ?? {})[0])
  const rows = (text: string, ...values: (string | number)[]): number => database.prepare(text).all(...values).length
  const contains = (text: string) => async (): Promise<number> => {
    // Trigrams say where the text may be; whether it is there says the row.
    const trigrams = Array.from({ length: text.length - 2 }, (_, at) => `"${text.slice(at, at + 3)}"`).join(' AND ')
    const found = 'FROM texts JOIN hits ON place = texts.rowid WHERE texts MATCH ? AND instr(hits.message, ?) > 0'
    rows(`SELECT hits.* ${found} ORDER BY place DESC LIMIT 100`, trigrams, text)
    return total(`SELECT count(*) ${found}`, trigrams, text)
  }
  return {
    add: async (records) => {
      database.exec('BEGIN')
      for (const { time, message, fields } of records) {
        const { action, rule_id, protocol, source_ip, source_port, destination_ip, destination_port } = fields
        const cells = [action, rule_id, protocol, source_ip, source_port, destination_ip, destination_port]
        insert.run(++place, time, ...cells.map((cell) => cell ?? null), message)
        index.run(place, message)
      }
      database.exec('COMMIT')
    },
    settle: async () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    questions: {
      'newest 100': async () => {
        rows('SELECT * FROM hits ORDER BY time DESC LIMIT 100')
        return total('SELECT count(*) FROM hits')
      },
      'equals, rare address, with the total': async () => {
        rows('SELECT * FROM hits WHERE source_ip = ? ORDER BY time DESC LIMIT 100', asked.rareAddress)
        return total('SELECT count(*) FROM hits WHERE source_ip = ?', asked.rareAddress)
      },
      'equals, common action, with the total': async () => {
        rows("SELECT * FROM hits WHERE action = 'drop' ORDER BY time DESC LIMIT 100")
        return total("SELECT count(*) FROM hits WHERE action = 'drop'")
      },
      'contains, rare': contains(asked.rareText),
      'contains, common, with the total': contains(commonText),
      'count by action, last hour': async () =>
        (
          database
            .prepare('SELECT count(*) AS n FROM hits WHERE time >= ? AND time < ? GROUP BY time / 60000000, action')
            .all(asked.from * 1e6, asked.until * 1e6) as { n: number }[]
        ).reduce((sum, { n }) => sum + n, 0),
      'newest 100, a tenth of all further back': async () => {
        rows('SELECT * FROM hits ORDER BY time DESC LIMIT 100 OFFSET ?', asked.offset)
        return total('SELECT count(*) FROM hits')
      },
    },
    isConcurrent: false,
    bytes: () => folderBytes(folder),
    pid: process.pid,
    close: async () => database.close(),
  }
}

export const ripgrep = '/usr/bin/rg'

export function openRipgrep(folder: string, asked: Asked): Engine {
  const path = join(folder, 'hits.json')
  const file = openSync(path, 'a')
  const count = (text: string) => async (): Promise<number> => {
    const { stdout } = spawnSync(ripgrep, ['--no-config', '--count', '--fixed-strings', '--', text, path])
    return Number(stdout.toString() || '0')
  }
  return {
    add: async (records) => {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
      writeSync(file, lines)
    },
    settle: async () => fsyncSync(file),
    questions: {
      'newest 100': async () => {
        spawnSync('/usr/bin/tail', ['-n', '100', path])
        return null
      },
      'equals, rare address, with the total': count(`"source_ip":"${asked.rareAddress}"`),
      'equals, common action, with the total': count('"action":"drop"'),
      'contains, rare': count(asked.rareText),
      'contains, common, with the total': count(commonText),
    },
    isConcurrent: false,
    bytes: () => folderBytes(folder),
    pid: process.pid,
    close: async () => closeSync(file),
  }
}
