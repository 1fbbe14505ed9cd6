// gatewayd: reads the environment, opens the state, builds the gateway and listens. Wiring only.

import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { createClassifiedReader } from '../areas/application-control/runs/classified.ts'
import { settings as authorizationSettings } from '../areas/authorization/config.ts'
import { startDailyBackup } from '../areas/backup/jobs.ts'
import { moveEarlierBackups } from '../areas/backup/runs/earlier-folder.ts'
import { uploadByFtp } from '../areas/backup/runs/ftp-upload.ts'
import { targetFault } from '../areas/backup/targets.ts'
import { startDiscovery } from '../areas/device-discovery/jobs.ts'
import { createCardVendors } from '../areas/device-discovery/runs/card-vendors.ts'
import { entries as dhcpEntries } from '../areas/dhcp/public.ts'
import { createDhcpLeases } from '../areas/dhcp/runs/dhcp-leases.ts'
import { createUsedAddresses } from '../areas/dhcp/runs/used-addresses.ts'
import { startDdns } from '../areas/dns/jobs.ts'
import { createDdnsUpdater, readDdnsServer } from '../areas/dns/runs/ddns.ts'
import { sendUpdate } from '../areas/dns/runs/ddns-request.ts'
import { rulesByProfile, totalInForce } from '../areas/firewall/public.ts'
import { createConnectionGuard } from '../areas/firewall/runs/connection-guard.ts'
import { startHealth } from '../areas/health/jobs.ts'
import { createClockProbe } from '../areas/health/runs/clock-sync.ts'
import { chartsFile } from '../areas/health/runs/health.ts'
import { createLoadReader } from '../areas/health/runs/machine-load.ts'
import { createSendMail } from '../areas/health/runs/mail.ts'
import { createWebhookCall } from '../areas/health/runs/webhook.ts'
import { createCaptureRing } from '../areas/inspection/runs/captures.ts'
import { followSignatures } from '../areas/intrusion-prevention/jobs.ts'
import { createSignatureFiles } from '../areas/intrusion-prevention/runs/signature-files.ts'
import { forwardingTarget } from '../areas/logs/jobs-forwarding.ts'
import { freeDisks } from '../areas/logs/runs/disks.ts'
import { lookUpText } from '../areas/mail/runs/text-records.ts'
import { createTrafficReader } from '../areas/monitor/runs/conntrack.ts'
import { readFlowReport } from '../areas/monitor/runs/flow-report.ts'
import { connections } from '../areas/network/config.ts'
import { dnsServers, serverDomains } from '../areas/network/resolve.ts'
import { createFactsReader, readFacts } from '../areas/network/runs/facts.ts'
import { domains } from '../areas/objects/config.ts'
import { countryEntries } from '../areas/objects/countries.ts'
import { AddressBook } from '../areas/objects/runs/address-book.ts'
import { lookUpAddress, lookUpAddresses } from '../areas/objects/runs/address-lookup.ts'
import { createCountryFile } from '../areas/objects/runs/geoip.ts'
import { createDomainResolver } from '../areas/objects/runs/resolver.ts'
import { portalActions } from '../areas/portal/jobs-portal.ts'
import { createProviderCall } from '../areas/portal/runs/provider-call.ts'
import { servePortal } from '../areas/portal/runs/socket.ts'
import { followUpgrades } from '../areas/updates/jobs.ts'
import { keepAuthority } from '../areas/web-proxy/jobs.ts'
import { isRun as isProxyRun } from '../areas/web-proxy/public.ts'
import { followProcessorTime } from '../areas/web-proxy/runs/processor-time.ts'
import { type ProxyWatch, proxyFaults, watchProxy } from '../areas/web-proxy/runs/proxy-watch.ts'
import { AuditRetention } from '../core/audit/audit-retention.ts'
import { Checkpointer } from '../core/audit/checkpointer.ts'
import { Database, gatewayData } from '../core/database/database.ts'
import { DiskReserve } from '../core/database/disk-reserve.ts'
import { createLog, type Log } from '../core/log.ts'
import { read } from '../core/model/slots.ts'
import type { Facts } from '../core/plan/facts.ts'
import { Vault } from '../core/vault.ts'
import { createSlices } from '../core/workers/slices.ts'
import { webFilterSocket } from '../domain/web-filter/protocol.ts'
import { leasesPath } from '../engines/dhcp/index.ts'
import { hitsPath } from '../engines/firewall-log/index.ts'
import { flowReportPath } from '../engines/flow-export/index.ts'
import { inspectionPaths } from '../engines/inspection/index.ts'
import { portalSocket } from '../engines/portal/protocol.ts'
import { classifierPaths } from '../engines/traffic-classifier/index.ts'
import { proxyFiles, webFilter, webPorts } from '../engines/web-filter/index.ts'
import { CertificateRenewal, certificateNames } from '../shared/certificates/certificate-renewal.ts'
import { createTlsServer } from '../shared/certificates/tls.ts'
import { giveMemoryBack } from '../shared/memory.ts'
import { parseNeighbours } from '../shared/net/neighbours.ts'
import { adminPasswordVariable, takeSecret } from '../shared/secret.ts'
import { findServiceManager } from '../shared/service-manager.ts'
import { keepAging } from '../shared/time/aging-file.ts'
import { type Clock, systemClock } from '../shared/time/clock.ts'
import { version } from '../shared/version.ts'
import { openAgentSockets } from './agent-sockets.ts'
import { createGateway, type Gateway, roomForLists } from './app.ts'
import { ApplydClient } from './apply/client.ts'
import { startReconciler } from './apply/reconcile.ts'
import { adoptNetwork, ensureFirstAdministrator, followFirstPassword, keepOutsideOpen } from './first-start.ts'
import { guardConnections } from './http/connections.ts'
import { storageFaults } from './http/errors.ts'
import { createInspector } from './inspector.ts'
import { LogForwarder } from './logs/forwarding/log-forwarder.ts'
import { followHitReader, logsFile, openLogs } from './logs/local-log.ts'
import { openLogServer } from './logs/log-server.ts'
import { openUpgrades, reportWhenApplied } from './own-upgrades.ts'
import { readSettings, type Settings } from './settings.ts'
import { readBeside } from './system/tcp-connections.ts'

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

/** Where records of the log are kept. */

/** How soon a new country database, new rule files, another DNS server of a provider or other own names are noticed. */
const filesMilliseconds = 30_000

/** How soon an address that a host uses without a lease is kept from others. */
const neighboursMilliseconds = 5_000

/** How long the last calls to applyd (hit counters, checkpoint) may hold up the end, for it may hang. */
const lastCallsMilliseconds = 1_000

async function start(settings: Settings): Promise<void> {
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
  const addressBook = new AddressBook()
  const applier = new ApplydClient(join(settings.stateDir, 'run', 'applyd.sock'), applierTimings)
  const connectionGuard = createConnectionGuard({
    applier,
    log,
    total: (tableSize) => totalInForce(gateway.engine.config, tableSize),
  })
  let devices: string | null = null
  let proxyWatch: ProxyWatch | null = null
  const inspection = createInspector({
    stateDir: settings.stateDir,
    folder,
    clock,
    log,
    isApplied: settings.isApplied,
    config: () => gateway.engine.config,
    signatures: () => signatures,
    room: () => roomForLists(reserve.state()),
    onFacts: () => {
      facts.refresh()
      reconciler.wake()
    },
  })
  const dhcpLeases = createDhcpLeases(join(settings.stateDir, leasesPath))
  const usedAddresses = createUsedAddresses({
    neighbours: async () => (settings.isApplied ? parseNeighbours(await applier.neighbours()) : []),
    leases: () => dhcpLeases.list(clock.now().getTime() / 1000),
    elapsed: clock.elapsed,
    onChange: () => {
      facts.refresh()
      reconciler.wake()
    },
  })
  const facts = createFactsReader(() =>
    readFacts({
      stateDir: settings.stateDir,
      addressBook: () => addressBook.current(),
      devices: () => devices,
      agentPort: reachablePort(settings.agentListen),
      webProxy: () => proxyWatch?.state() ?? null,
      inspection: () => inspection.facts(),
      usedAddresses: () => usedAddresses.current(),
      clock,
    }),
  )
  const refreshFacts = async (): Promise<void> => {
    // A service that does not answer must not make interfaces vanish: what left the facts is switched off.
    devices = await applier.devices().catch(() => devices)
    facts.refresh()
  }
  // applyd starts at the same time; what it knows of the interfaces is waited for below, when there is nothing else to do.
  const firstFacts = refreshFacts()
  const countries = createCountryFile(join(settings.stateDir, 'geoip.mmdb'), (networks) =>
    addressBook.set('countries', countryEntries(networks)),
  )
  const signatureFolder = join(folder, 'signatures')
  mkdirSync(signatureFolder, { recursive: true, mode: 0o700 })
  const signatures = createSignatureFiles({
    folder: signatureFolder,
    archives: () => gateway.signatureIntake.archives.active(),
    refused: () => gateway.signatureIntake.verdicts.texts,
  })
  const certificate = await CertificateRenewal.start({
    folder: join(folder, 'tls'),
    names: () => certificateNames(settings.listen.host, hostname(), ownAddresses(facts.current())),
    now: clock.now,
  })
  /** The address of another machine: a name must not lead the gateway to its own services. */
  const lookUpOther = async (name: string): Promise<{ address: string } | { fault: string }> => {
    const found = await lookUpAddress(name, dnsServers(gateway.services.engine.config, facts.current()))
    const fault = 'fault' in found ? null : targetFault(found.address, ownAddresses(facts.current()))
    return fault === null ? found : { fault }
  }
  const local = openLogs(settings, folder, kept.aging, log)
  const { logs, logServer } = openLogServer(settings.stateDir, folder, local, kept.aging)
  const forwarding = settings.isApplied
    ? new LogForwarder({
        logs: local,
        logsPath: join(folder, logsFile),
        cursorPath: join(folder, 'forwarding.json'),
        log,
      })
    : undefined
  const upgrades = openUpgrades(settings, folder, () => roomForLists(reserve.state()))
  const gateway: Gateway = createGateway({
    database,
    logs,
    reserve,
    folder,
    // Where nothing is applied, applyd makes no folders.
    ...(settings.isApplied ? { webFilterFolder: join(settings.stateDir, 'web-filter') } : {}),
    ...(settings.isApplied ? { candidatesFolder: join(settings.stateDir, 'inspection', 'candidates') } : {}),
    hitsFile: join(settings.stateDir, hitsPath),
    backupsFolder: openBackups(settings.stateDir, folder, log),
    applier,
    vault,
    clock,
    aging: kept.aging,
    facts: facts.current,
    log,
    brand: settings.brand,
    hostName: hostname(),
    ownNames: new Set([hostname().toLowerCase(), settings.listen.host.toLowerCase()]),
    installationId: installationId(folder),
    licenceKey: readIfThere(join(settings.stateDir, 'licence-key.pem')),
    uploads: {
      lookUp: (name) => lookUpAddress(name, dnsServers(gateway.services.engine.config, facts.current())),
      ftp: (target, file) => uploadByFtp(target, file),
    },
    auditUsage: () => retention.usage,
    domains: { status: () => resolver.status() },
    countries,
    signatures,
    ...(forwarding ? { forwarding } : {}),
    ...(logServer ? { logServer } : {}),
    ...(settings.isApplied ? { ddns: openDdns(settings, folder, clock) } : {}),
    codeProvider: { lookUp: lookUpOther, call: createProviderCall(`${settings.brand}/${version}`) },
    ...(upgrades ? { upgrades } : {}),
    notices: {
      lookUp: lookUpOther,
      mail: createSendMail(hostname()),
      webhook: createWebhookCall(`${settings.brand}/${version}`),
    },
    machineLoad: createLoadReader({
      folder,
      files: ['gateway.db', 'log.db', logsFile, chartsFile],
      isClockKept: createClockProbe(),
    }),
    ...(settings.isApplied ? { connectionGuard } : {}),
    managementCertificate: () => certificate.current.chain,
    disks: { list: () => freeDisks() },
    names: { lookUp: (name) => lookUpAddresses(name, dnsServers(gateway.services.engine.config, facts.current())) },
    textRecords: { lookUp: (name) => lookUpText(name, dnsServers(gateway.services.engine.config, facts.current())) },
    traffic: createTrafficReader({
      elapsed: clock.elapsed,
      now: clock.now,
      random: () => randomBytes(10),
      read: (reading) => applier.sessionPart(reading),
      slices: createSlices,
    }),
    webProxy: { state: () => proxyWatch?.state() ?? null },
    inspection: { state: () => inspection.state(), rulesByProfile },
    flowReport: () => readFlowReport(join(settings.stateDir, flowReportPath)),
    captures: createCaptureRing(join(settings.stateDir, inspectionPaths.captures)),
    classified: createClassifiedReader(
      {
        connections: join(settings.stateDir, classifierPaths.connections),
        report: join(settings.stateDir, classifierPaths.report),
      },
      createSlices,
    ),
    dhcpLeases,
    cardVendors: createCardVendors(),
    deviceDiscovery: { state: () => discovery.state() },
    firstPasswordMustChange: settings.isHost,
    isTls: true,
    logsRequests: settings.logsRequests,
    serverFactory: (handler) => guardConnections(certificate.follow(createTlsServer(certificate.current, handler))),
  })
  const { engine } = gateway
  const { audit, hitCounters } = gateway.services
  const checkpointer = new Checkpointer({
    audit,
    keep: (sequence, hash, isFirst) => applier.checkpoint(sequence, hash, isFirst),
    onMismatch: (reason) => {
      log('error', 'the audit trail is not the one that was signed', { reason })
      audit.noteOwn('audit trail', 'failed', `The audit trail is not the one that was signed. ${reason}`)
    },
    onFault: (error) => log('warning', 'no checkpoint was kept', { error }),
  })
  const retention = new AuditRetention({
    database,
    audit,
    limits: settings.auditLimits,
    checkpoints: () => applier.checkpoints(),
    sign: () => checkpointer.now(),
    now: () => new Date(kept.aging()),
  })
  const resolver = createDomainResolver({
    servers: () => dnsServers(engine.config, facts.current()),
    onAddresses: (addresses) => addressBook.set('domains', addresses),
    clock,
  })
  const discovery = startDiscovery(gateway.services, (error) => log('warning', 'devices were not added', { error }))
  gateway.userSessions.onUnknown(discovery.note)
  for (const alarm of engine.damage) log('error', alarm)
  await firstFacts
  const isOlderState = engine.revision > 0
  if (settings.isApplied) {
    await adoptNetwork(gateway)
    await keepOutsideOpen(gateway, settings, { folder, isOlder: isOlderState, log })
  }
  await ensureFirstAdministrator(gateway, settings.adminPassword)
  const firstPassword = followFirstPassword(gateway, log)

  const reconciler = startReconciler(engine, refreshFacts, log)
  addressBook.onChange(() => reconciler.wake())
  if (settings.isApplied)
    proxyWatch = watchProxy({
      port: webPorts.health,
      isWanted: () => isProxyRun(engine.config),
      isFull: () => readBeside(webPorts.health) > (proxyFiles * 3) / 4,
      processorMs: followProcessorTime(join(settings.stateDir, webFilter.files['squid.conf'].path)),
      onChange: (state, before) => {
        // From its start on it is down until it answers.
        if (state === 'up') log('info', 'the web proxy answers')
        else if (state !== null && before !== null) log('warning', proxyFaults[state])
        reconciler.wake()
      },
    })
  const proxyAuthority = keepAuthority(gateway.services, (error) =>
    log('warning', 'no certificate authority was made for the web proxy', { error }),
  )
  proxyAuthority.look()
  const followConfiguration = (): void => {
    resolver.update([...read(engine.config, domains), ...serverDomains(engine.config)])
    forwarding?.follow(forwardingTarget(engine.config, gateway.services))
  }
  const lookAtSignatures = followSignatures(gateway.services, (error) =>
    log('warning', 'rule files were not read', { error }),
  )
  const followFiles = (): void => {
    countries.refresh()
    void lookAtSignatures().then(() => inspection.follow())
  }
  inspection.follow()
  // Before the first plan: rules must not miss countries for a moment.
  countries.refresh()
  followConfiguration()
  const dynamicDns = startDdns(gateway.services, (error) => log('warning', 'dynamic DNS was not updated', { error }))
  let links = read(engine.config, connections)
  engine.onChanged(() => {
    followConfiguration()
    inspection.follow()
    dynamicDns.look()
    proxyAuthority.look()
    // Other links mean other facts, and the states should show that at once.
    if (links !== read(engine.config, connections)) reconciler.wake()
    links = read(engine.config, connections)
  })
  const followNames = (): void => {
    certificate.look().then(
      (isNew) => isNew && log('info', 'the management certificate was renewed'),
      (error: unknown) => log('warning', 'the management certificate was not renewed', { error }),
    )
  }
  setInterval(() => {
    followFiles()
    followConfiguration()
    followNames()
  }, filesMilliseconds).unref()
  if (settings.isApplied)
    setInterval(() => {
      // Only where addresses are leased; applyd may be away.
      if (read(engine.config, dhcpEntries).some(({ enabled }) => enabled)) usedAddresses.look().catch(() => {})
    }, neighboursMilliseconds).unref()
  reserve.start()
  hitCounters.start()
  if (settings.isApplied) connectionGuard.start()
  retention.start()
  const dailyBackup = startDailyBackup(gateway.services, (error) =>
    log('warning', 'the automatic backup failed', { error }),
  )
  const health = startHealth(gateway.services, (error) => log('warning', 'health could not be checked', { error }))
  gateway.userSessions.start()
  applier.onConnect(() => {
    reconciler.wake()
    gateway.userSessions.compareSoon()
    // applyd makes the folders.
    void gateway.webCategories.start()
  })
  engine.resumeProbation()
  const agents = openAgentSockets(gateway, settings, certificate, log)
  agents.follow()
  engine.onChanged(agents.follow)
  const hitReader = followHitReader(gateway, local, log)
  const portal = servePortal({
    path: join(settings.stateDir, portalSocket),
    actions: portalActions(gateway.services),
    log,
  })
  gateway.webFilter.serve(join(settings.stateDir, webFilterSocket))
  const address = await listen(gateway, settings)
  log('info', 'ready', { address, revision: engine.revision })
  notify(settings.notifyFd, {
    event: 'ready',
    address,
    ...(firstPassword === null ? {} : { firstPassword }),
    authorization: read(engine.config, authorizationSettings).allow_internet_to_everyone ? 'not enforced' : 'enforced',
  })
  const manager = findServiceManager(process.env)
  manager.ready()
  const upgradeEnds = followUpgrades(gateway.services, (error) => log('warning', 'an upgrade was not noted', { error }))
  if (upgrades) void reportWhenApplied(gateway, upgrades, log)
  giveMemoryBack()
  // Kept now, because a process that is killed keeps nothing: the next start is then twice as fast.
  flushCompileCache()
  // Forty thousand rules take a while to read, and signing in does not need them.
  followFiles()
  void gateway.webCategories.start()

  const stop = async (): Promise<void> => {
    manager.stopping()
    for (const part of [reconciler, resolver, dailyBackup, health, discovery, dynamicDns]) part.stop()
    for (const part of [upgradeEnds, connectionGuard, kept, hitReader]) part.stop()
    agents.close()
    await portal.close()
    await gateway.http.close()
    await engine.idle()
    engine.close()
    await Promise.race([retention.stop(), passes(lastCallsMilliseconds)])
    try {
      audit.flush()
    } catch (error) {
      log('warning', 'the last audit records were not stored', { error })
    }
    await Promise.race([Promise.all([hitCounters.current(), checkpointer.now()]), passes(lastCallsMilliseconds)])
    await reserve.stop()
    await gateway.close()
    await inspection.close()
    await Promise.race([forwarding?.stop(), passes(lastCallsMilliseconds)])
    await Promise.race([logs.close(), passes(lastCallsMilliseconds)])
    applier.close()
    database.close()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop())
  process.once('SIGINT', () => void stop())
}

/** Beside our folder: applyd reads them, and must not be led elsewhere by a link that we could make. */
function openBackups(stateDir: string, folder: string, log: Log): string {
  const backups = join(stateDir, 'backups')
  try {
    moveEarlierBackups(join(folder, 'backups'), backups)
  } catch (error) {
    log('warning', 'not all backups could be moved to their new folder; the next start tries again', { error })
  }
  return backups
}

/** The provider is the operator's choice, in files of the state folder. */
const openDdns = ({ stateDir, brand }: Settings, folder: string, clock: Clock) =>
  createDdnsUpdater({
    clock,
    send: sendUpdate(`${brand}/${version}`),
    server: () => readDdnsServer(join(stateDir, 'ddns-server'), join(stateDir, 'ddns-ca.pem')),
    path: join(folder, 'ddns.json'),
  })

const ownAddresses = ({ interfaces }: Facts): string[] => interfaces.flatMap(({ addresses }) => addresses)

/** Null when only this machine itself can connect there. */
const reachablePort = (listen: Settings['agentListen']): number | null =>
  listen === null || listen.port === 0 || /^(?:127\.|\[?::1|localhost$)/.test(listen.host) ? null : listen.port

async function listen({ http }: Gateway, settings: Settings): Promise<string> {
  const { host, port } = settings.listen
  await http.listen(
    settings.listenFd === null ? { host, port } : ({ fd: settings.listenFd } as unknown as { port: number }),
  )
  const bound = http.server.address()
  const shown = typeof bound === 'object' && bound !== null ? bound : { address: host, port }
  return `https://${shown.address.includes(':') ? `[${shown.address}]` : shown.address}:${shown.port}/`
}

function installationId(folder: string): string {
  const path = join(folder, 'installation-id')
  if (!existsSync(path)) writeFileSync(path, randomUUID(), { mode: 0o600 })
  return readFileSync(path, 'utf8')
}

const readIfThere = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null)

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
