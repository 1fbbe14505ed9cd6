// Endpoints of the configuration engine itself.

import { type Context, handle, type Route, type Services, signedIn } from '../../core/area/handle.ts'
import { jsonReply } from '../../core/area/raw-reply.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { GatewayError, notFound } from '../../core/contract/error.ts'
import { resealAll } from '../../core/model/reseal.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { say } from '../../shared/said.ts'
import { hasAdministrator } from '../administrators/public.ts'
import { history, limitsOf } from './config.ts'
import {
  configurationStatus,
  confirmChange,
  historyLimits,
  listRevisions,
  makeCalls,
  putBackChange,
  revertToRevision,
  rotateKey,
  showProbation,
  showRevision,
  undoRevision,
} from './contract.ts'
import { configurationStatusItems } from './status.ts'

const defaultPage = 100

type Probation = NonNullable<Services['engine']['probation']>

function revisionNumber({ revision_id: text }: { readonly revision_id: string }): number {
  if (!/^\d{1,15}$/.test(text)) throw notFound(say`revision ${text.slice(0, 40)}`)
  return Number(text)
}

function missing({ history: { removedUpTo } }: Services['engine'], number: number): GatewayError {
  if (number > removedUpTo || removedUpTo === 0) return notFound(say`revision ${number}`)
  const message = say`Revision ${number} is no longer kept: revisions up to ${removedUpTo} were removed by the limits of the history.`
  return new GatewayError('not_found', message)
}

/** Only its author or an administrator with full access can confirm or revert a change on probation. */
function ownProbation(context: Pick<Context, 'identity' | 'services' | 'isFullAdministrator'>): Probation {
  const { probation } = context.services.engine
  if (!probation) throw new GatewayError('conflict', say`No change is waiting for a confirmation.`)
  if (!context.isFullAdministrator && signedIn(context).login !== probation.author) {
    throw new GatewayError(
      'forbidden',
      say`Only ${probation.author} or an administrator with full access can confirm or revert this change.`,
    )
  }
  return probation
}

function requireAdministrator(config: Parameters<typeof hasAdministrator>[0], what: string): void {
  if (hasAdministrator(config)) return
  throw new GatewayError('conflict', say`${what}, so no one could sign in after it.`)
}

const showWaiting = (services: Services, probation: Probation) => ({
  revision: probation.revision,
  author: probation.author,
  confirm_before: probation.deadlineTime,
  seconds_left: Math.max(0, Math.ceil(probation.deadline - services.clock.elapsed())),
})

export const routes: readonly Route[] = [
  ...settingsRoutes(historyLimits, history),
  handle(listRevisions, ({ query, services }) =>
    services.engine.listRevisions(query.limit ?? defaultPage, query.offset ?? 0),
  ),
  handle(showRevision, async (context) => {
    const number = revisionNumber(context.params)
    const { engine, reader } = context.services
    if (number <= engine.history.removedUpTo) throw missing(engine, number)
    return jsonReply(await reader.runOnce('revision', `${number}`, number, context))
  }),
  handle(
    revertToRevision,
    async (context) => {
      const number = revisionNumber(context.params)
      const { engine } = context.services
      await engine.loadPast(number, createSlices())
      return context.change(() => {
        const config = engine.configAt(number)
        if (!config) throw missing(engine, number)
        requireAdministrator(config, say`Revision ${number} has no administrator`)
        return config
      })
    },
    { isAlone: true },
  ),
  handle(
    undoRevision,
    async (context) => {
      const number = revisionNumber(context.params)
      const { engine } = context.services
      const undo = await engine.loadUndo(number, createSlices())
      if (!undo) throw missing(engine, number)
      return context.change((config) => {
        const next = undo(config)
        requireAdministrator(next, say`Without revision ${number} there is no administrator`)
        return next
      })
    },
    { isAlone: true },
  ),
  handle(makeCalls, async ({ body, together }) => ({ replies: await together(body.calls) }), { isAlone: true }),
  handle(showProbation, ({ services }) => {
    const { probation } = services.engine
    return { waiting: probation ? showWaiting(services, probation) : null }
  }),
  handle(confirmChange, (context) => {
    ownProbation(context)
    context.services.engine.confirm()
  }),
  handle(putBackChange, async (context) => {
    const { revision } = ownProbation(context)
    const actor = { login: signedIn(context).login, address: context.address }
    await context.services.engine.putBack(actor, `Revision ${revision} was reverted`, context.requireAuthority)
  }),
  handle(
    rotateKey,
    ({ change, services }) => {
      const { vault } = services
      const previous = vault.currentKey
      return change((config) => {
        // Here it is allowed to: a refused call leaves no key behind. An edit can run more than once.
        if (vault.currentKey === previous) vault.addKey()
        return resealAll(config, (secret, place) => vault.seal(vault.reveal(secret, place), place))
      })
    },
    { audits: true },
  ),
  handle(configurationStatus, async ({ services }) => {
    const { engine } = services
    return configurationStatusItems(await services.observe(), {
      revision: engine.revision,
      damage: engine.damage,
      disk: services.reserve?.state() ?? null,
      history: engine.history,
      limits: limitsOf(engine.config, services.reserve?.state().totalBytes ?? null),
    })
  }),
]
