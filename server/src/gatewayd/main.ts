// gatewayd: reads the environment, opens the state, builds the gateway, starts what runs and listens. Wiring only.

import { closeSync, mkdirSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { settings as authorizationSettings } from '../areas/authorization/config.ts'
import { userSessionsService } from '../areas/authorization/service.ts'
import { webCategoriesService } from '../areas/content-filter/service.ts'
import { logServerService } from '../areas/logs/service.ts'
import { connections } from '../areas/network/config.ts'
import { managementCertificateService } from '../areas/sign-in/service.ts'
import { Database, gatewayData } from '../core/database/database.ts'
import { DiskReserve } from '../core/database/disk-reserve.ts'
import { createLog } from '../core/log.ts'
import { read } from '../core/model/slots.ts'
import { Vault } from '../core/vault.ts'
import { CertificateRenewal, certificateNames } from '../shared/certificates/certificate-renewal.ts'
import { createTlsServer } from '../shared/certificates/tls.ts'
import { giveMemoryBack } from '../shared/memory.ts'
import { adminPasswordVariable, takeSecret } from '../shared/secret.ts'
import { findServiceManager } from '../shared/service-manager.ts'
import { keepAging } from '../shared/time/aging-file.ts'
import { systemClock } from '../shared/time/clock.ts'
import { openAgentSockets } from './agent-sockets.ts'
import { createGateway, type Gateway } from './app.ts'
import { ApplydClient } from './apply/client.ts'
import { type Reconciler, startReconciler } from './apply/reconcile.ts'
import { keepCompiled } from './compiled.ts'
import { adoptNetwork, ensureFirstAdministrator, followFirstPassword, keepOutsideOpen } from './first-start.ts'
import { guardConnections } from './http/connections.ts'
import { storageFaults } from './http/errors.ts'
import { openLogs } from './logs/local-log.ts'
import { openLogServer } from './logs/log-server.ts'
import { logRuns } from './logs/runs.ts'
import { createMachineFacts, ownAddresses } from './machine-facts.ts'
import { provide } from './running.ts'
import { readSettings, type Settings } from './settings.ts'

/** A log that the disk does not take must not end the process that writes it. */
const log = createLog((line) => {
  try {
    writeSync(2, line)
  } catch {
    // The status of the store tells.
  }
})

/** A status shows within 5 s that applyd is gone or hangs, and changes do not wait long for one that is starting. */
const applierTimings = { connectMs: 2_000, quickMs: 4_000 } as const

/** How soon a new country database, new rule files, another DNS server of a provider or other own names are noticed. */
const lookMilliseconds = 30_000

/** How long the log may hold up the end, for its thread may hang. */
const lastCallsMilliseconds = 1_000

async function start(settings: Settings): Promise<void> {
  const state = openState(settings)
  const { applier, facts, certificate } = await openMachine(settings, state)
  const gateway = buildGateway(settings, state, { applier, facts, certificate })
  const { engine, running } = gateway
  for (const alarm of engine.damage) log('error', alarm)
  await facts.first
  await prepareState(gateway, settings, state.folder)
  const firstPassword = followFirstPassword(gateway, log)

  state.reserve.start()
  // Before the first plan: rules must not miss countries or channels for a moment.
  await running.start()
  const reconciler = startReconciler(engine, facts.read, log)
  facts.onChanged(reconciler.wake)
  followChanges(gateway, reconciler)
  applier.onConnect(() => {
    reconciler.wake()
    gateway.services.of(userSessionsService).compareSoon()
    // applyd makes the folders.
    void gateway.services.of(webCategoriesService).start()
  })
  engine.resumeProbation()
  const agents = openAgentSockets(gateway, settings, certificate, log)
  agents.follow()
  engine.onChanged(agents.follow)
  setInterval(() => {
    running.look()
    renew(certificate)
  }, lookMilliseconds).unref()

  const address = await listen(gateway, settings)
  log('info', 'ready', { address, revision: engine.revision })
  const isOpen = read(engine.config, authorizationSettings).allow_internet_to_everyone
  notify(settings.notifyFd, {
    event: 'ready',
    address,
    ...(firstPassword === null ? {} : { firstPassword }),
    authorization: isOpen ? 'not enforced' : 'enforced',
  })
  const manager = findServiceManager(process.env)
  manager.ready()
  giveMemoryBack()
  keepCompiled()
  // Forty thousand rules take a while to read, and signing in does not need them.
  running.look()
  void gateway.services.of(webCategoriesService).start()

  const stop = async (): Promise<void> => {
    manager.stopping()
    reconciler.stop()
    agents.close()
    await gateway.http.close()
    // Jobs end before the last change is waited for.
    await running.stop(log)
    await engine.idle()
    engine.close()
    await gateway.close()
    await closeState(gateway, state)
    applier.close()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop())
  process.once('SIGINT', () => void stop())
}

type State = ReturnType<typeof openState>

function openState(settings: Settings) {
  const folder = join(settings.stateDir, 'gateway')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const clock = systemClock()
  const kept = keepAging(join(folder, 'aging.json'), clock)
  const reserve = new DiskReserve(join(folder, 'reserve'))
  const onFatal = (error: unknown): never => {
    log('error', 'the disk failed; starting again from what it holds', { error })
    process.exit(70)
  }
  const database = new Database(join(folder, 'gateway.db'), onFatal, gatewayData, reserve)
  const vault = new Vault(join(folder, 'vault.key'))
  const local = openLogs(settings, folder, kept.aging, log)
  const { logs, logServer } = openLogServer(settings.stateDir, folder, local, kept.aging)
  return { folder, clock, kept, reserve, database, vault, local, logs, logServer }
}

async function closeState({ services }: Gateway, { kept, reserve, logs, database }: State): Promise<void> {
  kept.stop()
  try {
    services.audit.flush()
  } catch (error) {
    log('warning', 'the last audit records were not stored', { error })
  }
  await reserve.stop()
  await Promise.race([logs.close(), passes(lastCallsMilliseconds)])
  database.close()
}

type OnMachine = Awaited<ReturnType<typeof openMachine>>

async function openMachine(settings: Settings, { folder, clock }: State) {
  const applier = new ApplydClient(join(settings.stateDir, 'run', 'applyd.sock'), applierTimings)
  const facts = createMachineFacts(settings, applier, clock)
  const certificate = await CertificateRenewal.start({
    folder: join(folder, 'tls'),
    names: () => certificateNames(settings.listen.host, hostname(), ownAddresses(facts.current())),
    now: clock.now,
  })
  return { applier, facts, certificate }
}

function buildGateway(settings: Settings, state: State, { applier, facts, certificate }: OnMachine): Gateway {
  const { folder, clock, kept, reserve, database, vault, local, logs, logServer } = state
  const gateway = createGateway({
    database,
    logs,
    reserve,
    folder,
    host: settings,
    applier,
    vault,
    clock,
    aging: kept.aging,
    facts: facts.current,
    factsChanged: facts.changed,
    log,
    brand: settings.brand,
    hostName: hostname(),
    ownNames: new Set([hostname().toLowerCase(), settings.listen.host.toLowerCase()]),
    runs: logRuns(local),
    provided: [
      provide(managementCertificateService, () => certificate.current.chain),
      ...(logServer ? [provide(logServerService, logServer)] : []),
    ],
    firstPasswordMustChange: settings.isHost,
    isTls: true,
    logsRequests: settings.logsRequests,
    serverFactory: (handler) => guardConnections(certificate.follow(createTlsServer(certificate.current, handler))),
  })
  facts.follow(gateway.services)
  return gateway
}

/** What a new state gets before anything is applied. */
async function prepareState(gateway: Gateway, settings: Settings, folder: string): Promise<void> {
  const isOlder = gateway.engine.revision > 0
  if (settings.isApplied) {
    await adoptNetwork(gateway)
    await keepOutsideOpen(gateway, settings, { folder, isOlder, log })
  }
  await ensureFirstAdministrator(gateway, settings.adminPassword)
}

function followChanges({ engine, running }: Gateway, reconciler: Reconciler): void {
  let links = read(engine.config, connections)
  engine.onChanged(() => {
    running.follow()
    // Other links mean other facts, and the states should show that at once.
    if (links !== read(engine.config, connections)) reconciler.wake()
    links = read(engine.config, connections)
  })
}

function renew(certificate: CertificateRenewal): void {
  certificate.look().then(
    (isNew) => isNew && log('info', 'the management certificate was renewed'),
    (error: unknown) => log('warning', 'the management certificate was not renewed', { error }),
  )
}

async function listen({ http }: Gateway, settings: Settings): Promise<string> {
  const { host, port } = settings.listen
  // Cast: Node listens on a descriptor; the types of the framework do not know it.
  await http.listen(
    settings.listenFd === null ? { host, port } : ({ fd: settings.listenFd } as unknown as { port: number }),
  )
  const bound = http.server.address()
  const shown = typeof bound === 'object' && bound !== null ? bound : { address: host, port }
  return `https://${shown.address.includes(':') ? `[${shown.address}]` : shown.address}:${shown.port}/`
}

function notify(descriptor: number | null, message: Readonly<Record<string, unknown>>): void {
  if (descriptor === null) return
  writeSync(descriptor, `${JSON.stringify(message)}\n`)
  closeSync(descriptor)
}

// Everything this process makes is for itself alone.
process.umask(0o077)
const adminPassword = takeSecret(process.env, adminPasswordVariable)
try {
  await start(readSettings({ ...process.env, [adminPasswordVariable]: adminPassword ?? undefined }))
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException
  const isDisk = storageFaults.has(code)
  log('error', isDisk ? 'The disk of the state folder is full, read-only or failing.' : message, { error })
  process.exit(1)
}
