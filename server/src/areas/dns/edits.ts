// What can be done to dynamic DNS, and what external servers stand on. The lists are described in verify.ts.

import { secretMask } from '../../contract/fields.ts'
import { updateSingle } from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import type { Sealed } from '../../model/secret.ts'
import { type Config, read } from '../../model/slots.ts'
import { ddns, rootServers } from './config.ts'
import type { DdnsPatch } from './contract.ts'

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
