// Every format the stored data ever had, one step at a time. A step is never edited once released; a database
// newer than the last step is refused untouched.

export interface Migration {
  readonly title: string
  readonly statements: readonly string[]
}

export const migrations: readonly Migration[] = [
  {
    title: 'items, revisions, journal, sessions',
    statements: [
      // One row per item; singles have the id ''. `checksum` notices a damaged row (docs/behaviour/security.md 64).
      `CREATE TABLE items (
        slot TEXT NOT NULL, id TEXT NOT NULL, position REAL NOT NULL, body TEXT NOT NULL, checksum BLOB NOT NULL,
        PRIMARY KEY (slot, id)
      ) WITHOUT ROWID`,
      `CREATE TABLE revisions (
        revision INTEGER PRIMARY KEY, time TEXT NOT NULL, author TEXT NOT NULL, address TEXT NOT NULL,
        reason TEXT NOT NULL, changes TEXT NOT NULL, hash BLOB NOT NULL
      )`,
      // What did not fit the hash chain is set aside here, as evidence.
      `CREATE TABLE damaged_revisions (
        revision INTEGER NOT NULL, time TEXT, author TEXT, address TEXT, reason TEXT, changes TEXT, hash BLOB
      )`,
      `CREATE TABLE slots (slot TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID`,
      `CREATE TABLE sequences (slot TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID`,
      `CREATE TABLE probation (
        one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL, author TEXT NOT NULL,
        seconds INTEGER NOT NULL, boot TEXT NOT NULL, deadline REAL NOT NULL, deadline_time TEXT NOT NULL
      )`,
      `CREATE TABLE journal (
        sequence INTEGER PRIMARY KEY, record TEXT NOT NULL, hash BLOB NOT NULL
      )`,
      `CREATE TABLE sessions (
        handle TEXT PRIMARY KEY, session_hash BLOB NOT NULL UNIQUE, secure_name TEXT NOT NULL,
        secure_hash BLOB NOT NULL, admin_id TEXT NOT NULL, address TEXT NOT NULL, rest_path TEXT NOT NULL,
        boot TEXT NOT NULL, created REAL NOT NULL, seen REAL NOT NULL, login_time TEXT NOT NULL
      ) WITHOUT ROWID`,
      `CREATE TABLE sign_in_failures (address TEXT NOT NULL, boot TEXT NOT NULL, at REAL NOT NULL)`,
      `CREATE INDEX sign_in_failures_by_address ON sign_in_failures (address, at)`,
      `CREATE TABLE sign_in_blocks (address TEXT PRIMARY KEY, boot TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID`,
      `CREATE TABLE account_failures (admin_id TEXT PRIMARY KEY, consecutive INTEGER NOT NULL) WITHOUT ROWID`,
    ],
  },
  {
    title: 'the version of each slot that an item and the newest revision of a slot were written under',
    statements: [
      'ALTER TABLE items ADD COLUMN version INTEGER NOT NULL DEFAULT 1',
      'ALTER TABLE slots ADD COLUMN version INTEGER NOT NULL DEFAULT 1',
    ],
  },
  {
    title: 'areas whose changes are applied in the background and are under way or failed',
    statements: [
      `CREATE TABLE background (
        area TEXT PRIMARY KEY, good INTEGER NOT NULL, state TEXT NOT NULL, message TEXT NOT NULL,
        failures INTEGER NOT NULL
      ) WITHOUT ROWID`,
    ],
  },
  {
    title: 'the audit trail under its name',
    statements: ['ALTER TABLE journal RENAME TO audit'],
  },
  {
    title: 'the configuration at the revision up to which the history was removed',
    statements: [
      `CREATE TABLE base (
        one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL, hash BLOB NOT NULL, content BLOB NOT NULL
      )`,
      `CREATE TABLE base_items (
        slot TEXT NOT NULL, id TEXT NOT NULL, position REAL NOT NULL, body TEXT NOT NULL, checksum BLOB NOT NULL,
        version INTEGER NOT NULL, PRIMARY KEY (slot, id)
      ) WITHOUT ROWID`,
      `CREATE TABLE base_slots (slot TEXT PRIMARY KEY) WITHOUT ROWID`,
    ],
  },
]
