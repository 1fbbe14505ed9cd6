// Sessions of users in the database, with what is left to do for them: whose connections still have to be cut. Nothing of it is
// configuration.

import type { Tables } from '../../../core/database/shelter.ts'
import type { SessionType, UserSession } from './session.ts'
import type { Entry } from './session-index.ts'

export const userSessionTables = ['user_sessions', 'user_sessions_state']

/** `ended`: it is over for everyone; its elements and connections may still be in the kernel. */
export type RowState = UserSession['state'] | 'ended'

export interface SessionRow {
  readonly session: Omit<UserSession, 'state'>
  readonly state: RowState
  /** A digest of the password that was signed in with; null for a session by a rule. */
  readonly credential: string | null
  /** Connections of the host have to be cut. */
  readonly mustCut: boolean
}

export const rowOf = ({ session, credential, mustCut }: Entry): SessionRow => ({
  session,
  credential,
  mustCut,
  state: session.state,
})

export interface KeptState {
  /** That of the live sets when they were compared last. */
  readonly epoch: string
  /** Elapsed seconds of this boot when the sessions were known to be right. */
  readonly alive: number
}

interface Stored {
  id: string
  user_id: string
  type: SessionType
  address: string
  mac: string | null
  device: string | null
  state: RowState
  started: number
  rule_id: string | null
  credential: string | null
  must_cut: number
}

export class SessionRows {
  readonly #tables: Tables

  /** Elements of another boot are gone, and how long its hosts were silent is not known: those sessions are over. */
  constructor(tables: Tables, boot: string) {
    this.#tables = tables
    tables.transact(() => {
      const { boot: stored } = tables.prepare('SELECT boot FROM user_sessions_state').get() ?? {}
      if (stored === boot) return
      tables.prepare('DELETE FROM user_sessions').run()
      tables.prepare('DELETE FROM user_sessions_state').run()
      tables.prepare(`INSERT INTO user_sessions_state (one, boot, epoch, alive) VALUES (1, ?, '', 0)`).run(boot)
    })
  }

  /** In the order in which they began. */
  read(): SessionRow[] {
    const rows = this.#tables.prepare<Stored>('SELECT * FROM user_sessions ORDER BY place').all()
    return rows.map(({ id, user_id, type, address, mac, device, started, rule_id, ...rest }) => ({
      session: { id, userId: user_id, type, address, mac, device, startedAt: started, ruleId: rule_id },
      state: rest.state,
      credential: rest.credential,
      mustCut: rest.must_cut === 1,
    }))
  }

  get state(): KeptState {
    const row = this.#tables.prepare('SELECT epoch, alive FROM user_sessions_state').get()
    return { epoch: String(row?.epoch ?? ''), alive: Number(row?.alive ?? 0) }
  }

  keepState({ epoch, alive }: KeptState): void {
    this.#tables.transact(() =>
      this.#tables.prepare('UPDATE user_sessions_state SET epoch = ?, alive = ?').run(epoch, alive),
    )
  }

  /** In one step: rows as they are to be, and those that go. */
  write(rows: Iterable<SessionRow>, removed: Iterable<string> = []): void {
    this.#tables.transact(() => {
      for (const id of removed) this.#tables.prepare('DELETE FROM user_sessions WHERE id = ?').run(id)
      const put = this.#tables.prepare(
        `INSERT INTO user_sessions
           (id, user_id, type, address, mac, device, started, rule_id, credential, state, must_cut)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, must_cut = excluded.must_cut`,
      )
      for (const { session, state, credential, mustCut } of rows) {
        const { id, userId, type, address, mac, device, startedAt, ruleId } = session
        put.run(id, userId, type, address, mac, device, startedAt, ruleId, credential, state, mustCut ? 1 : 0)
      }
    })
  }
}
