// A whole gateway in the test's own process: real store, engine, sessions and HTTP service around the fake applier and a
// clock the test moves. Requests are injected; no port is opened.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { administrators, findByLogin, passwordPlace } from '../../src/areas/administrators/config.ts'
import { userSessionsService } from '../../src/areas/authorization/service.ts'
import { areas } from '../../src/areas/index.ts'
import { signatureIntakeService } from '../../src/areas/intrusion-prevention/service.ts'
import { Passwords } from '../../src/core/accounts/passwords.ts'
import type { Area } from '../../src/core/area/handle.ts'
import type { Offered } from '../../src/core/area/service.ts'
import type { Role } from '../../src/core/contract/access.ts'
import { Database } from '../../src/core/database/database.ts'
import { addItem } from '../../src/core/model/list-edits.ts'
import { type Facts, noFacts } from '../../src/core/plan/facts.ts'
import { Vault } from '../../src/core/vault.ts'
import { createGateway, type Gateway, type GatewayParts } from '../../src/gatewayd/app.ts'
import type { Clock } from '../../src/shared/time/clock.ts'
import { CleanLog } from './clean-log.ts'
import { FakeApplier } from './fake-applier.ts'
import { createFollowedLogs } from './followed-logs.ts'
import { type ProvidedServices, provided, splitParts } from './provided.ts'
import { withRecordedReads } from './recorded-reads.ts'

export class FakeClock implements Clock {
  boot = 'boot-1'
  wall = Date.UTC(2026, 0, 1)
  seconds = 1_000
  now = (): Date => new Date(this.wall)
  elapsed = (): number => this.seconds
  advance(seconds: number): void {
    this.seconds += seconds
    this.wall += seconds * 1000
  }
}

export const labFacts: Facts = {
  ...noFacts,
  interfaces: [
    { name: 'lan0', mac: '02:00:00:00:00:01', addresses: ['10.10.0.1/24'], isUp: true, index: 2 },
    { name: 'wan0', mac: '02:00:00:00:00:02', addresses: ['203.0.113.2/24'], isUp: true, index: 3 },
  ],
  externalInterfaces: ['wan0'],
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Client {
  (method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  readonly cookie: string
}

export const testPassword = 'correct horse 9'

let hashOnce: Promise<string> | null = null
/** argon2 is slow by design; tests need its result, not its cost. */
const sharedHash = (): Promise<string> => {
  hashOnce ??= new Passwords().hash(testPassword)
  return hashOnce
}

export interface TestGateway extends Gateway {
  readonly userSessions: Offered<typeof userSessionsService>
  readonly signatureIntake: Offered<typeof signatureIntakeService>
  readonly applier: FakeApplier
  readonly clock: FakeClock
  readonly database: Database
  readonly vault: Vault
  readonly folder: string
  /** Warnings and errors; those that the test did not expect make `restart` and `close` fail. */
  readonly log: CleanLog
  /** A client signed in with the role; `null` is one without cookies. */
  client(role: Role | null): Promise<Client>
  addAdministrator(login: string, role: Role): Promise<string>
  /** Closes and opens the same state again, as a restart would; `changes` are the parts that another release would have. */
  restart(changes?: Pick<TestOptions, 'extraAreas' | 'parts'>): Promise<TestGateway>
  close(): Promise<void>
}

export interface TestOptions {
  readonly extraAreas?: readonly Area[]
  readonly clock?: FakeClock
  readonly folder?: string
  readonly applier?: FakeApplier
  readonly licenceKey?: string
  /** Warnings and errors that the gateway has to log, this one and those after a restart. */
  readonly expectedLog?: readonly RegExp[]
  /** Parts that a test provides, such as a listener or a log. */
  readonly parts?: Partial<GatewayParts> & ProvidedServices
}

export async function createTestGateway(options: TestOptions = {}): Promise<TestGateway> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'portcullis-test-'))
  const clock = options.clock ?? new FakeClock()
  const applier = options.applier ?? new FakeApplier()
  const database = new Database(join(folder, 'gateway.db'))
  const log = new CleanLog()
  log.expect(...(options.expectedLog ?? []))
  const vault = new Vault(join(folder, 'vault.key'))
  const logs = options.parts?.logs ?? createFollowedLogs(folder)
  const { services, others } = splitParts(options.parts ?? {})
  const gateway = createGateway({
    database,
    logs,
    folder,
    applier,
    vault,
    clock,
    facts: () => labFacts,
    brand: 'portcullis',
    hostName: 'gateway-host',
    ownNames: new Set(['gateway.test']),
    isTls: true,
    areas: withRecordedReads([...areas, ...(options.extraAreas ?? [])]),
    checkReplies: true,
    // An injected request is answered when its reply is complete.
    streamLimits: { lifeMilliseconds: 20 },
    ...others,
    provided: provided({
      licence: { installationId: 'test-installation', key: options.licenceKey ?? null },
      ...services,
    }),
    log: (level, message, fields = {}) => {
      log.add({ level, message, fields })
      options.parts?.log?.(level, message, fields)
    },
  })
  await gateway.http.ready()
  const { engine } = gateway

  const addAdministrator = async (login: string, role: Role): Promise<string> => {
    const id = crypto.randomUUID()
    const password_hash = vault.seal(await sharedHash(), passwordPlace(id))
    const admin = { id, enabled: true, name: login, login, role, comment: '', password_timestamp: 0, password_hash }
    await engine.change({
      edit: (config) => [addItem(config, administrators, admin), null],
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    return id
  }

  const clientWith = (cookie: string): Client =>
    Object.assign(
      async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
        const answer = await gateway.http.inject({
          method: method as 'GET',
          url,
          headers: { host: 'gateway.test', ...(cookie ? { cookie } : {}), ...headers },
          ...(body === undefined
            ? {}
            : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
        })
        const text = answer.body
        const isJson = String(answer.headers['content-type']).startsWith('application/json') && text !== ''
        return { status: answer.statusCode, text, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
      },
      { cookie },
    )

  return {
    ...gateway,
    userSessions: gateway.services.of(userSessionsService),
    signatureIntake: gateway.services.of(signatureIntakeService),
    applier,
    clock,
    database,
    vault,
    folder,
    log,
    addAdministrator,
    client: async (role) => {
      if (role === null) return clientWith('')
      const login = `of-${role}`
      const id = findByLogin(engine.config, login)?.id ?? (await addAdministrator(login, role))
      const tokens = gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
      return clientWith(
        `insecure-portcullis-session=${tokens.session}; __Secure-portcullis-${tokens.secureName}=${tokens.secureValue}`,
      )
    },
    restart: async (changes = {}) => {
      await shut()
      return createTestGateway({ ...options, ...changes, folder, clock, applier })
    },
    close: async () => {
      try {
        await shut()
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }

  async function shut(): Promise<void> {
    await engine.idle()
    engine.close()
    await gateway.http.close()
    gateway.services.audit.flush()
    await gateway.close()
    await logs.close()
    database.close()
    log.assertClean()
    assert.deepEqual(applier.misuses, [], 'the applier was called in the wrong order')
  }
}
