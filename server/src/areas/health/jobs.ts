// Looks at everything every ten seconds, keeps the numbers for charts and delivers notifications.

import { createHash, randomUUID } from 'node:crypto'
import type { Services } from '../../core/area/handle.ts'
import type { MachineLoad, Notice, Target } from '../../core/contract/health.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { UnitObservation } from '../../core/plan/artifacts.ts'
import { queuesIn } from '../../engines/inspection/observed.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { auditUsageService } from '../audit/service.ts'
import { userSessionsService } from '../authorization/service.ts'
import { backupsService } from '../backup/service.ts'
import { connection } from '../central-console/public.ts'
import { limitsOf } from '../configuration/public.ts'
import { poolFindings } from '../dhcp/public.ts'
import { dhcpLeasesService } from '../dhcp/service.ts'
import { limitFindings } from '../firewall/public.ts'
import { connectionGuardService } from '../firewall/service.ts'
import { inspectionService } from '../inspection/service.ts'
import { forwardingService, logServerService, logsService } from '../logs/service.ts'
import { portalService } from '../portal/service.ts'
import { managementCertificateService } from '../sign-in/service.ts'
import { inspectionFindings } from './checks-inspection.ts'
import { forwardingFindings, logFindings, logServerFindings } from './checks-logs.ts'
import { appliedFindings, applydFindings, conflictFindings, restartSeconds, unitFindings } from './checks-machine.ts'
import { clockFinding, createJumpWatch, diskFinding, resourceFindings } from './checks-resources.ts'
import {
  auditFinding,
  backupFinding,
  certificateFinding,
  type KnownCertificate,
  storeFindings,
} from './checks-stored.ts'
import {
  addressPlace,
  mailTargets,
  passwordPlace,
  type StoredMail,
  type StoredWebhook,
  secretPlace,
  webhooks,
} from './config.ts'
import { findTarget } from './lists.ts'
import { mailOf, webhookBodyOf } from './messages.ts'
import { type Counted, chartValues, type Reading } from './numbers.ts'
import { conflictsService, healthService, machineLoadService, noticesService } from './service.ts'

const lookMilliseconds = 10_000
/** The whole audit trail is checked this often. */
const auditSeconds = 86_400
/** The first time not while a start is busy with everything else. */
const firstAuditSeconds = 600

const levels = { warning: 1, failed: 2 } as const

/** Who is notified now. */
export const targetsOf = (config: Config): Target[] =>
  [...read(config, mailTargets), ...read(config, webhooks)]
    .filter(({ enabled }) => enabled)
    .map(({ id, severity }) => ({ id, from: levels[severity] }))

/** Null when it was delivered; otherwise why not. Without notices it is a test message. */
export async function deliverNotices(services: Services, id: string, notices: readonly Notice[]) {
  const target = findTarget(services.engine.config, id)
  if (!target) return null
  const senders = services.of(noticesService)
  if (!senders) return say`Nothing is sent from here.`
  const server = 'url' in target ? new URL(target.url).hostname : target.server
  const found = await senders.lookUp(server)
  if ('fault' in found) return `The server ${server} cannot be found. ${found.fault}`
  return 'url' in target
    ? callWebhook(services, target, found.address, notices)
    : sendMail(services, target, found.address, notices)
}

/** The same for every try of the same notices, and another one for others: a receiver drops what has an id that it knows. */
function idOf(notices: readonly Notice[]): string {
  const [first, ...others] = notices.map(({ id }) => id)
  if (first === undefined) return randomUUID()
  return others.length === 0
    ? first
    : createHash('sha256')
        .update([first, ...others].join())
        .digest('hex')
        .slice(0, 32)
}

async function sendMail(services: Services, target: StoredMail, address: string, notices: readonly Notice[]) {
  const { server, port, security, ca, login, from, to, password, id } = target
  const clear = password === null ? '' : services.vault.reveal(password, passwordPlace(id))
  return (
    (await services.of(noticesService)?.mail({
      server,
      address,
      port,
      security,
      ca,
      login,
      password: clear,
      from,
      to,
      ...mailOf(notices, services),
      messageId: idOf(notices),
    })) ?? null
  )
}

async function callWebhook(services: Services, target: StoredWebhook, address: string, notices: readonly Notice[]) {
  const { ca, secret, id } = target
  const url = services.vault.reveal(target.address, addressPlace(id))
  return (
    (await services.of(noticesService)?.webhook({
      url: new URL(url),
      address,
      ca,
      secret: secret === null ? '' : services.vault.reveal(secret, secretPlace(id)),
      id: idOf(notices),
      time: Math.floor(services.clock.now().getTime() / 1000),
      body: webhookBodyOf(notices, services),
    })) ?? null
  )
}

export const countAll = (services: Services): Counted => ({
  userSessions: services.of(userSessionsService).state.sessions,
  portalSessions: services.of(portalService).sessions.list().length,
  administratorSessions: services.accounts.sessions.list().length,
})

/** The checks of the gateway itself. Called once; others add their own to the monitor. */
function addOwnChecks(services: Services, loadNow: () => MachineLoad | null): void {
  const { monitor } = services.of(healthService)
  const startedAt = services.clock.elapsed()
  const restarts = createRestartCount(services)
  const jumpOf = createJumpWatch()
  const auditDamage = createAuditWatch(services, startedAt)
  let machine: Promise<Awaited<ReturnType<Services['observe']>>> | null = null
  // The next sources ask for the same look.
  const observe = () => {
    machine ??= services.observe()
    return machine
  }
  monitor.add({
    name: 'applyd',
    check: async () => {
      machine = null
      return applydFindings(await observe())
    },
  })
  monitor.add({ name: 'apply', check: async () => appliedFindings(await observe()) })
  monitor.add({
    name: 'units',
    check: async () => {
      const { observation } = await observe()
      return observation && unitFindings(observation.units, restarts(observation.units))
    },
  })
  monitor.add({
    name: 'conflicts',
    check: async () => {
      const { observation, applyError } = await observe()
      if (!observation || observation.limitation !== null) return observation && []
      return conflictFindings(await services.of(conflictsService).follow(troubleOf(applyError, observation.units)))
    },
  })
  monitor.add({
    name: 'disk',
    check: () => (services.reserve ? [diskFinding(services.reserve.state())] : []),
  })
  monitor.add({ name: 'resources', check: () => resourceFindings(loadNow()) })
  monitor.add({
    name: 'clock',
    check: () => {
      const jumpedBy = jumpOf(services.clock.now().getTime() / 1000, services.clock.elapsed())
      return [clockFinding({ isKept: loadNow()?.isClockKept ?? null, jumpedBy })]
    },
  })
  monitor.add({
    name: 'certificates',
    check: () => certificatesOf(services).map((one) => certificateFinding(one, services.clock.now())),
  })
  monitor.add({ name: 'store', check: () => storeFindings(storeReading(services, loadNow())) })
  monitor.add({
    name: 'audit',
    check: () => [auditFinding({ usage: services.of(auditUsageService)?.(), damage: auditDamage() })],
  })
  monitor.add({ name: 'log', check: async () => logFindings(await services.of(logsService).state()) })
  monitor.add({ name: 'forwarding', check: () => forwardingFindings(services.of(forwardingService)?.report() ?? null) })
  monitor.add({ name: 'log-server', check: () => logServerFindings(services.of(logServerService)?.()) })
  monitor.add({
    name: 'inspection',
    check: async () => {
      const inspection = services.of(inspectionService)
      if (inspection.state(null).state === 'off') return []
      const { observation } = await services.observe()
      return inspectionFindings(inspection.state(observation), queuesIn(observation))
    },
  })
  monitor.add({
    name: 'connection-limits',
    check: async () => {
      const guard = services.of(connectionGuardService)
      return guard ? limitFindings({ hosts: await guard.hosts(), isFull: guard.isFull() }) : []
    },
  })
  monitor.add({
    name: 'dhcp-pool',
    check: async () => {
      const { engine, clock } = services
      const dhcpLeases = services.of(dhcpLeasesService)
      const leases = (await dhcpLeases?.list(clock.now().getTime() / 1000)) ?? []
      return poolFindings(engine.config, services.facts(), leases)
    },
  })
  monitor.add({ name: 'backup', check: () => [backupFinding(backupReading(services, startedAt))] })
}

/** What does not work now: another look at the machine is due when that changes. */
const troubleOf = (applyError: string | null, units: readonly UnitObservation[]): string =>
  JSON.stringify([applyError, units.filter(({ state }) => state === 'failed').map(({ name }) => name)])

/** That of the portal is in a folder of its account, and the portal renews it itself. */
function certificatesOf(services: Services): KnownCertificate[] {
  const { engine } = services
  const managementCertificate = services.of(managementCertificateService)
  const { root_ca } = read(engine.config, connection)
  const own = managementCertificate?.()
  return [
    ...(own === undefined
      ? []
      : [{ name: 'management', title: say`Management certificate`, pem: own, advice: renewOwn }]),
    ...(root_ca === null
      ? []
      : [
          {
            name: 'central-console',
            title: say`Root certificate of the central console`,
            pem: root_ca,
            advice: renewRoot,
          },
        ]),
    ...[...read(engine.config, mailTargets), ...read(engine.config, webhooks)].flatMap(({ id, title, ca }) =>
      ca === ''
        ? []
        : [{ name: `notification.${id}`, title: say`Certificates of "${title}"`, pem: ca, advice: renewTarget }],
    ),
  ]
}

const renewOwn = say`It is renewed by itself 30 days before. Look at the log of gatewayd for why it was not.`
const renewRoot = say`Set the new root certificate of the central console.`
const renewTarget = say`Set the new certificates that the notification trusts.`

function storeReading({ engine, reserve }: Services, load: MachineLoad | null) {
  const diskBytes = reserve?.state().totalBytes ?? null
  const limits = limitsOf(engine.config, diskBytes)
  return { damage: engine.damage, history: engine.history, limits, files: load?.files ?? {}, diskBytes }
}

function backupReading(services: Services, startedAt: number) {
  const { clock } = services
  const backups = services.of(backupsService)
  return {
    failure: backups.automaticFailure,
    newest: backups.list()[0]?.timestamp ?? null,
    now: Math.floor(clock.now().getTime() / 1000),
    runningSeconds: clock.elapsed() - startedAt,
  }
}

interface Running {
  readonly name: string
  readonly pid: number | null
}

/** Another process of a unit than at the last look is a restart. */
function createRestartCount({ clock }: Services): (units: readonly Running[]) => (name: string) => number {
  const known = new Map<string, { pid: number | null; at: number[] }>()
  return (units) => {
    const oldest = clock.elapsed() - restartSeconds
    for (const { name, pid } of units) {
      const last = known.get(name)
      const at = (last?.at ?? []).filter((time) => time > oldest)
      if (last && pid !== null && last.pid !== null && last.pid !== pid) at.push(clock.elapsed())
      known.set(name, { pid: pid ?? last?.pid ?? null, at })
    }
    return (name) => known.get(name)?.at.length ?? 0
  }
}

/** Has the trail checked in the background from time to time, and says what the last check found. */
function createAuditWatch({ audit, applier, clock }: Services, startedAt: number): () => SaidText | null | undefined {
  let damage: SaidText | null | undefined
  let nextAt = startedAt + firstAuditSeconds
  const verify = async (): Promise<void> => {
    const checkpoints = await applier.checkpoints().catch(() => [])
    const fault = await audit.verify(checkpoints)
    damage = fault === null ? null : say`Record ${fault.sequence}: ${fault.message}`
  }
  return () => {
    if (clock.elapsed() >= nextAt) {
      nextAt = clock.elapsed() + auditSeconds
      // A trail that cannot be read now is read the next time.
      verify().catch(() => {})
    }
    return damage
  }
}

/** One look: checks, numbers and notifications. */
export function createLook(services: Services): () => Promise<void> {
  const { clock } = services
  const health = services.of(healthService)
  let now: Reading | null = null
  addOwnChecks(services, () => now?.load ?? null)
  retryWhenChanged(services)
  return async () => {
    const load = services.of(machineLoadService)?.() ?? null
    const before = now
    now = load && { load, at: clock.elapsed() }
    if (now) health.charts.add(Math.floor(clock.now().getTime() / 1000), chartValues(now, before, countAll(services)))
    await health.monitor.look()
    health.notifier.look()
  }
}

/** Anyone who corrects the settings of a target sees what becomes of it at the next look. */
function retryWhenChanged(services: Services): void {
  const { engine } = services
  const health = services.of(healthService)
  const listed = () => [read(engine.config, mailTargets), read(engine.config, webhooks)]
  let known = listed()
  engine.onChanged(() => {
    const now = listed()
    if (now.every((list, index) => list === known[index])) return
    known = now
    for (const { id } of targetsOf(engine.config)) health.notifier.forget(id)
  })
}

/** A look that takes longer than ten seconds makes no second one begin. */
export function startHealth(services: Services, onFault: (error: unknown) => void): { stop(): void } {
  const look = createLook(services)
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    look()
      .catch(onFault)
      .finally(() => {
        isBusy = false
      })
  }, lookMilliseconds)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
