// Builds the gateway from its parts: store, engine, services and the HTTP service over all areas. main.ts wires it to
// the machine; tests build it around a fake applier and inject requests.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { administrators, findById, isFullAdministrator } from '../areas/administrators/config.ts'
import { createKnownHosts } from '../areas/authorization/known-hosts.ts'
import { SessionKeeper } from '../areas/authorization/runs/keeper.ts'
import { linesOf } from '../areas/authorization/runs/session-lines.ts'
import { SessionRows, userSessionTables } from '../areas/authorization/runs/session-rows.ts'
import { Backups } from '../areas/backup/runs/backups.ts'
import { limitsOf } from '../areas/configuration/config.ts'
import { listFolders } from '../areas/content-filter/list-folders.ts'
import { filterUser, placesOfUsers } from '../areas/content-filter/public.ts'
import { CategoryDatabase } from '../areas/content-filter/runs/categories.ts'
import { WebFilterSocket } from '../areas/content-filter/runs/socket.ts'
import { starterLists } from '../areas/content-filter/starter.ts'
import { ruleOrigins } from '../areas/firewall/config.ts'
import { findPlaces } from '../areas/firewall/connections.ts'
import { firewall } from '../areas/firewall/index.ts'
import { HitCounters } from '../areas/firewall/runs/hit-counters.ts'
import { deliverNotices, targetsOf } from '../areas/health/jobs.ts'
import { addQueues } from '../areas/health/jobs-queues.ts'
import { ConflictBook } from '../areas/health/runs/conflicts.ts'
import { createHealth } from '../areas/health/runs/health.ts'
import { healthEvent } from '../areas/health/status.ts'
import { areas as allAreas } from '../areas/index.ts'
import { maxArchives } from '../areas/intrusion-prevention/contract-archives.ts'
import { SignatureIntake } from '../areas/intrusion-prevention/runs/intake.ts'
import { logLimitsOf } from '../areas/logs/config.ts'
import { copyAuditTrail } from '../areas/logs/jobs.ts'
import { followPortalUsers } from '../areas/portal/jobs-portal.ts'
import { createPortalState } from '../areas/portal/runs/portal-state.ts'
import { FirstPassword, firstPasswordName } from '../core/accounts/first-password.ts'
import { Passwords, weaknessOf } from '../core/accounts/passwords.ts'
import { cookieNames, createCookieJar } from '../core/area/cookies.ts'
import { EventStreams, type StreamLimits } from '../core/area/event-stream.ts'
import { GatewayEvents } from '../core/area/gateway-events.ts'
import type { Area, Identity, Machine, Services } from '../core/area/handle.ts'
import { RefusalLog } from '../core/area/refusal-log.ts'
import { readStatuses } from '../core/area/statuses.ts'
import type { AuditEntry } from '../core/audit/audit-entry.ts'
import type { ConfigEngine } from '../core/config/engine.ts'
import { HistoryKeeper } from '../core/config/retention.ts'
import { Database } from '../core/database/database.ts'
import type { DiskReserve, DiskState } from '../core/database/disk-reserve.ts'
import { Shelter } from '../core/database/shelter.ts'
import type { Log } from '../core/log.ts'
import type { Applier } from '../core/plan/artifacts.ts'
import { createLiveSetFinder } from '../core/plan/declared-live-sets.ts'
import type { Facts } from '../core/plan/facts.ts'
import { faultsOf } from '../core/validation/validate.ts'
import type { Vault } from '../core/vault.ts'
import { ReadingPool } from '../core/workers/reading-pool.ts'
import type { LogStore } from '../domain/logs/store.ts'
import { quote as quoteForSnmp } from '../engines/snmp/snmp.ts'
import { printPem } from '../engines/web-filter/squid.ts'
import { type Aging, createAging } from '../shared/time/aging.ts'
import type { Clock } from '../shared/time/clock.ts'
import { release } from '../shared/version.ts'
import { withSecrets } from './apply/secrets.ts'
import { createConfiguration } from './configuration.ts'
import { LiveConnections } from './http/live-connections.ts'
import { referenceRoutes } from './http/reference.ts'
import { createIdentityFinder } from './http/request.ts'
import { createHttpServer } from './http/server.ts'
import { takeOverHits } from './logs/former-hits.ts'
import { LogQuota, logBytesOf, logMigrations } from './logs/log-quota.ts'
import { LogReader } from './logs/log-reader.ts'

export interface GatewayParts {
  readonly database: Database
  /** Room on the disk of the folder; absent where the disk is not watched. */
  readonly reserve?: DiskReserve
  /** Where the gateway keeps its other files beside the database. */
  readonly folder: string
  /** The folder of the content filter, with its lists and indexes; below the other one unless given. */
  readonly webFilterFolder?: string
  /** Where applyd finds signatures that are to be checked; below the other one unless given. */
  readonly candidatesFolder?: string
  /** What the reader of the firewall log writes. */
  readonly hitsFile: string
  /** The log; closed by who opened it. */
  readonly logs: LogStore
  readonly applier: Applier
  readonly vault: Vault
  readonly clock: Clock
  /** By which things become too old; without it nothing is known of the time before the start. */
  readonly aging?: Aging
  readonly facts: () => Facts
  readonly log: Log
  readonly brand: string
  readonly hostName: string
  readonly ownNames: ReadonlySet<string>
  readonly installationId: string
  readonly licenceKey: string | null
  readonly uploads?: Services['uploads']
  readonly auditUsage?: Services['auditUsage']
  readonly domains?: Services['domains']
  readonly countries?: Services['countries']
  readonly disks?: Services['disks']
  readonly names?: Services['names']
  readonly textRecords?: Services['textRecords']
  readonly traffic?: Services['traffic']
  readonly flowReport?: Services['flowReport']
  readonly classified?: Services['classified']
  readonly webProxy?: Services['webProxy']
  readonly dhcpLeases?: Services['dhcpLeases']
  readonly inspection?: Services['inspection']
  readonly captures?: Services['captures']
  readonly cardVendors?: Services['cardVendors']
  readonly deviceDiscovery?: Services['deviceDiscovery']
  readonly signatures?: Services['signatures']
  readonly forwarding?: Services['forwarding']
  readonly logServer?: Services['logServer']
  readonly ddns?: Services['ddns']
  readonly codeProvider?: Services['codeProvider']
  readonly machineLoad?: Services['machineLoad']
  readonly connectionGuard?: Services['connectionGuard']
  readonly managementCertificate?: Services['managementCertificate']
  readonly notices?: Services['notices']
  readonly upgrades?: Services['upgrades']
  /** Where backups are kept; absent: inside of `folder`. */
  readonly backupsFolder?: string
  /** The first password can only be used to change it. */
  readonly firstPasswordMustChange?: boolean
  readonly isTls: boolean
  readonly serverFactory?: FastifyServerFactory
  readonly consoleFolder?: URL
  readonly areas?: readonly Area[]
  readonly logsRequests?: boolean
  readonly checkReplies?: boolean
  readonly handlerMilliseconds?: number
  readonly streamLimits?: Partial<StreamLimits>
}

export interface Gateway {
  readonly http: FastifyInstance
  readonly engine: ConfigEngine
  readonly services: Services
  /** Sessions of users; who starts the gateway starts it, and has it compared when applyd was away. */
  readonly userSessions: SessionKeeper
  /** Categories of sites; who starts the gateway has its lists read. */
  readonly webCategories: CategoryDatabase
  readonly signatureIntake: SignatureIntake
  /** The socket of the content filter; who starts the gateway says where it is. */
  readonly webFilter: WebFilterSocket
  /** Closes what was opened here; the caller closes the database. */
  close(): Promise<void>
}

/** The gateway itself, when no administrator made the request. */
const gatewayActor = { login: 'system', address: '127.0.0.1' }

export function createGateway(parts: GatewayParts): Gateway {
  const { database, applier, clock, logs } = parts
  const { aging = createAging(() => clock.now().getTime(), clock.elapsed) } = parts
  const areas = parts.areas ?? allAreas
  const { engine, store, audit, accounts, sessions, guard, referencesTo, rightsSlots } = createConfiguration({
    ...parts,
    applier: withSecrets(applier, {
      reveal: (sealed, place) => parts.vault.reveal({ sealed }, place),
      printers: { snmp: quoteForSnmp, pem: printPem },
      log: parts.log,
    }),
    seal: (clear, place) => parts.vault.seal(clear, place),
    userAt: (address) => userSessions.at(address)?.userId,
  })
  const refusedSignIns = new RefusalLog((entry) => audit.note(entry), clock.elapsed)
  const firstPassword = new FirstPassword({
    database: accounts,
    clock,
    path: join(parts.folder, firstPasswordName),
    find: (adminId) => findById(engine.config, adminId),
    mustChange: parts.firstPasswordMustChange ?? false,
  })
  new HistoryKeeper({
    database,
    store,
    engine,
    limits: () => limitsOf(engine.config, parts.reserve?.state().totalBytes ?? null),
    onRemoved: (first, last) => audit.write([removalRecord(first, last)]),
    onFault: (error) => parts.log('error', 'old revisions were not removed', { error }),
  })
  const hitCounters = new HitCounters({
    path: join(parts.folder, 'hit-counters.json'),
    clock,
    hits: () => applier.hits(),
    origins: () => ruleOrigins(engine.config),
  })
  const logPath = join(parts.folder, 'log.db')
  const logDatabase = openLog(logPath, parts)
  const formerHits = takeOverHits({
    database: logDatabase,
    logs,
    hitsFile: parts.hitsFile,
    onFault: (error) => parts.log('warning', 'firewall hits of an earlier release were not taken over', { error }),
  })
  const reader = new ReadingPool(new URL('./threads/reader.ts', import.meta.url), { path: database.path })
  const { reserve } = parts
  const logQuota = new LogQuota({
    database: logDatabase,
    maxBytes: () => logBytesOf(reserve?.state().totalBytes ?? null),
    hasRoom: () => reserve?.hasRoomForLogs() ?? true,
  })
  if (reserve) reserve.onLook = keepRoom
  const auditCopy = copyAuditTrail({
    audit,
    logs,
    onFault: (error) => parts.log('warning', 'the audit trail was not copied to the log', { error }),
  })
  const setLogLimits = (): void => logs.setLimits(logLimitsOf(engine.config, reserve?.state().totalBytes ?? null))
  setLogLimits()
  engine.onChanged(setLogLimits)
  const names = cookieNames(parts.brand)
  const portal = createPortalState({
    accounts,
    logDatabase,
    clock,
    logs,
    onFault: (error) => parts.log('warning', 'the journal of the portal cannot be stored', { error }),
  })
  const userTables = new Shelter(database, userSessionTables)
  const declaredSets = createLiveSetFinder()
  const userSessions = new SessionKeeper({
    rows: new SessionRows(userTables, clock.boot),
    applier,
    known: createKnownHosts(() => engine.config),
    liveSets: () => declaredSets(engine.rendered.foreground),
    clock,
    journal: { write: (events) => portal.lines.writeAll(linesOf(events)) },
    onFault: (error) => parts.log('warning', 'the kernel does not follow the sessions of users', { error }),
  })
  engine.onChanged(() => userSessions.noteSets())
  engine.beforeAnswer(() => userSessions.followConfiguration())
  const logReader = new LogReader({ entry: new URL('./threads/log-worker.ts', import.meta.url), path: logPath })
  const health = createHealth({
    folder: parts.folder,
    clock,
    aging,
    ...(reserve ? { reserve } : {}),
    targets: () => targetsOf(engine.config),
    deliver: (target, notices) => deliverNotices(services, target, notices),
    onFault: (source, error) => parts.log('warning', 'a health check failed', { source, error }),
  })
  const statuses = () =>
    readStatuses(
      areas.flatMap(({ routes }) => routes),
      services,
    )
  const events = new GatewayEvents({
    services: () => services,
    readStatuses: statuses,
    topics: [{ event: 'health', access: 'view', read: () => healthEvent(health.monitor.list()) }],
  })
  health.monitor.onChanged(() => events.look())
  engine.onChanged(() => events.look())
  const signatureFault = (error: unknown): void => parts.log('warning', 'signatures were not read', { error })
  const webCategories = new CategoryDatabase({
    folder: parts.webFilterFolder ?? join(parts.folder, 'web-filter'),
    folders: listFolders,
    starter: starterLists,
    now: clock.now,
    room: () => roomForLists(reserve?.state()),
    onFault: (error) => parts.log('warning', 'the category index was not built', { error }),
  })
  const signatureIntake = new SignatureIntake({
    folder: join(parts.folder, 'signatures'),
    candidates: parts.candidatesFolder ?? join(parts.folder, 'candidates'),
    check: (id, signal) => applier.checkSignatures(id, signal),
    maxArchives,
    now: clock.now,
    room: () => roomForLists(reserve?.state()),
    onChange: () => void parts.signatures?.refresh().catch(signatureFault),
    onFault: signatureFault,
  })
  const webFilter = new WebFilterSocket({
    places: () => placesOfUsers(engine.config, userSessions.list()),
    userOf: (id) => filterUser(engine.config, id),
    log: parts.log,
  })
  userSessions.onEvents(() => void webFilter.follow())
  engine.onChanged(() => void webFilter.follow())
  webCategories.onNew((file) => webFilter.announceCategories(file))
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
    reader,
    eventStreams: new EventStreams(parts.streamLimits),
    events,
    readStatuses: statuses,
    hitCounters,
    logs,
    refreshLogs: async () => {
      await auditCopy.refresh()
      await logs.flush()
    },
    ...(reserve ? { reserve } : {}),
    logReader,
    backups: new Backups({
      folder: parts.backupsFolder ?? join(parts.folder, 'backups'),
      keyFile: join(parts.folder, 'recovery.key'),
      signingKeyFile: join(parts.folder, 'backup-signing.key'),
      hasRoom: () => reserve?.hasRoomForLogs() ?? true,
      now: clock.now,
      aging,
      version: release,
    }),
    ...(parts.uploads ? { uploads: parts.uploads } : {}),
    ...(parts.auditUsage ? { auditUsage: parts.auditUsage } : {}),
    ...(parts.domains ? { domains: parts.domains } : {}),
    ...(parts.countries ? { countries: parts.countries } : {}),
    ...(parts.disks ? { disks: parts.disks } : {}),
    ...(parts.names ? { names: parts.names } : {}),
    ...(parts.textRecords ? { textRecords: parts.textRecords } : {}),
    ...(parts.traffic ? { traffic: parts.traffic } : {}),
    ...(parts.flowReport ? { flowReport: parts.flowReport } : {}),
    ...(parts.classified ? { classified: parts.classified } : {}),
    ...(parts.webProxy ? { webProxy: parts.webProxy } : {}),
    ...(parts.inspection ? { inspection: parts.inspection } : {}),
    ...(parts.captures ? { captures: parts.captures } : {}),
    ...(parts.dhcpLeases ? { dhcpLeases: parts.dhcpLeases } : {}),
    ...(parts.cardVendors ? { cardVendors: parts.cardVendors } : {}),
    ...(parts.deviceDiscovery ? { deviceDiscovery: parts.deviceDiscovery } : {}),
    ...(parts.forwarding ? { forwarding: parts.forwarding } : {}),
    ...(parts.logServer ? { logServer: parts.logServer } : {}),
    ...(parts.signatures ? { signatures: parts.signatures } : {}),
    ...(parts.ddns ? { ddns: parts.ddns } : {}),
    ...(parts.codeProvider ? { codeProvider: parts.codeProvider } : {}),
    ...(parts.machineLoad ? { machineLoad: parts.machineLoad } : {}),
    ...(parts.connectionGuard ? { connectionGuard: parts.connectionGuard } : {}),
    ...(parts.managementCertificate ? { managementCertificate: parts.managementCertificate } : {}),
    ...(parts.notices ? { notices: parts.notices } : {}),
    ...(parts.upgrades ? { upgrades: parts.upgrades } : {}),
    makeWebAuthority: async () =>
      (await import('../shared/certificates/certificate-maker.ts')).makeWebAuthority(clock.now()),
    health,
    conflicts: new ConflictBook(() => applier.conflicts(), clock),
    audit,
    sessions,
    webCategories,
    signatureIntake,
    webFilter,
    userSessions,
    guard,
    refusedSignIns,
    portal,
    passwords: new Passwords(clock.elapsed),
    firstPassword,
    vault: parts.vault,
    cookieJar: createCookieJar(names),
    weaknessOf,
    faultsOf,
    transact: (work) => accounts.transact(work),
    observe: () => observe(applier, engine),
    backgroundState: (area) => engine.backgroundState(area),
  }
  addQueues(services, engine)
  const portalUsers = followPortalUsers(services)
  const decidingSlots = [...firewall.slots, ...(firewall.reads ?? [])].map(({ key }) => key)
  const http = createHttpServer({
    connections: new LiveConnections({ applier, services, slots: new Set(decidingSlots), findPlaces }),
    routes: [...areas.flatMap((area) => area.routes), ...referenceRoutes(names)],
    services,
    engine,
    findIdentity: createIdentityFinder(
      names,
      (session, secures, isActivity) => {
        const opened = sessions.open(session, secures, isActivity)
        return opened && identityOf(opened)
      },
      (identity, isActivity) => {
        const isOpen = isActivity ? sessions.touch(identity.session) : sessions.isValid(identity.session)
        return isOpen ? refreshed(identity) : null
      },
    ),
    rightsSlots,
    isFullAdministrator: (login) => isFullAdministrator(engine.config, login),
    ownNames: parts.ownNames,
    isTls: parts.isTls,
    log: parts.log,
    ...(parts.serverFactory ? { serverFactory: parts.serverFactory } : {}),
    ...(parts.consoleFolder ? { consoleFolder: parts.consoleFolder } : {}),
    ...(parts.logsRequests ? { logsRequests: true } : {}),
    ...(parts.checkReplies ? { checkReplies: true } : {}),
    ...(parts.handlerMilliseconds ? { handlerMilliseconds: parts.handlerMilliseconds } : {}),
  })
  http.addHook('onClose', async () => {
    refusedSignIns.close()
    await reader.close()
  })
  return { http, engine, services, userSessions, webCategories, signatureIntake, webFilter, close }

  async function close(): Promise<void> {
    await userSessions.stop()
    await webFilter.close()
    await webCategories.close()
    await signatureIntake.close()
    portalUsers.stop()
    health.close()
    await logReader.close()
    await auditCopy.stop()
    await formerHits.stop()
    hitCounters.close()
    for (const tables of [accounts, userTables]) {
      tables.tryReturn()
      tables.close()
    }
    logDatabase.close()
  }

  /** What can be lost leaves room for what cannot. */
  function keepRoom(state: DiskState['state']): void {
    try {
      logQuota.trim()
    } catch {
      // A full disk takes no deletion either; the next look tries again, and the logs themselves report other faults.
    }
    if (state === 'enough') return
    database.shrink()
    logDatabase.shrink()
  }

  function identityOf(session: Identity['session']): Identity | null {
    const admin = findById(engine.config, session.adminId)
    if (!admin?.enabled) return null
    const { id: adminId, login, name, role } = admin
    return { adminId, login, name, role, mustChangePassword: firstPassword.mustBeChanged(admin), session }
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

/** Lists leave as much to the configuration as logs do. */
export const roomForLists = (disk: DiskState | undefined): number =>
  disk ? Math.max(0, disk.freeBytes - 2 * disk.reserveBytes) : Number.MAX_SAFE_INTEGER

/** A damaged log must not keep the gateway from starting: a file that cannot be opened is deleted. */
function openLog(path: string, { log, reserve }: Pick<GatewayParts, 'log' | 'reserve'>): Database {
  const kind = { migrations: logMigrations, isForgetful: true }
  const open = (): Database => {
    const database = new Database(path, undefined, kind, reserve)
    // Once: what earlier releases kept here is in the log now.
    database.compact()
    return database
  }
  try {
    return open()
  } catch (error) {
    log('warning', 'the firewall log cannot be read and was restarted', { error })
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
  }
  try {
    return open()
  } catch (error) {
    log('warning', 'the firewall log is kept in memory until the next start', { error })
    return new Database(':memory:', undefined, kind)
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

/** Explains why change records of revisions remain without these. */
const removalRecord = (first: number, last: number): AuditEntry => ({
  event: 'system',
  who: gatewayActor.login,
  address: gatewayActor.address,
  what: 'configuration history',
  result: 'ok',
  message: `Revisions ${first} to ${last} were removed by the limits of the history.`,
  request_id: '',
  revision: null,
  changes: [],
})
