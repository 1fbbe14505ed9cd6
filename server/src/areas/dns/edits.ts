// What can be done to dynamic DNS, whose password is a secret.

import { secretMask } from '../../core/contract/fields.ts'
import { updateSettings } from '../../core/model/lists.ts'
import type { Sealed } from '../../core/model/secret.ts'
import type { Config } from '../../core/model/slots.ts'
import type { DdnsPatch } from './contract.ts'
import { ddnsSettings } from './lists.ts'

/** An empty password removes the stored one; the mask, null and no field keep it. */
export function updateDdns(config: Config, patch: DdnsPatch, seal: (password: string) => Sealed): Config {
  const { service_password: password = null, ...rest } = patch
  if (password === null || password === secretMask) return updateSettings(config, ddnsSettings, rest)
  const service_password = password === '' ? null : seal(password)
  return updateSettings(config, ddnsSettings, { ...rest, service_password })
}
