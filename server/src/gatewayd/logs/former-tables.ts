// Tables of log.db that earlier releases kept the system journal in. A step is never edited once released; the last one removes
// them: their records are gathered again from where they came from.

import type { Migration } from '../../core/database/migrations.ts'

export const firewallLogMigrations: readonly Migration[] = [
  {
    title: 'hits and how far they were read',
    statements: [
      `CREATE TABLE hits (
        sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, table_name TEXT NOT NULL, rule_id TEXT NOT NULL,
        action TEXT NOT NULL, protocol TEXT NOT NULL, source_ip TEXT NOT NULL, source_port INTEGER,
        destination_ip TEXT NOT NULL, destination_port INTEGER, in_interface TEXT NOT NULL,
        out_interface TEXT NOT NULL, length INTEGER NOT NULL, lost INTEGER NOT NULL
      )`,
      `CREATE TABLE place (one INTEGER PRIMARY KEY CHECK (one = 1), file INTEGER NOT NULL, offset INTEGER NOT NULL)`,
    ],
  },
]

export const systemLogMigrations: readonly Migration[] = [
  {
    title: 'the system journal, gathered',
    statements: [
      `CREATE TABLE records (
        place INTEGER PRIMARY KEY, source TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
        date_time INTEGER NOT NULL, microseconds INTEGER NOT NULL, priority INTEGER NOT NULL, message TEXT NOT NULL,
        syslog_id TEXT NOT NULL, unit TEXT NOT NULL, folded TEXT, UNIQUE (source, number)
      )`,
      `CREATE INDEX records_by_time ON records (date_time, microseconds, id)`,
      `CREATE TABLE records_kind (one INTEGER PRIMARY KEY CHECK (one = 1), kind TEXT NOT NULL)`,
    ],
  },
]

export const unitLineMigrations: readonly Migration[] = [
  {
    title: 'lines that gatewayd writes under the name of a unit',
    statements: [
      `CREATE TABLE unit_lines (
        number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, level TEXT NOT NULL, unit TEXT NOT NULL,
        message TEXT NOT NULL
      )`,
    ],
  },
]

export const formerTables: readonly Migration[] = [
  {
    title: 'the system journal has a separate store',
    statements: ['DROP TABLE records', 'DROP TABLE records_kind', 'DROP TABLE unit_lines'],
  },
]
