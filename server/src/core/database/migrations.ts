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
    title: 'failed sign-ins per account and source, closed accounts, known sources, the first password',
    statements: [
      'ALTER TABLE sign_in_failures RENAME COLUMN address TO source',
      "ALTER TABLE sign_in_failures ADD COLUMN admin_id TEXT NOT NULL DEFAULT ''",
      'ALTER TABLE sign_in_blocks RENAME COLUMN address TO source',
      // What is over is deleted at every failure, and a flood leaves many rows.
      'CREATE INDEX sign_in_failures_by_time ON sign_in_failures (at)',
      'CREATE INDEX sign_in_blocks_by_time ON sign_in_blocks (until)',
      `CREATE TABLE closed_accounts (
        admin_id TEXT PRIMARY KEY, since INTEGER NOT NULL, failures INTEGER NOT NULL, sources INTEGER NOT NULL
      ) WITHOUT ROWID`,
      `INSERT INTO closed_accounts (admin_id, since, failures, sources)
        SELECT admin_id, unixepoch(), consecutive, 0 FROM account_failures WHERE consecutive >= 100`,
      'ALTER TABLE account_failures RENAME TO earlier_account_failures',
      `CREATE TABLE account_failures (
        admin_id TEXT NOT NULL, source TEXT NOT NULL, failures INTEGER NOT NULL, boot TEXT NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (admin_id, source)
      ) WITHOUT ROWID`,
      `INSERT INTO account_failures (admin_id, source, failures, boot, at)
        SELECT admin_id, '', consecutive, '', 0 FROM earlier_account_failures`,
      'DROP TABLE earlier_account_failures',
      `CREATE TABLE known_sources (
        admin_id TEXT NOT NULL, source TEXT NOT NULL, boot TEXT NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (admin_id, source)
      ) WITHOUT ROWID`,
      // `age`: the elapsed seconds of earlier boots; of this one it is counted from `at`.
      `CREATE TABLE first_password (
        one INTEGER PRIMARY KEY CHECK (one = 1), admin_id TEXT NOT NULL, password_timestamp INTEGER NOT NULL,
        used INTEGER NOT NULL, age REAL NOT NULL, boot TEXT NOT NULL, at REAL NOT NULL
      )`,
    ],
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
  {
    title: 'changes of long lists inside of an item, beside its row',
    statements: [
      `CREATE TABLE item_splices (
        slot TEXT NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL, body TEXT NOT NULL, checksum BLOB NOT NULL,
        PRIMARY KEY (slot, id, sequence)
      ) WITHOUT ROWID`,
      `CREATE TABLE item_splice_ends (
        slot TEXT NOT NULL, id TEXT NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (slot, id)
      ) WITHOUT ROWID`,
    ],
  },
  {
    title: 'sessions of users on the network',
    statements: [
      `CREATE TABLE user_sessions (
        place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, type TEXT NOT NULL,
        address TEXT NOT NULL, mac TEXT, device TEXT, started INTEGER NOT NULL, rule_id TEXT, credential TEXT,
        state TEXT NOT NULL, must_cut INTEGER NOT NULL
      )`,
      `CREATE TABLE user_sessions_state (
        one INTEGER PRIMARY KEY CHECK (one = 1), boot TEXT NOT NULL, epoch TEXT NOT NULL, alive REAL NOT NULL
        )`,
    ],
  },
  {
    title: 'personal sessions of users at the portal, and codes that were used',
    statements: [
      // `created` and `seen` are elapsed seconds of the boot, `started` and `seen_time` unix seconds.
      `CREATE TABLE portal_sessions (
        handle TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, password_mark TEXT NOT NULL,
        address TEXT NOT NULL, boot TEXT NOT NULL, created REAL NOT NULL, seen REAL NOT NULL, started INTEGER NOT NULL,
        seen_time INTEGER NOT NULL
      ) WITHOUT ROWID`,
      `CREATE TABLE used_codes (
        sequence INTEGER PRIMARY KEY, user_id TEXT NOT NULL, step INTEGER NOT NULL, UNIQUE (user_id, step)
      )`,
    ],
  },
  {
    title: 'texts that are too long for one row, in parts',
    statements: [
      'CREATE TABLE long_texts (text INTEGER PRIMARY KEY, bytes INTEGER NOT NULL)',
      `CREATE TABLE long_text_parts (
        text INTEGER NOT NULL, part INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (text, part)
      ) WITHOUT ROWID`,
      // Rows whose text is a reference are few among many.
      "CREATE INDEX items_long ON items (body) WHERE substr(body, 1, 1) = '@'",
      "CREATE INDEX revisions_long ON revisions (changes) WHERE substr(changes, 1, 1) = '@'",
      // Bytes of change sets, also where the text is beside the row.
      `CREATE VIEW revision_sizes AS SELECT revision, CASE WHEN substr(changes, 1, 1) = '@'
        THEN coalesce((SELECT bytes FROM long_texts WHERE text = CAST(substr(changes, 2) AS INTEGER)), 0)
        ELSE octet_length(changes) END AS size FROM revisions`,
    ],
  },
  {
    title: 'items of the base of the history whose text is beside the row',
    statements: ["CREATE INDEX base_items_long ON base_items (body) WHERE substr(body, 1, 1) = '@'"],
  },
  {
    title: 'the journal of the portal, as far as it is not in the log',
    statements: [
      // `entry` is JSON, `started` and `ended` are unix seconds, `ended` is null while the session is open. With `has_begun` the log
      // has its beginning; one whose end is in the log is removed.
      `CREATE TABLE portal_journal (
        id TEXT PRIMARY KEY, entry TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER, has_begun INTEGER NOT NULL
      ) WITHOUT ROWID`,
      'CREATE INDEX portal_journal_new ON portal_journal (id) WHERE ended IS NOT NULL OR has_begun = 0',
    ],
  },
]
