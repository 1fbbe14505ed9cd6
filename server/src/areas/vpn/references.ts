// Which objects the VPN servers mention, so that nobody removes one that is in use.

import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { accessRules, accessTitle, leaseRules, leaseTitle, pushedRoutes, settings } from './config.ts'

export const references = (config: Config): readonly Reference[] => {
  const { zone } = read(config, settings)
  const routes = read(config, pushedRoutes)
  return [
    ...mention(settings.key, 'VPN settings', 'zone', zone === null ? [] : [zone]),
    ...read(config, accessRules).flatMap(({ id, sources, objects }) => [
      ...mention(`${accessRules.key}[${id}]`, accessTitle(id), 'sources', sources),
      ...mention(`${accessRules.key}[${id}]`, accessTitle(id), 'objects', objects),
    ]),
    ...read(config, leaseRules).flatMap(({ id, objects }) =>
      mention(`${leaseRules.key}[${id}]`, leaseTitle(id), 'objects', objects),
    ),
    ...mention(pushedRoutes.key, 'Routes for VPN clients', 'networks', routes.networks),
    ...mention(pushedRoutes.key, 'Routes for VPN clients', 'excluded_networks', routes.excluded_networks),
  ]
}

const mention = (object: string, title: string, field: string, ids: readonly string[]): Reference[] =>
  ids.filter((id) => id !== 'any').map((id) => ({ id, object, field, title }))
