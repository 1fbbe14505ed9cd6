// What the web proxy stores.

import { Enabled, nullable, oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Sealed } from '../../core/model/secret.ts'
import { list, single } from '../../core/model/slots.ts'
import { Exclusion, ProxySettings } from './contract.ts'

export const settings = single('web_proxy.settings', ProxySettings, {
  direct_enabled: false,
  direct_port: 3128,
  logging_enabled: true,
  on_failure: 'block',
})

export const exclusions = list('web_proxy.exclusions', Exclusion)

export const antivirus = single('web_proxy.antivirus', Enabled, { enabled: false })

/** The authority that the proxy signs with; null until the filter is first switched on. */
export const authority = single(
  'web_proxy.authority',
  strictObject({
    authority: nullable(
      strictObject({ origin: oneOf(['made', 'uploaded']), certificate: Type.String(), private_key: Sealed }),
    ),
  }),
  { authority: null },
)

/** Where the vault binds its key to. */
export const keyPlace = `${authority.key}//authority.private_key`

export const slots = [settings, exclusions, antivirus, authority]
