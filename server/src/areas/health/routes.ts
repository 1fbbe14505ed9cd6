// Endpoints of health: checks, metrics, charts and those who are notified.

import { type Context, handle, type Route, signedIn } from '../../core/area/handle.ts'
import { rawReply } from '../../core/area/raw-reply.ts'
import { listRoutes, perItem } from '../../core/area/routes.ts'
import { GatewayError, notFound } from '../../core/contract/error.ts'
import { requireIn } from '../../core/model/lists.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { say, sentencesIn } from '../../shared/said.ts'
import { version } from '../../shared/version.ts'
import { addressPlace, passwordPlace, secretPlace } from './config.ts'
import * as contract from './contract.ts'
import { countAll } from './jobs.ts'
import {
  mailFields,
  mailTargetList,
  requireSameServer,
  shownMail,
  shownWebhook,
  webhookFields,
  webhookList,
} from './lists.ts'
import { metricsText, unitOf } from './numbers.ts'
import { conflictsService, healthService, machineLoadService } from './service.ts'
import { countsOf, healthStatusItems, worstOf } from './status.ts'

/** Of the text that printMetrics() makes. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'
const defaultSeconds = 2 * 3_600

const checksOf = ({ services }: Pick<Context, 'services'>): contract.HealthCheck[] =>
  services
    .of(healthService)
    .monitor.list()
    .map(({ source: _source, ...check }) => check)

function showMetrics({ services, authorizationHeader }: Context) {
  const { engine, audit } = services
  const health = services.of(healthService)
  const machineLoad = services.of(machineLoadService)
  if (!health.token.isIn(authorizationHeader))
    throw new GatewayError('unauthenticated', say`This needs the token for metrics in the Authorization header.`)
  const text = metricsText({
    release: version,
    revision: engine.revision,
    load: machineLoad?.() ?? null,
    counted: countAll(services),
    checks: checksOf({ services }),
    queues: health.monitor.queues,
    auditRecords: audit.head.sequence,
  })
  return rawReply(metricsType, text)
}

async function showCharts({ query, services }: Context<typeof contract.showCharts>) {
  const { group = 'cpu', name } = query
  const now = Math.floor(services.clock.now().getTime() / 1000)
  const until = query.until ?? now + 1
  const from = query.from ?? Math.max(0, until - defaultSeconds)
  const prefix = name === undefined ? `${group}/` : `${group}/${name}/`
  const { stepSeconds, series } = await services
    .of(healthService)
    .charts.read({ prefix, from, until, now }, createSlices())
  return {
    step_seconds: stepSeconds,
    series: series.map((one) => {
      const shown = one.name.slice(group.length + 1)
      return { name: shown, unit: unitOf(group, shown), points: [...one.points] }
    }),
  }
}

/** The target as it is when the message is sent: an administrator who lost their rights while waiting sends nothing. */
async function sendTest({ services, requireAuthority }: Context, id: string) {
  requireAuthority()
  const result = await services.of(healthService).notifier.test(id)
  if (result === 'busy')
    throw new GatewayError('too_many_requests', say`A test message is under way. Wait until it has been answered.`, {
      retryAfterSeconds: 5,
    })
  return { is_delivered: result === null, message: typeof result === 'string' ? result : (result?.note ?? '') }
}

export const routes: readonly Route[] = [
  handle(contract.showHealth, (context) => {
    const checks = checksOf(context)
    const counts = countsOf(checks)
    return { state: worstOf(counts), counts, checks }
  }),
  handle(contract.showSummary, (context) => {
    const counts = countsOf(checksOf(context))
    return { state: worstOf(counts), counts }
  }),
  handle(contract.showStatus, ({ config, services }) => healthStatusItems(config, services)),
  handle(contract.showConflicts, async ({ services }) =>
    (await services.of(conflictsService).look()).map((one) => ({
      ...one,
      sentences: sentencesIn([one.title, one.detail, one.fix]),
    })),
  ),
  handle(contract.showMetrics, (context) => showMetrics(context as Context)),
  handle(contract.metricsToken.show, ({ services }) => {
    const { info } = services.of(healthService).token
    return { enabled: info !== null, created_at: info?.createdAt ?? null, created_by: info?.createdBy ?? null }
  }),
  handle(contract.metricsToken.create, (context) => {
    const { services } = context
    const seconds = Math.floor(services.clock.now().getTime() / 1000)
    return { bearer: services.of(healthService).token.create(signedIn(context).login, seconds) }
  }),
  handle(contract.metricsToken.remove, ({ services }) => {
    if (!services.of(healthService).token.remove()) throw notFound(say`token for metrics`)
  }),
  handle(contract.showCharts, showCharts),
  ...listRoutes(contract.mailTargets, mailTargetList, {
    shown: perItem(shownMail),
    prepare:
      ({ services }, body) =>
      (id, _tools, config) => {
        requireSameServer(config, id, body)
        return mailFields(body, (password) => services.vault.seal(password, passwordPlace(String(id))))
      },
  }),
  ...listRoutes(contract.webhooks, webhookList, {
    shown: perItem(shownWebhook),
    prepare:
      ({ services: { vault } }, body) =>
      (id, _tools, config) => {
        const place = addressPlace(String(id))
        return webhookFields(config, id, body, (secret) => vault.seal(secret, secretPlace(String(id))), {
          seal: (clear) => vault.seal(clear, place),
          reveal: (address) => vault.reveal(address, place),
        })
      },
  }),
  handle(contract.testMail, (context) => {
    const { id } = requireIn(context.config, mailTargetList, context.params.target_id)
    return sendTest(context as Context, id)
  }),
  handle(contract.testWebhook, (context) => {
    const { id } = requireIn(context.config, webhookList, context.params.target_id)
    return sendTest(context as Context, id)
  }),
]
