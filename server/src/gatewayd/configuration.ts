// What a change of the configuration needs and does, without anything that serves it: the store, the engine over all areas,
// accounts and the audit trail. app.ts builds the gateway around it; the gw command resets a password with it. Wiring only.

import { findById, isRevocation, reopenedBy, signedOutBy } from '../areas/administrators/config.ts'
import { createLockOutGuard } from '../areas/firewall/lock-out.ts'
import { membersOf } from '../areas/firewall/people.ts'
import { areas as allAreas } from '../areas/index.ts'
import { Sessions } from '../core/accounts/sessions.ts'
import { SignInGuard } from '../core/accounts/sign-in-guard.ts'
import type { Area } from '../core/area/handle.ts'
import { AuditTrail } from '../core/audit/audit.ts'
import { type AuditEntry, maxListed } from '../core/audit/audit-entry.ts'
import type { Committed } from '../core/config/change.ts'
import { outlineChanges } from '../core/config/describe.ts'
import { ConfigEngine } from '../core/config/engine.ts'
import { ConfigStore } from '../core/config/store.ts'
import type { Database } from '../core/database/database.ts'
import { Shelter } from '../core/database/shelter.ts'
import { createReferenceFinder } from '../core/model/references.ts'
import type { Seal } from '../core/model/reseal.ts'
import type { PlanApplier } from '../core/plan/artifacts.ts'
import type { Facts } from '../core/plan/facts.ts'
import { createPlanner } from '../core/plan/planner.ts'
import type { Clock } from '../shared/time/clock.ts'

/** What signing in and out needs, which must work whatever the disk says. */
const accountTables = [
  'sessions',
  'sign_in_failures',
  'sign_in_blocks',
  'account_failures',
  'closed_accounts',
  'known_sources',
  'first_password',
  'portal_sessions',
  'portal_journal',
  'used_codes',
]

interface ConfigurationParts {
  readonly database: Database
  readonly clock: Clock
  readonly facts: () => Facts
  readonly areas?: readonly Area[]
  readonly applier: PlanApplier
  /** Seals what earlier releases stored in clear. */
  readonly seal: Seal
  /** Who is at an address; without sessions no one is known. */
  readonly userAt?: (address: string) => string | undefined
}

/** What a change of the configuration needs and does, without anything that serves it. Opens no file but the database. */
export function createConfiguration(parts: ConfigurationParts) {
  const { database, applier, clock, facts, userAt, seal, areas = allAreas } = parts
  const slots = areas.flatMap((area) => area.slots)
  const audit = new AuditTrail(database, clock.now)
  const accounts = new Shelter(database, accountTables)
  const sessions = new Sessions(accounts, clock)
  const guard = new SignInGuard(accounts, clock)
  const referencesTo = createReferenceFinder(areas)
  const rightsSlots = new Set(areas.flatMap(({ rights = [] }) => rights.map(({ key }) => key)))
  const store = new ConfigStore(database, slots, seal)
  const engine = new ConfigEngine({
    slots,
    database,
    store,
    planner: createPlanner(areas),
    applier,
    facts,
    clock,
    lockOut: createLockOutGuard(facts, clock.now, (address) => {
      const id = userAt?.(address)
      return id === undefined ? [] : membersOf(engine.config, id)
    }),
    referencesTo,
    rightsSlots,
    isUrgent: isRevocation,
    onCommit: (commits) => {
      for (const { revision } of commits) {
        for (const adminId of signedOutBy(revision.changes)) sessions.endAllOf(adminId)
      }
      audit.write([...commits.map(changeRecord), ...commits.flatMap(reopenAccounts)])
    },
  })
  auditRepair(engine, audit)
  return { engine, store, audit, accounts, sessions, guard, referencesTo, rightsSlots }

  /** A new password, or being enabled, opens a closed account again. */
  function reopenAccounts({ revision, requestId }: Committed): AuditEntry[] {
    return reopenedBy(revision.changes)
      .filter((adminId) => guard.reopenAccount(adminId))
      .map((adminId) => ({
        event: 'lock',
        who: revision.author,
        address: revision.address,
        what: revision.reason,
        result: 'ok',
        message: `The account ${findById(engine.config, adminId)?.login ?? adminId} is open to sign-in again.`,
        request_id: requestId,
        revision: revision.revision,
        changes: [],
      }))
  }
}

/** A revision that the store made to recover from damage is not a change of anyone, but needs its record too. */
function auditRepair(engine: ConfigEngine, audit: AuditTrail): void {
  const [newest] = engine.listRevisions(1, 0)
  if (engine.damage.length === 0 || !newest?.reason.startsWith('Recovered from damage')) return
  audit.write([changeRecord({ revision: { ...newest, changes: [] }, requestId: '' })])
}

const changeRecord = ({ revision, requestId }: Committed): AuditEntry => ({
  event: 'change',
  who: revision.author,
  address: revision.address,
  what: revision.reason,
  result: 'ok',
  message: `Revision ${revision.revision}`,
  request_id: requestId,
  revision: revision.revision,
  changes: outlineChanges(revision.changes, maxListed),
})
