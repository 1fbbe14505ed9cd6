// Builds the gateway from its parts: store, engine, services and the HTTP service over all areas. main.ts wires it to
// the machine; tests build it around a fake applier and inject requests.

import { join } from 'node:path'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { findById, isFullAdministrator } from '../areas/administrators/config.ts'
import { userSessionsService } from '../areas/authorization/service.ts'
import { limitsOf } from '../areas/configuration/config.ts'
import { statusesService } from '../areas/events/service.ts'
import { findPlaces } from '../areas/firewall/connections.ts'
import { firewall } from '../areas/firewall/index.ts'
import { healthService } from '../areas/health/service.ts'
import { healthEvent } from '../areas/health/status.ts'
import { areas as allAreas } from '../areas/index.ts'
import { logsService } from '../areas/logs/service.ts'
import { earlierSessionsService } from '../areas/portal/service.ts'
import { FirstPassword, firstPasswordName } from '../core/accounts/first-password.ts'
import { Passwords, weaknessOf } from '../core/accounts/passwords.ts'
import { cookieNames, createCookieJar } from '../core/area/cookies.ts'
import { EventStreams, type StreamLimits } from '../core/area/event-stream.ts'
import { GatewayEvents } from '../core/area/gateway-events.ts'
import type { Accounts, Area, Machine, Services } from '../core/area/handle.ts'
import { RefusalLog } from '../core/area/refusal-log.ts'
import type { Host, HostSettings, Run } from '../core/area/run.ts'
import { readStatuses } from '../core/area/statuses.ts'
import type { AuditEntry } from '../core/audit/audit-entry.ts'
import type { ConfigEngine } from '../core/config/engine.ts'
import { HistoryKeeper } from '../core/config/retention.ts'
import type { Database } from '../core/database/database.ts'
import type { DiskReserve } from '../core/database/disk-reserve.ts'
import type { Log } from '../core/log.ts'
import type { Applier } from '../core/plan/artifacts.ts'
import type { Facts } from '../core/plan/facts.ts'
import { faultsOf } from '../core/validation/validate.ts'
import type { Vault } from '../core/vault.ts'
import { ReadingPool } from '../core/workers/reading-pool.ts'
import type { LogStore } from '../domain/logs/store.ts'
import { hitsPath } from '../engines/firewall-log/index.ts'
import { quote as quoteForSnmp } from '../engines/snmp/snmp.ts'
import { printPem } from '../engines/web-filter/squid.ts'
import { say, verbatim } from '../shared/said.ts'
import { type Aging, createAging } from '../shared/time/aging.ts'
import type { Clock } from '../shared/time/clock.ts'
import { withSecrets } from './apply/secrets.ts'
import { createConfiguration } from './configuration.ts'
import { LiveConnections } from './http/live-connections.ts'
import { referenceRoutes } from './http/reference.ts'
import { createHttpServer } from './http/server.ts'
import { createIdentities } from './identities.ts'
import { openEarlierLog } from './logs/earlier-log.ts'
import { type Provided, provide, RunningServices } from './running.ts'
import { runs as runsOfAreas } from './runs.ts'

export interface GatewayParts {
  readonly database: Database
  /** Room on the disk of the folder; absent where the disk is not watched. */
  readonly reserve?: DiskReserve
  /** Where the gateway keeps its other files beside the database. */
  readonly folder: string
  /** What a process that works on a machine has; absent where requests are only answered. */
  readonly host?: Omit<HostSettings, 'folder' | 'isOnMachine'>
  /** The log; closed by who opened it. */
  readonly logs: LogStore
  readonly applier: Applier
  readonly vault: Vault
  readonly clock: Clock
  /** By which things become too old; without it nothing is known of the time before the start. */
  readonly aging?: Aging
  readonly facts: () => Facts
  readonly factsChanged?: () => void
  readonly log: Log
  readonly brand: string
  readonly hostName: string
  readonly ownNames: ReadonlySet<string>
  /** What runs, beside what areas declare. */
  readonly runs?: readonly Run[]
  /** Services that are offered without being made here. */
  readonly provided?: readonly Provided[]
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
  /** What runs; who starts the gateway starts it. */
  readonly running: RunningServices
  /** Stops what runs and closes what was opened here; the caller closes the database. */
  close(): Promise<void>
}

/** The gateway itself, when no administrator made the request. */
const gatewayActor = { login: 'system', address: '127.0.0.1' }

type Configuration = ReturnType<typeof createConfiguration>

export function createGateway(parts: GatewayParts): Gateway {
  const { database, reserve } = parts
  const areas = parts.areas ?? allAreas
  const configuration: Configuration = createConfiguration({
    ...parts,
    applier: withSecrets(parts.applier, {
      reveal: (sealed, place) => parts.vault.reveal({ sealed }, place),
      printers: { snmp: quoteForSnmp, pem: printPem },
      log: parts.log,
    }),
    seal: (clear, place) => parts.vault.seal(clear, place),
    userAt: (address) => services.of(userSessionsService).at(address)?.userId,
  })
  const { engine, audit } = configuration
  new HistoryKeeper({
    database,
    store: configuration.store,
    engine,
    limits: () => limitsOf(engine.config, reserve?.state().totalBytes ?? null),
    onRemoved: (first, last) => audit.write([removalRecord(first, last)]),
    onFault: (error) => parts.log('error', 'old revisions were not removed', { error }),
  })
  const accounts = createAccounts(parts, configuration)
  const statuses = () =>
    readStatuses(
      areas.flatMap(({ routes }) => routes),
      services,
    )
  const events = new GatewayEvents({
    services: () => services,
    readStatuses: statuses,
    countUsers: () => services.of(userSessionsService).list().length,
    topics: [{ event: 'health', access: 'view', read: () => healthEvent(services.of(healthService).monitor.list()) }],
  })
  const earlierLog = openEarlierLog({ ...parts, hitsFile: hitsFileOf(parts) })
  const base = servicesOf(parts, configuration)
  const services: Services = {
    ...base,
    accounts,
    events,
    of: (service) => running.of(service),
  }
  const running = new RunningServices(
    [...runsOfAreas, ...(parts.runs ?? [])],
    [
      provide(logsService, parts.logs),
      provide(statusesService, statuses),
      provide(earlierSessionsService, earlierLog?.openSessions ?? []),
      ...(parts.provided ?? []),
    ],
    hostOf(parts, configuration, services),
  )
  running.makeAll()
  earlierLog?.takeOver()
  services.of(healthService).monitor.onChanged(() => events.look())
  engine.onChanged(() => events.look())
  if (reserve) reserve.onLook = (state) => state !== 'enough' && database.shrink()
  const http = createHttp(parts, configuration, services, areas)
  http.addHook('onClose', async () => {
    accounts.refusedSignIns.close()
    await base.reader.close()
  })
  const close = async (): Promise<void> => {
    await running.stop(parts.log)
    await earlierLog?.stop()
    configuration.accounts.tryReturn()
    configuration.accounts.close()
  }
  return { http, engine, services, running, close }
}

function createAccounts(parts: GatewayParts, { engine, audit, accounts, sessions, guard }: Configuration): Accounts {
  const { clock } = parts
  return {
    sessions,
    guard,
    refusedSignIns: new RefusalLog((entry) => audit.note(entry), clock.elapsed),
    passwords: new Passwords(clock.elapsed),
    firstPassword: new FirstPassword({
      database: accounts,
      clock,
      path: join(parts.folder, firstPasswordName),
      find: (adminId) => findById(engine.config, adminId),
      mustChange: parts.firstPasswordMustChange ?? false,
    }),
    cookieJar: createCookieJar(cookieNames(parts.brand)),
    weaknessOf,
    transact: (work) => accounts.transact(work),
  }
}

/** What every area may use, but for what is made of it. */
function servicesOf(parts: GatewayParts, { engine, audit, referencesTo }: Configuration) {
  const { brand, hostName, clock, applier, facts, vault, reserve } = parts
  const reader = new ReadingPool(new URL('./threads/reader.ts', import.meta.url), { path: parts.database.path })
  const changeAsGateway: Services['changeAsGateway'] = async (edit, { actor = gatewayActor, ...options }) => {
    await engine.change({ edit: (config, tools) => [edit(config, tools), null], actor, ...options })
  }
  return {
    brand,
    hostName,
    clock,
    engine,
    changeAsGateway,
    applier,
    observe: () => observe(applier, engine),
    backgroundState: (area: string) => engine.backgroundState(area),
    facts,
    referencesTo,
    reader,
    eventStreams: new EventStreams(parts.streamLimits),
    audit,
    vault,
    ...(reserve ? { reserve } : {}),
    faultsOf,
  }
}

const noSettings: Omit<HostSettings, 'folder'> = {
  stateDir: '',
  isHost: false,
  isApplied: false,
  isOnMachine: false,
  auditLimits: { days: 0, megabytes: 0 },
}

function hostOf(parts: GatewayParts, { engine, accounts }: Configuration, services: Services): Host {
  const { clock, aging = createAging(() => clock.now().getTime(), clock.elapsed) } = parts
  const { folder, host, reserve, applier, database, log, factsChanged = () => {} } = parts
  const settings = host ? { ...host, folder, isOnMachine: true } : { ...noSettings, stateDir: folder, folder }
  return { services, engine, applier, database, accountTables: accounts, aging, reserve, settings, log, factsChanged }
}

/** What the reader of the firewall log wrote in an earlier release. */
const hitsFileOf = ({ host, folder }: GatewayParts): string =>
  host ? join(host.stateDir, hitsPath) : join(folder, 'hits.json')

function createHttp(
  parts: GatewayParts,
  { engine, sessions, rightsSlots }: Configuration,
  services: Services,
  areas: readonly Area[],
): FastifyInstance {
  const names = cookieNames(parts.brand)
  const decidingSlots = [...firewall.slots, ...(firewall.reads ?? [])].map(({ key }) => key)
  return createHttpServer({
    connections: new LiveConnections({
      applier: parts.applier,
      services,
      slots: new Set(decidingSlots),
      findPlaces: (config) => findPlaces(config, services.of(userSessionsService)),
    }),
    routes: [...areas.flatMap((area) => area.routes), ...referenceRoutes(names)],
    services,
    engine,
    findIdentity: createIdentities(names, engine, sessions, services.accounts.firstPassword),
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
}

async function observe(applier: Applier, engine: ConfigEngine): Promise<Machine> {
  const { error, outcome } = engine.applied
  const failed =
    outcome?.status === 'put_back' ? (outcome.problems[0]?.message ?? say`The last apply was reverted.`) : null
  try {
    return { observation: await applier.observe(), unreachable: '', applyError: error ?? failed }
  } catch (cause) {
    return { observation: null, unreachable: verbatim((cause as Error).message), applyError: error ?? failed }
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
