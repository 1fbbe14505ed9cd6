// What runs of the DNS services: nothing yet, and the items say so.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../contract/slots.ts'
import { ddns, ddnsState } from './config.ts'

const notYet = (engines: string): string => `Stored; ${engines} not part of this release yet, so nothing is applied.`

export const dnsStatusItems = (config: Config, brand: string): StatusItem[] => [
  { name: 'unbound', status: 'inactive', msg: [notYet('the DNS engine is')] },
  { name: 'nsd', status: 'inactive', msg: [notYet('the server of own zones is')] },
  {
    name: `${brand}-dns-backend`,
    status: 'inactive',
    msg: [notYet('interception, safe search and dynamic DNS are'), ...unfinished(config)],
  },
]

function unfinished(config: Config): string[] {
  const { domain, service_login, service_password } = read(config, ddns)
  const isWhole = domain !== '' && service_login !== '' && service_password !== null
  return read(config, ddnsState).enabled && !isWhole
    ? ['Dynamic DNS is switched on, but its domain, login or password is missing.']
    : []
}
