// Endpoints of directory integration.

import { randomUUID } from 'node:crypto'
import { type EditTools, handle, type Route, type Services } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { addTo, requireIn, updateIn } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import {
  ad,
  adDomains,
  adSettings,
  ald,
  aldDomains,
  type DirectoryKind,
  type Domain,
  importSettings,
  type StoredAldDomain,
} from './config.ts'
import * as contract from './contract.ts'
import type { GroupSettings } from './contract-groups.ts'
import { removeDomain, removeRecord, requireDomain } from './edits.ts'
import { joinDirectory, joinOf, refuseWhileJoining, startJoin } from './jobs.ts'
import { adDomainList, adRecordList, aldDomainList, aldRecordList } from './lists.ts'
import { adMessages } from './status.ts'

/** Every change can be a dry run, though no endpoint declares it; a dry run joins nothing. */
function joinUnlessDryRun({ query, services }: { query: object; services: Services }, domain: Domain): void {
  if ((query as { readonly dry_run?: boolean }).dry_run !== true) startJoin(services, domain, joinDirectory)
}

/** How an edit leaves a domain. */
const leaving =
  <T extends Domain>(services: Services, kind: DirectoryKind, list: ListDeclaration<T>) =>
  (config: Config, domain: Domain, { referencesTo }: EditTools): Config => {
    refuseWhileJoining(services, domain)
    return removeDomain(config, kind, list, domain, referencesTo)
  }

const showAld = (services: Services, domain: StoredAldDomain): contract.AldDomain => ({
  ...domain,
  ...joinOf(services, domain),
})

const adRoutes: readonly Route[] = [
  handle(contract.showAdStatus, ({ config, services }) => ({ msg: adMessages(config, services) })),
  ...listRoutes({ list: contract.adDomains.list }, adDomainList),
  handle(
    contract.adDomains.create,
    async (context) => {
      const { body, change } = context
      const id = randomUUID()
      await change((config) => addTo(config, adDomainList, id, body))
      joinUnlessDryRun(context, { id, name: body.name })
      return { id }
    },
    { slot: adDomains },
  ),
  handle(
    contract.adDomains.update,
    async (context) => {
      const { params, body, change, services } = context
      const domain = await change((config) => {
        const current = requireIn(config, adDomainList, params.domain_id)
        refuseWhileJoining(services, current)
        return [updateIn(config, adDomainList, current.id, body), current] as const
      })
      joinUnlessDryRun(context, domain)
    },
    { slot: adDomains },
  ),
  handle(
    contract.adDomains.remove,
    ({ params, change, services }) => {
      const leave = leaving(services, ad, adDomainList)
      return change((config, tools) => leave(config, requireIn(config, adDomainList, params.domain_id), tools))
    },
    { slot: adDomains },
  ),
  ...settingsRoutes(contract.adSettings, adSettings),
  ...settingsRoutes(contract.importSettings, importSettings),
  // Joining a domain makes the zones; no domain is joined yet.
  handle(contract.listForwardZones, () => []),
]

const aldRoutes: readonly Route[] = [
  // Without a tag: the state of a join changes without a change of the configuration.
  handle(contract.aldDomains.list, ({ config, services }) =>
    read(config, aldDomains).map((domain) => showAld(services, domain)),
  ),
  handle(
    contract.aldDomains.create,
    async (context) => {
      const { body, change } = context
      const id = randomUUID()
      await change((config) => addTo(config, aldDomainList, id, body))
      joinUnlessDryRun(context, { id, name: body.name })
      return { id }
    },
    { slot: aldDomains },
  ),
  handle(
    contract.aldDomains.remove,
    ({ params, change, services }) => {
      const leave = leaving(services, ald, aldDomainList)
      return change((config, tools) => leave(config, requireDomain(config, ald, params.domain_name), tools))
    },
    { slot: aldDomains },
  ),
]

type Objects = typeof contract.adObjects | typeof contract.aldObjects

/** Read from a joined domain; of one that is only stored nothing is known. */
const objectRoutes = ({ groups, tree }: Objects, kind: DirectoryKind): readonly Route[] =>
  [groups, tree].map((endpoint) =>
    handle(endpoint, ({ params, config }) => {
      requireDomain(config, kind, params.domain_name)
      return []
    }),
  )

type Records = typeof contract.adGroupSettings | typeof contract.aldGroupSettings

const recordRoutes = (endpoints: Records, list: ListDeclaration<GroupSettings>): readonly Route[] => [
  ...listRoutes({ list: endpoints.list, create: endpoints.create, replace: endpoints.update }, list),
  handle(
    endpoints.remove,
    ({ params, change }) =>
      change((config, { referencesTo }) => removeRecord(config, list, params.record_id, referencesTo)),
    { slot: list.slot },
  ),
]

export const routes: readonly Route[] = [
  ...adRoutes,
  ...objectRoutes(contract.adObjects, ad),
  ...recordRoutes(contract.adGroupSettings, adRecordList),
  ...aldRoutes,
  ...objectRoutes(contract.aldObjects, ald),
  ...recordRoutes(contract.aldGroupSettings, aldRecordList),
]
