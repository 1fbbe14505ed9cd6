// Endpoints of intrusion prevention except profiles, which are in routes-profiles.ts.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { notFound } from '../../core/contract/error.ts'
import { readJournalQuery } from '../../core/contract/table-query.ts'
import { read } from '../../core/model/slots.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { type Catalogue, groupByClasstype, groupByTactic } from '../../domain/signatures/catalogue.ts'
import type { Rule, Signature } from '../../domain/signatures/rule.ts'
import { say } from '../../shared/said.ts'
import { inspectionService } from '../inspection/service.ts'
import { custom, nets, state } from './config.ts'
import * as contract from './contract.ts'
import { signatureColumns } from './contract-signatures.ts'
import { removeNet } from './edits.ts'
import { netList } from './lists.ts'
import { allProfiles, catalogueOf, decideProfile, leftOut } from './resolve.ts'
import { archiveRoutes } from './routes-archives.ts'
import { customRoutes } from './routes-custom.ts'
import { profileRoutes } from './routes-profiles.ts'
import { signaturesService } from './service.ts'
import { showStatus, showUpdate } from './status.ts'

const known = ({ config, services }: Pick<Context, 'config' | 'services'>): Catalogue =>
  catalogueOf(config, services.of(signaturesService)?.current())

function requireSignature(catalogue: Catalogue, sid: string): Rule {
  const rule = /^\d{1,10}$/.test(sid) ? catalogue.find(Number(sid)) : undefined
  if (!rule) throw notFound(say`signature with the sid ${sid.slice(0, 80)}`)
  return rule
}

const signatureRoutes: readonly Route[] = [
  handle(contract.signatureGroups, (context) => ({ signature_groups: groupByClasstype(known(context)) })),
  handle(contract.signatureMatrix, (context) => ({ signature_groups: groupByTactic(known(context)) })),
  handle(contract.listSignatures, async (context) => {
    const { signatures } = known(context)
    const { filter } = context.query
    if (filter === undefined) return { signatures: [...signatures] }
    const now = Math.floor(context.services.clock.now().getTime() / 1000)
    const { matches } = readJournalQuery(signatureColumns, { filter }, [], now)
    // Forty thousand of them, and up to a hundred conditions.
    const slices = createSlices()
    const found: Signature[] = []
    for (const signature of signatures) {
      if (matches(signature)) found.push(signature)
      await slices()
    }
    return { signatures: found }
  }),
  handle(contract.showSignature, (context) => ({
    signature: requireSignature(known(context), context.params.sid).text,
  })),
  handle(contract.listSignatureProfiles, (context) => {
    const catalogue = known(context)
    const { sid } = requireSignature(catalogue, context.params.sid).signature
    return allProfiles(context.config)
      .filter(({ id }) =>
        decideProfile(context.config, catalogue, id).signatures.some((signature) => signature.sid === sid),
      )
      .map(({ id, name }) => ({ id, name }))
  }),
]

const netRoutes: readonly Route[] = [
  ...listRoutes({ list: contract.protectedNets.list, create: contract.protectedNets.create }, netList),
  handle(
    contract.protectedNets.remove,
    ({ params, change }) => change((config, { referencesTo }) => removeNet(config, params.net_id, referencesTo)),
    { slot: nets },
  ),
]

export const routes: readonly Route[] = [
  handle(contract.showStatus, async (context) => {
    const { config, services } = context
    const machine = await services.observe()
    return showStatus({
      isEnabled: read(config, state).enabled,
      services,
      custom: leftOut(read(config, custom)),
      count: known(context).signatures.length,
      machine,
      inspection: services.of(inspectionService).state(machine.observation),
    })
  }),
  ...settingsRoutes(contract.moduleState, state),
  ...signatureRoutes,
  ...customRoutes,
  ...archiveRoutes,
  handle(contract.signatureUpdates.show, ({ services }) => showUpdate(services, 'standard')),
  handle(contract.signatureUpdates.showAdvanced, ({ services }) => showUpdate(services, 'advanced')),
  handle(contract.signatureUpdates.start, ({ services, requireAuthority }) => {
    requireAuthority()
    return services.of(signaturesService)?.refresh()
  }),
  ...netRoutes,
  ...profileRoutes,
]
