// A fault at each step of a change and of a sign-in: the answer never claims what did not happen, memory stays what the
// disk holds, and the next change works. The disk's faults are real ones of SQLite, not stand-ins.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { startReconciler } from '../../src/apply/reconcile.ts'
import { findById } from '../../src/areas/administrators/config.ts'
import { settings } from '../../src/areas/firewall/config.ts'
import { areas } from '../../src/areas/index.ts'
import { GatewayError } from '../../src/contract/error.ts'
import { read, type Slot } from '../../src/contract/slots.ts'
import type { CheckReport, Outcome, Plan } from '../../src/plan/artifacts.ts'
import type { Facts } from '../../src/plan/facts.ts'
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
import { until } from '../support/until.ts'
import { assertWhole } from './stored.ts'

const slots: readonly Slot[] = [...areas, sampleArea].flatMap((area) => area.slots)

/** Calls back between the steps, which is where a fault can come from outside. */
class HookedApplier extends FakeApplier {
  beforeCheck = (): void => {}
  beforeApply = (): void => {}

  override check(plan: Plan): Promise<CheckReport> {
    this.beforeCheck()
    return super.check(plan)
  }

  /** Holds applies up until it is opened. */
  gate: Promise<void> | null = null
  #isApplying = false

  override async apply(plan: Plan): Promise<Outcome> {
    assert.equal(this.#isApplying, false, 'two applies at once')
    this.#isApplying = true
    try {
      this.beforeApply()
      await this.gate
      return await super.apply(plan)
    } finally {
      this.#isApplying = false
    }
  }
}

let gateway: TestGateway
let applier: HookedApplier
let admin: Client
let otherId: string
let readFacts = (): Facts => labFacts

async function begin(): Promise<void> {
  readFacts = () => labFacts
  applier = new HookedApplier()
  gateway = await createTestGateway({
    applier,
    extraAreas: [sampleArea],
    parts: { facts: () => readFacts() },
  })
  admin = await gateway.client('predefined_admin_write')
  otherId = await gateway.addAdministrator('other', 'predefined_admin_readonly')
  gateway.services.sessions.create(otherId, '127.0.0.1', '/')
  await gateway.services.engine.reconcile()
}

/** Another connection to the same file, for those who meddle. */
function meddle(sql: string): void {
  const other = new DatabaseSync(join(gateway.folder, 'gateway.db'))
  other.exec(sql)
  other.close()
}

const pragma = (text: string): void => void gateway.database.prepare(`PRAGMA ${text}`).all()

interface Fault {
  readonly title: string
  readonly arm: () => void
  readonly disarm: () => void
}

const refusedByTable = (table: string, event: string): Fault => ({
  title: `the disk refuses to ${event} in ${table}`,
  arm: () => meddle(`CREATE TRIGGER fault BEFORE ${event} ON ${table} BEGIN SELECT RAISE(FAIL, 'injected'); END`),
  disarm: () => meddle('DROP TRIGGER fault'),
})

/** Faults of the disk: every table a change writes to, the commit itself, a full and a read-only disk. */
const diskFaults: readonly Fault[] = [
  refusedByTable('items', 'INSERT'),
  refusedByTable('items', 'UPDATE'),
  refusedByTable('items', 'DELETE'),
  refusedByTable('revisions', 'INSERT'),
  refusedByTable('slots', 'INSERT'),
  refusedByTable('sequences', 'INSERT'),
  refusedByTable('probation', 'INSERT'),
  refusedByTable('probation', 'DELETE'),
  refusedByTable('sessions', 'INSERT'),
  refusedByTable('sessions', 'DELETE'),
  refusedByTable('journal', 'INSERT'),
  {
    // A deferred key is looked at by COMMIT alone.
    title: 'the commit itself fails',
    arm: () =>
      meddle(`CREATE TABLE parents (id INTEGER PRIMARY KEY);
        CREATE TABLE orphans (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER fault AFTER INSERT ON journal BEGIN INSERT INTO orphans VALUES (1); END`),
    disarm: () => meddle('DROP TRIGGER fault; DROP TABLE orphans; DROP TABLE parents'),
  },
  {
    title: 'the disk is full',
    arm: () => {
      // Nothing may fit into what is free within the file either.
      pragma('max_page_count=1')
      meddle(
        `CREATE TABLE filler (x); CREATE TRIGGER fault BEFORE INSERT ON journal BEGIN INSERT INTO filler VALUES (zeroblob(1000000)); END`,
      )
    },
    disarm: () => {
      pragma('max_page_count=1000000')
      meddle('DROP TRIGGER fault; DROP TABLE filler')
    },
  },
  { title: 'the disk is read-only', arm: () => pragma('query_only=1'), disarm: () => pragma('query_only=0') },
]

const away = new GatewayError('unavailable', 'The apply service does not answer.')
const problem = { field: 'firewall.settings', message: 'injected' }

/** Faults of the machine. */
const machineFaults: readonly Fault[] = [
  {
    title: 'the check does not answer',
    arm: () => {
      applier.beforeCheck = () => {
        throw away
      }
    },
    disarm: () => {
      applier.beforeCheck = () => {}
    },
  },
  {
    title: 'the check refuses',
    arm: () => {
      applier.refuseWith = [problem]
    },
    disarm: () => {
      applier.refuseWith = []
    },
  },
  {
    title: 'the apply does not answer',
    arm: () => {
      applier.beforeApply = () => {
        throw away
      }
    },
    disarm: () => {
      applier.beforeApply = () => {}
    },
  },
  {
    title: 'the apply is put back',
    arm: () => {
      applier.putBackWith = [problem]
    },
    disarm: () => {
      applier.putBackWith = []
    },
  },
]

interface Operation {
  readonly title: string
  readonly prepare?: () => Promise<Answer>
  readonly call: () => Promise<Answer>
  readonly isDone: () => boolean | Promise<boolean>
}

const snat = (on: boolean, headers = {}): Promise<Answer> =>
  admin('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, headers)
const onProbation = { 'portcullis-confirm-within': '3600' }
const isSnatOn = (): boolean => read(gateway.services.engine.config, settings).automatic_snat_enabled
const other = () => findById(gateway.services.engine.config, otherId)
const sessionsOf = (adminId: string): number =>
  gateway.services.sessions.list().filter((session) => session.adminId === adminId).length
const signIn = (client: Client): Promise<Answer> =>
  client('POST', '/web/auth/login', { login: 'other', password: testPassword, rest_path: '/' })

const putBack: Operation = {
  title: 'putting a change on probation back',
  prepare: () => snat(false, onProbation),
  call: () => admin('DELETE', '/config/confirm'),
  isDone: () => isSnatOn() && gateway.services.engine.probation === null,
}

const operations: readonly Operation[] = [
  { title: 'a change of the machine', call: () => snat(false), isDone: () => !isSnatOn() },
  {
    title: 'a change on probation',
    call: () => snat(false, onProbation),
    isDone: () => !isSnatOn() && gateway.services.engine.probation !== null,
  },
  {
    title: 'a confirmation',
    prepare: () => snat(false, onProbation),
    call: () => admin('POST', '/config/confirm'),
    isDone: () => !isSnatOn() && gateway.services.engine.probation === null,
  },
  {
    title: 'a return to an older revision',
    prepare: () => snat(false),
    call: () => admin('POST', `/config/revisions/${gateway.services.engine.revision - 1}/revert`),
    isDone: isSnatOn,
  },
  {
    title: 'a change of an administrator',
    call: () => admin('PATCH', `/web/admins/local/${otherId}`, { name: 'renamed', comment: 'renamed' }),
    isDone: () => other()?.name === 'renamed' && other()?.comment === 'renamed',
  },
  {
    title: 'a change that ends sessions',
    call: () => admin('PATCH', `/web/admins/local/${otherId}`, { enabled: false }),
    isDone: () => other()?.enabled === false && sessionsOf(otherId) === 0,
  },
  {
    title: 'removing an administrator',
    call: () => admin('DELETE', `/web/admins/local/${otherId}`),
    isDone: () => other() === undefined && sessionsOf(otherId) === 0,
  },
  {
    title: 'adding to an ordered list',
    call: () => admin('POST', '/sample/notes', { title: 'a', comment: '' }),
    isDone: () => read(gateway.services.engine.config, notes).length === 1,
  },
  { title: 'a sign-in', call: async () => signIn(await gateway.client(null)), isDone: () => sessionsOf(otherId) === 2 },
  {
    title: 'a sign-in that ends the session it came with',
    call: () => signIn(admin),
    isDone: async () => sessionsOf(otherId) === 2 && (await admin('GET', '/web/whoami')).status === 401,
  },
  {
    title: 'a sign-out',
    call: () => admin('DELETE', '/web/auth/login'),
    isDone: async () => (await admin('GET', '/web/whoami')).status === 401,
  },
]

const everything = () => ({
  config: gateway.services.engine.config,
  probation: gateway.services.engine.probation,
  sessions: gateway.services.sessions
    .list()
    .map(({ handle }) => handle)
    .sort(),
})

/** Whole when it was answered with 200, absent otherwise; then, without the fault, it works. Returns the status. */
async function holds({ prepare, call, isDone }: Operation, { arm, disarm }: Fault): Promise<number> {
  if (prepare) assert.equal((await prepare()).status, 200)
  const before = everything()
  arm()
  const { status, body } = await call()
  disarm()
  if (status === 200) assert.ok(await isDone(), 'a false 200')
  else {
    assert.deepEqual(everything(), before, `half of it is there after ${status}`)
    assert.ok(body.message.length > 0)
  }
  await assertWhole(gateway, slots)
  if (status !== 200) {
    assert.equal((await call()).status, 200, 'it does not work without the fault either')
    assert.ok(await isDone())
    await assertWhole(gateway, slots)
  }
  return status
}

/** The same for each fault, every time on a new gateway. Returns the statuses in order. */
async function holdsForAll(operation: Operation, faults: readonly Fault[]): Promise<number[]> {
  const statuses: number[] = []
  for (const fault of faults) {
    await begin()
    try {
      statuses.push(await holds(operation, fault))
    } catch (cause) {
      throw new Error(`${operation.title}, when ${fault.title}: ${(cause as Error).message}`, { cause })
    } finally {
      await gateway.close()
    }
  }
  return statuses
}

describe('a fault of the disk', () => {
  for (const operation of [...operations, putBack]) {
    it(`leaves ${operation.title} whole or absent`, async () => {
      const statuses = await holdsForAll(operation, diskFaults)
      const [readOnly, full] = statuses.toReversed()
      assert.equal(readOnly, 503)
      assert.ok(full === 503 || full === 200, `a full disk was answered with ${full}`)
      assert.ok(
        statuses.some((status) => status === 500),
        'no fault was met on the way',
      )
    })
  }

  it('refuses all changes that share a commit, and those behind them go on', async () => {
    await begin()
    const [fault] = diskFaults.filter(({ title }) => title.includes('commit'))
    assert.ok(fault)
    fault.arm()
    const rename = (name: string) => admin('PATCH', `/web/admins/local/${otherId}`, { name })
    const answers = await Promise.all([...'abcdefgh'].map(rename))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [500])
    assert.equal(other()?.name, 'other')
    fault.disarm()
    const later = await Promise.all([...'abcdefgh'].map(rename))
    assert.deepEqual([...new Set(later.map(({ status }) => status))], [200])
    await assertWhole(gateway, slots)
    await gateway.close()
  })

  it('does not let an idle session in, and does not shut a live one out', async () => {
    await begin()
    const idle = await gateway.client('predefined_admin_readonly')
    pragma('query_only=1')
    for (let minute = 0; minute < 16; minute++) {
      gateway.clock.advance(60)
      assert.equal((await admin('GET', '/web/whoami')).status, 200)
    }
    assert.equal((await idle('GET', '/web/whoami')).status, 401)
    pragma('query_only=0')
    assert.equal((await idle('GET', '/web/whoami')).status, 401)
    await assertWhole(gateway, slots)
    await gateway.close()
  })
})

describe('a fault of the machine', () => {
  for (const operation of operations) {
    it(`leaves ${operation.title} whole or absent`, async () => {
      await holdsForAll(operation, machineFaults)
    })
  }

  it('never answers a change of the machine with 200', async () => {
    for (const operation of operations.slice(0, 2)) {
      assert.deepEqual(await holdsForAll(operation, machineFaults), [503, 422, 503, 500])
    }
  })

  it('does not stop a put-back: it is stored, shown as not yet done, and done by the next reconcile', async () => {
    for (const fault of machineFaults.slice(2)) {
      await begin()
      await snat(false, onProbation)
      fault.arm()
      assert.equal((await putBack.call()).status, 200)
      const status = (await admin('GET', '/firewall/status')).body as { name: string; status: string }[]
      assert.equal(status.find(({ name }) => name === 'rules-in-kernel')?.status, 'failed', fault.title)
      fault.disarm()
      await gateway.services.engine.reconcile()
      assert.match(JSON.stringify(applier.applied), /masquerade/)
      await assertWhole(gateway, slots)
      await gateway.close()
    }
  })

  it('and then of the disk, so that the change cannot be taken back: it is as soon as the disk takes it', async () => {
    for (const fault of machineFaults.slice(2)) {
      await begin()
      const before = everything()
      fault.arm()
      applier.beforeApply = () => {
        pragma('query_only=1')
        if (fault.title.includes('answer')) throw away
      }
      assert.equal((await snat(false)).status, 503)
      await assertWhole(gateway, slots)
      // Nothing is built on what is to go.
      assert.equal((await admin('PATCH', '/gather_stat/settings', { enabled: true })).status, 503)
      applier.beforeApply = () => {}
      fault.disarm()
      await gateway.services.engine.reconcile()
      assert.match(JSON.stringify(applier.applied), /masquerade/, 'a refused change came to the machine')
      pragma('query_only=0')
      await gateway.services.engine.reconcile()
      assert.deepEqual(everything(), before)
      assert.match(JSON.stringify(applier.applied), /masquerade/)
      assert.equal((await snat(false)).status, 200)
      await assertWhole(gateway, slots)
      await gateway.close()
    }
  })
})

describe('an apply service that hangs', () => {
  it('holds up only what it is needed for, and then everything is in order', async () => {
    await begin()
    let open = () => {}
    applier.gate = new Promise((resolve) => {
      open = resolve
    })
    const { engine } = gateway.services
    const reconciling = [engine.reconcile(), engine.reconcile()]
    const rename = (name: string) => admin('PATCH', `/web/admins/local/${otherId}`, { name })
    for (const name of ['first', 'second']) assert.equal((await rename(name)).status, 200)
    let isAnswered = false
    const changes = [snat(false), rename('third'), snat(true), snat(false)].map(async (change) => {
      const { status } = await change
      isAnswered = true
      return status
    })
    reconciling.push(engine.reconcile())
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isAnswered, false, 'a change was answered before the machine had it')
    open()
    assert.deepEqual(await Promise.all(changes), [200, 200, 200, 200])
    await Promise.all(reconciling)
    await engine.idle()
    assert.equal(isSnatOn(), false)
    assert.doesNotMatch(JSON.stringify(applier.applied), /masquerade/)
    assert.equal(applier.applied?.revision, engine.revision)
    await assertWhole(gateway, slots)
    await gateway.close()
  })
})

describe('facts that cannot be read', () => {
  const unreadable: Facts = new Proxy(labFacts, {
    get: () => {
      throw new Error('no facts')
    },
  })

  /** Only the n-th reading fails. */
  const failsAt = (n: number): Fault & { wasMet: boolean } => {
    const fault = {
      title: `reading ${n} of the facts fails`,
      wasMet: false,
      arm: () => {
        let count = 0
        readFacts = () => {
          count++
          if (count !== n) return labFacts
          fault.wasMet = true
          throw new Error('no facts')
        }
      },
      disarm: () => {
        readFacts = () => labFacts
      },
    }
    return fault
  }

  for (const operation of [...operations, putBack]) {
    it(`leave ${operation.title} whole or absent, whichever reading fails`, async () => {
      for (let n = 1, isMet = true; isMet && n < 20; n++) {
        const fault = failsAt(n)
        await holdsForAll(operation, [fault])
        isMet = fault.wasMet
      }
    })
  }

  it('do not keep a failed change in force', async () => {
    await begin()
    const before = everything()
    applier.putBackWith = [problem]
    applier.beforeApply = () => {
      readFacts = () => unreadable
    }
    assert.equal((await snat(false)).status, 500)
    assert.deepEqual(everything(), before)
    readFacts = () => labFacts
    await assertWhole(gateway, slots)
    await gateway.close()
  })

  it('do not stop the loop that keeps the machine right', async () => {
    await begin()
    const { engine } = gateway.services
    let readings = 0
    const lines: string[] = []
    const reconciler = startReconciler(
      engine,
      async () => {
        readings++
        if (readings === 1) throw new Error('no facts')
        readFacts = readings === 2 ? () => unreadable : () => labFacts
      },
      (_level, message) => lines.push(message),
    )
    for (let turn = 1; turn <= 3; turn++) {
      await until('it took another turn', () => readings >= turn)
      await engine.idle()
      reconciler.wake()
    }
    await until('the machine is right', () => engine.applied.error === null)
    reconciler.stop()
    assert.ok(lines.length > 0, 'it was not said')
    await engine.idle()
    await gateway.close()
  })
})
