// Endpoints of directory integration.

import { randomUUID } from 'node:crypto'
import { handle, type Route, type Services } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { type Config, read } from '../../model/slots.ts'
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
import {
  addAdDomain,
  addAldDomain,
  addRecord,
  rejoinAdDomain,
  removeDomain,
  removeRecord,
  replaceRecord,
  requireAdDomain,
  requireDomain,
} from './edits.ts'
import { joinDirectory, joinOf, refuseWhileJoining, startJoin } from './jobs.ts'
import { adMessages } from './status.ts'

/** Every change may be a dry run, though no endpoint declares it; that joins nothing. */
function joinUnlessDryRun({ query, services }: { query: object; services: Services }, domain: Domain): void {
  if ((query as { readonly dry_run?: boolean }).dry_run !== true) startJoin(services, domain, joinDirectory)
}

function leave(services: Services, config: Config, kind: DirectoryKind, domain: Domain): Config {
  refuseWhileJoining(services, domain)
  return removeDomain(config, kind, domain)
}

const showAld = (services: Services, domain: StoredAldDomain): contract.AldDomain => ({
  ...domain,
  ...joinOf(services, domain),
})

const adRoutes: readonly Route[] = [
  handle(contract.showAdStatus, ({ config, services }) => ({ msg: adMessages(config, services) })),
  handle(contract.adDomains.list, ({ config }) => [...read(config, adDomains)], { slot: adDomains }),
  handle(
    contract.adDomains.create,
    async (context) => {
      const { body, change } = context
      const id = randomUUID()
      await change((config) => addAdDomain(config, id, body))
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
        const current = requireAdDomain(config, params.domain_id ?? '')
        refuseWhileJoining(services, current)
        return [rejoinAdDomain(config, current, body), current] as const
      })
      joinUnlessDryRun(context, domain)
    },
    { slot: adDomains },
  ),
  handle(
    contract.adDomains.remove,
    ({ params, change, services }) =>
      change((config) => leave(services, config, ad, requireAdDomain(config, params.domain_id ?? ''))),
    { slot: adDomains },
  ),
  ...settingsRoutes(contract.adSettings, adSettings),
  ...settingsRoutes(contract.importSettings, importSettings),
  // Joining makes the zones; no domain is joined yet.
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
      await change((config) => addAldDomain(config, id, body))
      joinUnlessDryRun(context, { id, name: body.name })
      return { id }
    },
    { slot: aldDomains },
  ),
  handle(
    contract.aldDomains.remove,
    ({ params, change, services }) =>
      change((config) => leave(services, config, ald, requireDomain(config, ald, params.domain_name ?? ''))),
    { slot: aldDomains },
  ),
]

type Objects = typeof contract.adObjects | typeof contract.aldObjects

/** Read from a joined domain; of one that is only stored nothing is known. */
const objectRoutes = ({ groups, tree }: Objects, kind: DirectoryKind): readonly Route[] =>
  [groups, tree].map((endpoint) =>
    handle(endpoint, ({ params, config }) => {
      requireDomain(config, kind, params.domain_name ?? '')
      return []
    }),
  )

type Records = typeof contract.adGroupSettings

const recordRoutes = (endpoints: Records, kind: DirectoryKind): readonly Route[] => [
  handle(endpoints.list, ({ config }) => [...read(config, kind.records)], { slot: kind.records }),
  handle(
    endpoints.create,
    ({ body, change }) =>
      change((config, tools) => {
        const id = tools.nextId(kind.records)
        return [addRecord(config, kind, id, body), { id }] as const
      }),
    { slot: kind.records },
  ),
  handle(
    endpoints.update,
    ({ params, body, change }) => change((config) => replaceRecord(config, kind, params.record_id ?? '', body)),
    { slot: kind.records },
  ),
  handle(
    endpoints.remove,
    ({ params, change }) => change((config) => removeRecord(config, kind, params.record_id ?? '')),
    { slot: kind.records },
  ),
]

export const routes: readonly Route[] = [
  ...adRoutes,
  ...objectRoutes(contract.adObjects, ad),
  ...recordRoutes(contract.adGroupSettings, ad),
  ...aldRoutes,
  ...objectRoutes(contract.aldObjects, ald),
  ...recordRoutes(contract.aldGroupSettings, ald),
]
