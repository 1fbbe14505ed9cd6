// Endpoints of the configuration engine itself.

import { GatewayError, notFound } from '../../contract/error.ts'
import { type Context, handle, jsonReply, type Route, type Services, signedIn } from '../../http/handle.ts'
import { resealAll } from '../../model/reseal.ts'
import { createSlices } from '../../workers/slices.ts'
import { hasAdministrator } from '../administrators/public.ts'
import {
  configurationStatus,
  confirmChange,
  listRevisions,
  putBackChange,
  revertToRevision,
  rotateKey,
  showProbation,
  showRevision,
} from './contract.ts'
import { configurationStatusItems } from './status.ts'

const defaultPage = 100

type Probation = NonNullable<Services['engine']['probation']>

function revisionNumber({ revision_id: text }: { readonly revision_id: string }): number {
  if (!/^\d{1,15}$/.test(text)) throw notFound(`revision ${text.slice(0, 40)}`)
  return Number(text)
}

/** Only its author or an administrator with full access can confirm or revert a change on probation. */
function ownProbation(context: Pick<Context, 'identity' | 'services' | 'isFullAdministrator'>): Probation {
  const { probation } = context.services.engine
  if (!probation) throw new GatewayError('conflict', 'No change is waiting for a confirmation.')
  if (!context.isFullAdministrator && signedIn(context).login !== probation.author) {
    throw new GatewayError(
      'forbidden',
      `Only ${probation.author} or an administrator with full access can confirm or revert this change.`,
    )
  }
  return probation
}

const showWaiting = (services: Services, probation: Probation) => ({
  revision: probation.revision,
  author: probation.author,
  confirm_before: probation.deadlineTime,
  seconds_left: Math.max(0, Math.ceil(probation.deadline - services.clock.elapsed())),
})

export const routes: readonly Route[] = [
  handle(listRevisions, ({ query, services }) =>
    services.engine.listRevisions(query.limit ?? defaultPage, query.offset ?? 0),
  ),
  handle(showRevision, async (context) => {
    const number = revisionNumber(context.params)
    return jsonReply(await context.services.reader.runOnce('revision', `${number}`, number, context))
  }),
  handle(revertToRevision, async (context) => {
    const number = revisionNumber(context.params)
    const { engine } = context.services
    await engine.loadPast(number, createSlices())
    return context.change(() => {
      const config = engine.configAt(number)
      if (!config) throw notFound(`revision ${number}`)
      if (!hasAdministrator(config)) {
        throw new GatewayError(
          'conflict',
          `Revision ${number} has no administrator, so no one could sign in after reverting to it.`,
        )
      }
      return config
    })
  }),
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
    await context.services.engine.putBack(actor, `Revision ${revision} was reverted`)
  }),
  handle(
    rotateKey,
    ({ change, services }) => {
      const { vault } = services
      vault.addKey()
      return change((config) => resealAll(config, (secret, place) => vault.seal(vault.reveal(secret, place), place)))
    },
    { audits: true },
  ),
  handle(configurationStatus, async ({ services }) => {
    const { engine } = services
    return configurationStatusItems(await services.observe(), engine.damage, engine.revision)
  }),
]
