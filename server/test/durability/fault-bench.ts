// A gateway whose disk, machine and facts can be made to fail, and the changes and sign-ins that are tested with each
// fault: the answer never reports a success that did not happen, memory equals the disk, and the next change works. The
// faults of the disk are real ones of SQLite, not simulated.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findById } from '../../src/areas/administrators/config.ts'
import { settings } from '../../src/areas/firewall/config.ts'
import { areas } from '../../src/areas/index.ts'
import { read, type Slot } from '../../src/core/model/slots.ts'
import type { Attempt, CheckReport, Outcome, Plan } from '../../src/core/plan/artifacts.ts'
import type { Facts } from '../../src/core/plan/facts.ts'
import { FakeApplier } from '../support/fake-applier.ts'
import { notes, sampleArea } from '../support/sample-area.ts'
import {
  type Answer,
  type Client,
  createTestGateway,
  labFacts,
  type TestGateway,
  testPassword,
} from '../support/test-gateway.ts'
import { assertWhole } from './stored.ts'

/** In memory where possible: the faults are those of SQLite, and every test makes dozens of gateways. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

const slots: readonly Slot[] = [...areas, sampleArea].flatMap((area) => area.slots)

/** Calls back between the steps, where a fault can occur from outside. */
class HookedApplier extends FakeApplier {
  beforeCheck = (): void => {}
  beforeApply = (): void => {}

  override check(plan: Plan): Promise<CheckReport> {
    this.beforeCheck()
    return super.check(plan)
  }

  /** Blocks applies and attempts until it is opened. */
  gate: Promise<void> | null = null
  #isApplying = false
  beforeAttempt = (): void => {}
  afterAttempt = (): void => {}
  beforeSettle = (): void => {}

  override async apply(plan: Plan): Promise<Outcome> {
    return this.#inTurn(() => {
      this.beforeApply()
      return super.apply(plan)
    })
  }

  override async attempt(plan: Plan): Promise<Attempt> {
    return this.#inTurn(async () => {
      this.lastTried = plan.revision
      this.beforeAttempt()
      const tried = await super.attempt(plan)
      this.afterAttempt()
      return tried
    })
  }

  override async settle(revision: number): Promise<void> {
    this.beforeSettle()
    return super.settle(revision)
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    assert.equal(this.#isApplying, false, 'two applies at once')
    this.#isApplying = true
    try {
      await this.gate
      return await work()
    } finally {
      this.#isApplying = false
    }
  }
}

export interface Fault {
  readonly title: string
  readonly arm: (bench: FaultBench) => void
  readonly disarm: (bench: FaultBench) => void
}

export interface Operation {
  readonly title: string
  readonly prepare?: (bench: FaultBench) => Promise<Answer>
  readonly call: (bench: FaultBench) => Promise<Answer>
  readonly isDone: (bench: FaultBench) => boolean | Promise<boolean>
  /** It does not depend on the disk: what the disk does not take is kept in memory. */
  readonly isNeverRefused?: boolean
}

export const onProbation = { 'portcullis-confirm-within': '3600' }

/** The result of reading the facts. */
interface Reading {
  facts: () => Facts
}

export class FaultBench {
  readonly gateway: TestGateway
  readonly applier: HookedApplier
  readonly reading: Reading
  readonly admin: Client
  /** Another administrator, with a session. */
  readonly otherId: string

  constructor(gateway: TestGateway, applier: HookedApplier, reading: Reading, admin: Client, otherId: string) {
    this.gateway = gateway
    this.applier = applier
    this.reading = reading
    this.admin = admin
    this.otherId = otherId
  }

  /** Another connection to the same file, for outside interference. */
  meddle(sql: string): void {
    const other = new DatabaseSync(join(this.gateway.folder, 'gateway.db'))
    other.exec(sql)
    other.close()
  }

  pragma(text: string): void {
    this.gateway.database.prepare(`PRAGMA ${text}`).all()
  }

  snat(on: boolean, headers = {}): Promise<Answer> {
    return this.admin('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, headers)
  }

  isSnatOn(): boolean {
    return read(this.gateway.engine.config, settings).automatic_snat_enabled
  }

  rename(name: string): Promise<Answer> {
    return this.admin('PATCH', `/web/admins/local/${this.otherId}`, { name })
  }

  other() {
    return findById(this.gateway.engine.config, this.otherId)
  }

  sessionsOf(adminId: string): number {
    return this.gateway.services.accounts.sessions.list().filter((session) => session.adminId === adminId).length
  }

  signIn(client: Client): Promise<Answer> {
    return client('POST', '/web/auth/login', { login: 'other', password: testPassword, rest_path: '/' })
  }

  everything() {
    const { engine } = this.gateway.services
    const { sessions } = this.gateway.services.accounts
    const handles = sessions.list().map(({ handle }) => handle)
    return { config: engine.config, probation: engine.probation, sessions: handles.sort() }
  }

  assertWhole(): Promise<void> {
    // What the disk did not take of sessions goes back to it with the next of them.
    this.gateway.services.accounts.transact(() => {})
    return assertWhole(this.gateway, slots)
  }
}

/** What the faults of the benches throw, as the log shows it. */
const causedByFaults = [
  /^error: a request failed .*error: Error: (injected|no facts|FOREIGN KEY constraint failed)\n/s,
  /^error: a request failed .*error: GatewayError: The change passed all checks but failed on the machine/s,
]

export async function begin(): Promise<FaultBench> {
  const reading: Reading = { facts: () => labFacts }
  const applier = new HookedApplier()
  const gateway = await createTestGateway({
    applier,
    folder: mkdtempSync(join(scratch, 'portcullis-test-')),
    extraAreas: [sampleArea],
    parts: { facts: () => reading.facts() },
  })
  gateway.log.allow(...causedByFaults)
  const admin = await gateway.client('predefined_admin_write')
  const otherId = await gateway.addAdministrator('other', 'predefined_admin_readonly')
  gateway.services.accounts.sessions.create(otherId, '127.0.0.1', '/')
  await gateway.engine.reconcile()
  return new FaultBench(gateway, applier, reading, admin, otherId)
}

export const revertProbation: Operation = {
  title: 'reverting a change on probation',
  prepare: (bench) => bench.snat(false, onProbation),
  call: (bench) => bench.admin('DELETE', '/config/confirm'),
  isDone: (bench) => bench.isSnatOn() && bench.gateway.engine.probation === null,
}

export const operations: readonly Operation[] = [
  { title: 'a change of the machine', call: (bench) => bench.snat(false), isDone: (bench) => !bench.isSnatOn() },
  {
    title: 'a change on probation',
    call: (bench) => bench.snat(false, onProbation),
    isDone: (bench) => !bench.isSnatOn() && bench.gateway.engine.probation !== null,
  },
  {
    title: 'a confirmation',
    prepare: (bench) => bench.snat(false, onProbation),
    call: (bench) => bench.admin('POST', '/config/confirm'),
    isDone: (bench) => !bench.isSnatOn() && bench.gateway.engine.probation === null,
  },
  {
    title: 'a return to an older revision',
    prepare: (bench) => bench.snat(false),
    call: (bench) => bench.admin('POST', `/config/revisions/${bench.gateway.engine.revision - 1}/revert`),
    isDone: (bench) => bench.isSnatOn(),
  },
  {
    title: 'a change of an administrator',
    call: (bench) =>
      bench.admin('PATCH', `/web/admins/local/${bench.otherId}`, { name: 'renamed', comment: 'renamed' }),
    isDone: (bench) => bench.other()?.name === 'renamed' && bench.other()?.comment === 'renamed',
  },
  {
    title: 'a change that ends sessions',
    call: (bench) => bench.admin('PATCH', `/web/admins/local/${bench.otherId}`, { enabled: false }),
    isDone: (bench) => bench.other()?.enabled === false && bench.sessionsOf(bench.otherId) === 0,
  },
  {
    title: 'removing an administrator',
    call: (bench) => bench.admin('DELETE', `/web/admins/local/${bench.otherId}`),
    isDone: (bench) => bench.other() === undefined && bench.sessionsOf(bench.otherId) === 0,
  },
  {
    title: 'adding to an ordered list',
    call: (bench) => bench.admin('POST', '/sample/notes', { title: 'a', comment: '' }),
    isDone: (bench) => read(bench.gateway.engine.config, notes).length === 1,
  },
  {
    title: 'a sign-in',
    call: async (bench) => bench.signIn(await bench.gateway.client(null)),
    isDone: (bench) => bench.sessionsOf(bench.otherId) === 2,
    isNeverRefused: true,
  },
  {
    title: 'a sign-in that ends the session it came with',
    call: (bench) => bench.signIn(bench.admin),
    isDone: async (bench) =>
      bench.sessionsOf(bench.otherId) === 2 && (await bench.admin('GET', '/web/whoami')).status === 401,
    isNeverRefused: true,
  },
  {
    title: 'a sign-out',
    call: (bench) => bench.admin('DELETE', '/web/auth/login'),
    isDone: async (bench) => (await bench.admin('GET', '/web/whoami')).status === 401,
    isNeverRefused: true,
  },
]

/** Whole when it was answered with 200, absent otherwise; then, without the fault, it works. Returns the status. */
async function holds(bench: FaultBench, { prepare, call, isDone }: Operation, fault: Fault): Promise<number> {
  if (prepare) assert.equal((await prepare(bench)).status, 200)
  const before = bench.everything()
  fault.arm(bench)
  const { status, body } = await call(bench)
  fault.disarm(bench)
  if (status === 200) assert.ok(await isDone(bench), 'a false 200')
  else {
    assert.deepEqual(bench.everything(), before, `half of it is there after ${status}`)
    assert.ok(body.message.length > 0)
  }
  await bench.assertWhole()
  if (status !== 200) {
    assert.equal((await call(bench)).status, 200, 'it does not work without the fault either')
    assert.ok(await isDone(bench))
    await bench.assertWhole()
  }
  return status
}

/** The same for each fault, every time on a new gateway. Returns the statuses in order. */
export async function holdsForAll(operation: Operation, faults: readonly Fault[]): Promise<number[]> {
  const statuses: number[] = []
  for (const fault of faults) {
    const bench = await begin()
    try {
      statuses.push(await holds(bench, operation, fault))
    } catch (cause) {
      throw new Error(`${operation.title}, when ${fault.title}: ${(cause as Error).message}`, { cause })
    } finally {
      await bench.gateway.close()
    }
  }
  return statuses
}
