// What must hold for mail beyond the form of its fields: every domain has one purpose, and nobody can make the gateway an
// open relay. Faults name the field as it is sent; `verify` says it for the whole configuration.

import type { Problem } from '../../contract/error.ts'
import { type Config, read } from '../../model/slots.ts'
import { parseNetwork } from '../../net/ipv4.ts'
import { general, trustedNetworks } from './config.ts'
import type { General } from './contract.ts'

const widestPrefix = 8

export const outerDomain = (pair: string): string => pair.slice(0, pair.indexOf('|'))

/** A domain twice among main, additional and relay domains; the host name may not be a relay domain either. */
export function domainProblems(settings: General): Problem[] {
  const { mail_domain, mail_hostname, mail_additional_domains, mail_relay_domains } = settings
  const places = [
    ...(mail_domain === null ? [] : [{ field: 'mail_domain', name: mail_domain }]),
    ...mail_additional_domains.map((name, index) => ({ field: `mail_additional_domains[${index}]`, name })),
    ...mail_relay_domains.map((pair, index) => ({
      field: `mail_relay_domains[${index}]`,
      name: outerDomain(pair),
    })),
  ]
  const seen = new Set<string>()
  const repeated = places.filter(({ name }) => {
    const isRepeated = seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    return isRepeated
  })
  const hostName = mail_hostname?.toLowerCase()
  const isRelayed = mail_relay_domains.some((pair) => outerDomain(pair).toLowerCase() === hostName)
  return [
    ...repeated.map(({ field, name }) => ({
      field,
      message: `The domain ${name} stands here twice; it can be the main domain, an additional or a relay domain.`,
    })),
    ...(isRelayed ? [{ field: 'mail_hostname', message: 'The host name must not be one of the relay domains.' }] : []),
  ]
}

export const networkProblems = (networks: readonly string[]): Problem[] =>
  networks.flatMap((text, index) => {
    const field = `postfix_mynetworks[${index}]`
    const network = parseNetwork(text)
    if (!network) return [{ field, message: 'This is no mask of a network.' }]
    return network.prefix < widestPrefix
      ? [
          {
            field,
            message: `A trusted network has a prefix of at least ${widestPrefix}: a wider one would let strangers send.`,
          },
        ]
      : []
  })

const within = (key: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ field, message }) => ({ field: `${key}.${field}`, message }))

export const verify = (config: Config): Problem[] => [
  ...within(general.key, domainProblems(read(config, general))),
  ...within(trustedNetworks.key, networkProblems(read(config, trustedNetworks).postfix_mynetworks)),
]
