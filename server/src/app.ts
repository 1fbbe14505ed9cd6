// Builds the gateway from its parts: store, engine, services and the HTTP service over all areas. main.ts wires it to
// the machine; tests build it around a fake applier and inject requests.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { administrators, findById, reopenedBy, signedOutBy } from './areas/administrators/config.ts'
import { ruleOrigins } from './areas/firewall/config.ts'
import { createLockOutGuard } from './areas/firewall/lock-out.ts'
import { areas as allAreas } from './areas/index.ts'
import { gatheredLogs } from './areas/logs/jobs.ts'
import type { Committed } from './config/change.ts'
import { describeChanges } from './config/describe.ts'
import { ConfigEngine } from './config/engine.ts'
import { ConfigStore } from './config/store.ts'
import type { AreaEndpoints } from './contract/openapi.ts'
import { Database } from './database/database.ts'
import { cookieNames, createCookieJar } from './http/cookies.ts'
import type { Area, Identity, Machine, Services } from './http/handle.ts'
import { referenceRoutes } from './http/reference.ts'
import { createIdentityFinder } from './http/request.ts'
import { createHttpServer } from './http/server.ts'
import { faultsOf } from './http/validate.ts'
import { createReferenceFinder } from './model/references.ts'
import type { Applier } from './plan/artifacts.ts'
import type { Facts } from './plan/facts.ts'
import { createPlanner } from './plan/planner.ts'
import { Passwords, weaknessOf } from './runtime/accounts/passwords.ts'
import { Sessions } from './runtime/accounts/sessions.ts'
import { SignInGuard } from './runtime/accounts/sign-in-guard.ts'
import { Backups } from './runtime/backups/backups.ts'
import type { Clock } from './runtime/clock.ts'
import { HitCounters } from './runtime/hit-counters.ts'
import { type AuditEntry, AuditTrail } from './runtime/logs/audit.ts'
import { FirewallLog, firewallLogMigrations } from './runtime/logs/firewall-log.ts'
import type { Log } from './runtime/logs/log.ts'
import { SystemLog, systemLogMigrations } from './runtime/logs/system-log.ts'
import type { Vault } from './runtime/vault.ts'
import { release, version } from './version.ts'

export interface GatewayParts {
  readonly database: Database
  /** Where the gateway keeps its other files beside the database. */
  readonly folder: string
  /** What the reader of the firewall log writes. */
  readonly hitsFile: string
  readonly applier: Applier
  readonly vault: Vault
  readonly clock: Clock
  readonly facts: () => Facts
  readonly log: Log
  readonly brand: string
  readonly hostName: string
  readonly ownNames: ReadonlySet<string>
  readonly installationId: string
  readonly licenceKey: string | null
  readonly uploads?: Services['uploads']
  readonly domains?: Services['domains']
  readonly countries?: Services['countries']
  readonly disks?: Services['disks']
  readonly textRecords?: Services['textRecords']
  readonly traffic?: Services['traffic']
  readonly dhcpLeases?: Services['dhcpLeases']
  readonly serviceLogs?: Services['serviceLogs']
  readonly signatures?: Services['signatures']
  readonly ddns?: Services['ddns']
  readonly isTls: boolean
  readonly serverFactory?: FastifyServerFactory
  readonly areas?: readonly Area[]
  readonly logsRequests?: boolean
  readonly checkReplies?: boolean
}

export interface Gateway {
  readonly http: FastifyInstance
  readonly engine: ConfigEngine
  readonly services: Services
  /** Closes what was opened here; the caller closes the database. */
  close(): Promise<void>
}

/** The gateway itself, when no administrator made the request. */
const gatewayActor = { login: 'system', address: '127.0.0.1' }

export const endpointsOf = (areas: readonly Area[]): AreaEndpoints[] =>
  areas.map(({ name, routes }) => ({ name, endpoints: routes.map((route) => route.endpoint) }))

type ConfigurationParts = Pick<GatewayParts, 'database' | 'applier' | 'clock' | 'facts' | 'areas'>

/** What a change of the configuration needs and does, without anything that serves it. Opens no file but the database. */
export function createConfiguration({ database, applier, clock, facts, areas = allAreas }: ConfigurationParts) {
  const slots = areas.flatMap((area) => area.slots)
  const audit = new AuditTrail(database, clock.now)
  const sessions = new Sessions(database, clock)
  const guard = new SignInGuard(database, clock)
  const referencesTo = createReferenceFinder(areas)
  const engine = new ConfigEngine({
    slots,
    database,
    store: new ConfigStore(database, slots),
    planner: createPlanner(areas),
    applier,
    facts,
    clock,
    lockOut: createLockOutGuard(facts, clock.now),
    referencesTo,
    onCommit: (commits) => {
      for (const { revision } of commits) {
        for (const adminId of signedOutBy(revision.changes)) sessions.endAllOf(adminId)
        for (const adminId of reopenedBy(revision.changes)) guard.reopenAccount(adminId)
      }
      audit.write(commits.map(changeRecord))
    },
  })
  return { engine, audit, sessions, guard, referencesTo }
}

export function createGateway(parts: GatewayParts): Gateway {
  const { database, applier, clock } = parts
  const areas = parts.areas ?? allAreas
  const { engine, audit, sessions, guard, referencesTo } = createConfiguration(parts)
  const hitCounters = new HitCounters({
    path: join(parts.folder, 'hit-counters.json'),
    clock,
    hits: () => applier.hits(),
    origins: () => ruleOrigins(engine.config),
  })
  const logDatabase = openLog(join(parts.folder, 'log.db'), parts.log)
  const firewallLog = new FirewallLog({
    database: logDatabase,
    path: parts.hitsFile,
    now: clock.now,
    onFault: (error) => parts.log('warning', 'the firewall log cannot be stored', { error }),
  })
  const names = cookieNames(parts.brand)
  const systemLog = new SystemLog({
    database: logDatabase,
    ...gatheredLogs({
      brand: parts.brand,
      clock,
      facts: parts.facts,
      audit,
      firewallLog,
      ...(parts.serviceLogs ? { serviceLogs: parts.serviceLogs } : {}),
    }),
    onFault: (error) => parts.log('warning', 'the system journal cannot be collected', { error }),
  })
  const services: Services = {
    brand: parts.brand,
    hostName: parts.hostName,
    installationId: parts.installationId,
    licenceKey: parts.licenceKey,
    clock,
    engine,
    changeAsGateway: async (edit, { actor = gatewayActor, ...options }) => {
      await engine.change({ edit: (config, tools) => [edit(config, tools), null], actor, ...options })
    },
    applier,
    facts: parts.facts,
    referencesTo,
    hitCounters,
    firewallLog,
    systemLog,
    backups: new Backups({
      folder: join(parts.folder, 'backups'),
      keyFile: join(parts.folder, 'recovery.key'),
      signingKeyFile: join(parts.folder, 'backup-signing.key'),
      now: clock.now,
      version: release,
    }),
    ...(parts.uploads ? { uploads: parts.uploads } : {}),
    ...(parts.domains ? { domains: parts.domains } : {}),
    ...(parts.countries ? { countries: parts.countries } : {}),
    ...(parts.disks ? { disks: parts.disks } : {}),
    ...(parts.textRecords ? { textRecords: parts.textRecords } : {}),
    ...(parts.traffic ? { traffic: parts.traffic } : {}),
    ...(parts.dhcpLeases ? { dhcpLeases: parts.dhcpLeases } : {}),
    ...(parts.serviceLogs ? { serviceLogs: parts.serviceLogs } : {}),
    ...(parts.signatures ? { signatures: parts.signatures } : {}),
    ...(parts.ddns ? { ddns: parts.ddns } : {}),
    audit,
    sessions,
    guard,
    passwords: new Passwords(),
    vault: parts.vault,
    cookieJar: createCookieJar(names),
    weaknessOf,
    faultsOf,
    transact: (work) => database.transact(work),
    observe: () => observe(applier, engine),
    backgroundState: (area) => engine.backgroundState(area),
  }
  const http = createHttpServer({
    routes: [...areas.flatMap((area) => area.routes), ...referenceRoutes(endpointsOf(areas), version)],
    services,
    engine,
    findIdentity: createIdentityFinder(
      names,
      (session, secures) => {
        const opened = sessions.open(session, secures)
        return opened && identityOf(opened)
      },
      (identity) => (sessions.touch(identity.session) ? refreshed(identity) : null),
    ),
    ownNames: parts.ownNames,
    isTls: parts.isTls,
    log: parts.log,
    ...(parts.serverFactory ? { serverFactory: parts.serverFactory } : {}),
    ...(parts.logsRequests ? { logsRequests: true } : {}),
    ...(parts.checkReplies ? { checkReplies: true } : {}),
  })
  return { http, engine, services, close }

  async function close(): Promise<void> {
    await systemLog.stop()
    await firewallLog.stop()
    hitCounters.close()
    logDatabase.close()
  }

  function identityOf(session: Identity['session']): Identity | null {
    const admin = findById(engine.config, session.adminId)
    if (!admin?.enabled) return null
    return { adminId: admin.id, login: admin.login, name: admin.name, role: admin.role, session }
  }

  /** The same object while nothing about the administrators changed, so that frequent requests need no look-up. */
  function refreshed(identity: Identity): Identity | null {
    const current = engine.config[administrators.key]
    if (identityConfig.get(identity) === current) return identity
    const next = identityOf(identity.session)
    if (next && current) identityConfig.set(next, current)
    return next
  }
}

const logMigrations = [...firewallLogMigrations, ...systemLogMigrations]

/** A damaged log must not keep the gateway from starting: a file that cannot be opened is deleted. */
function openLog(path: string, log: Log): Database {
  const open = (): Database => new Database(path, undefined, { migrations: logMigrations, isForgetful: true })
  try {
    return open()
  } catch (error) {
    log('warning', 'the firewall log cannot be read and was restarted', { error })
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
    return open()
  }
}

const identityConfig = new WeakMap<Identity, unknown>()

async function observe(applier: Applier, engine: ConfigEngine): Promise<Machine> {
  const { error, outcome } = engine.applied
  const failed =
    outcome?.status === 'put_back' ? (outcome.problems[0]?.message ?? 'The last apply was reverted.') : null
  try {
    return { observation: await applier.observe(), unreachable: '', applyError: error ?? failed }
  } catch (cause) {
    return { observation: null, unreachable: (cause as Error).message, applyError: error ?? failed }
  }
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
  changes: describeChanges(revision.changes),
})
