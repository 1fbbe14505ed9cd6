// What can be done to external servers, zones and dynamic DNS. Every edit is held against the rules of verify.ts, so that
// faults carry the names of the fields that were sent.

import type { Reference } from '../../contract/area.ts'
import { refuse } from '../../contract/error.ts'
import { addItem, requireItem, updateItem, updateSingle } from '../../contract/list-edits.ts'
import { type Sealed, secretMask } from '../../contract/secret.ts'
import { type Config, type Item, read } from '../../contract/slots.ts'
import { ddns, rootServers } from './config.ts'
import type { DdnsPatch } from './contract.ts'
import { type CheckedList, takenName } from './verify.ts'

export const addTo = <T extends Item>(config: Config, list: CheckedList<T>, item: T): Config => {
  refuseFaults(config, list, item)
  return addItem(config, list.slot, item)
}

export function updateIn<T extends Item>(config: Config, list: CheckedList<T>, id: string, patch: Partial<T>): Config {
  const item = { ...requireItem(config, list.slot, id, list.item), ...patch }
  refuseFaults(config, list, item)
  return updateItem(config, list.slot, item)
}

function refuseFaults<T extends Item>(config: Config, list: CheckedList<T>, item: T): void {
  refuse(list.problemsOf(config, item))
  refuse(takenName(config, list, item), 'conflict')
}

/** An empty password takes the stored one away; the mask, null and nothing keep it. */
export function updateDdns(config: Config, patch: DdnsPatch, seal: (password: string) => Sealed): Config {
  const { service_password: password = null, ...rest } = patch
  if (password === null || password === secretMask) return updateSingle(config, ddns, rest)
  return updateSingle(config, ddns, { ...rest, service_password: password === '' ? null : seal(password) })
}

/** External servers that stand on a provider connection. */
export const references = (config: Config): Reference[] =>
  read(config, rootServers)
    .filter(({ type }) => type === 'interface')
    .map(({ id, object, comment }) => ({
      id: object,
      object: `${rootServers.key}[${id}]`,
      field: 'object',
      title: comment === '' ? 'External DNS servers of the connection' : `External DNS servers “${comment}”`,
    }))
