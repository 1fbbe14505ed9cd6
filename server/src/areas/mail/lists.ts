// Rules and settings of mail as declared: every domain has one purpose, and no setting makes the gateway an open relay.

import type { Static } from 'typebox'
import type { Problem } from '../../core/contract/error.ts'
import { declareList, declareSettings } from '../../core/model/declarations.ts'
import type { ListSlot } from '../../core/model/slots.ts'
import { parseNetwork } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { allowedRules, deniedRules, forwardingRules, general, trustedNetworks } from './config.ts'
import type { General, TrustedNetworks } from './contract.ts'
import type { AddressRule, NewAddressRule } from './contract-rules.ts'

export const forwardingList = declareList({ slot: forwardingRules, ids: { kind: 'uuid' }, noun: 'forwarding rule' })

const addressList = (slot: ListSlot<AddressRule>, noun: string) =>
  declareList<AddressRule>({
    slot,
    ids: { kind: 'uuid' },
    noun,
    // The type follows from the address (docs/behaviour/mail.md 4).
    fieldsOf: (body) => {
      const { type: _derived, ...fields } = body as Partial<NewAddressRule>
      return fields
    },
  })

export const allowedList = addressList(allowedRules, 'allowed address')
export const deniedList = addressList(deniedRules, 'denied address')

export const generalSettings = declareSettings<General>({
  slot: general,
  noun: 'general mail settings',
  problemsOf: (_config, settings) => domainProblems(settings),
})

export const trustedNetworkSettings = declareSettings<Static<typeof TrustedNetworks>>({
  slot: trustedNetworks,
  noun: 'trusted networks of mail',
  problemsOf: (_config, { postfix_mynetworks }) => networkProblems(postfix_mynetworks),
})

const outerDomain = (pair: string): string => pair.slice(0, pair.indexOf('|'))

/** A domain that is used twice as main, additional or relay domain, and a host name that is a relay domain. */
function domainProblems(settings: General): Problem[] {
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
      message: say`The domain ${name} is used twice. It can be the main domain, an additional domain or a relay domain.`,
    })),
    ...(isRelayed
      ? [{ field: 'mail_hostname', message: say`The host name must not be one of the relay domains.` }]
      : []),
  ]
}

/** A wider network would make the gateway an open relay (docs/behaviour/mail.md 3). */
const widestPrefix = 8

const networkProblems = (networks: readonly string[]): Problem[] =>
  networks.flatMap((text, index) => {
    const field = `postfix_mynetworks[${index}]`
    const network = parseNetwork(text)
    if (!network) return [{ field, message: say`${text} does not have a valid network mask.` }]
    return network.prefix < widestPrefix
      ? [
          {
            field,
            message: say`A trusted network must have a prefix of at least ${widestPrefix}: a wider one would let unauthenticated clients send mail.`,
          },
        ]
      : []
  })
