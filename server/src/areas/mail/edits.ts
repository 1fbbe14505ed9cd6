// What can be done to the mail settings. Keys are made and files are sealed before; these get the sealed values.

import type { Static } from 'typebox'
import { GatewayError, invalid, refuse } from '../../contract/error.ts'
import { addItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Sealed } from '../../model/secret.ts'
import { type Config, type ListSlot, read, write } from '../../model/slots.ts'
import {
  chosenDisk,
  filterLicence,
  filterState,
  general,
  type SigningKey,
  signingKey,
  state,
  trustedNetworks,
} from './config.ts'
import type { General, TrustedNetworks } from './contract.ts'
import type { AddressRule, NewAddressRule, ShownAddressRule } from './contract-rules.ts'
import { domainProblems, networkProblems } from './verify.ts'

export const ruleItem = 'rule'

/** `made` becomes the signing key when mail gets its first domain. */
export function updateGeneral(config: Config, patch: Partial<General>, made: SigningKey | null): Config {
  const settings = { ...read(config, general), ...patch }
  refuse(domainProblems(settings))
  const next = write(config, general, settings)
  return needsSigningKey(next) && made ? write(next, signingKey, { key: made }) : next
}

export const ownDomains = ({ mail_domain, mail_additional_domains }: General): readonly string[] => [
  ...(mail_domain === null ? [] : [mail_domain]),
  ...mail_additional_domains,
]

const needsSigningKey = (config: Config): boolean =>
  read(config, signingKey).key === null && ownDomains(read(config, general)).length > 0

/** Whether this change would be the first one that needs the key, which takes a moment to make. */
export const willNeedSigningKey = (config: Config, patch: Partial<General>): boolean =>
  needsSigningKey(write(config, general, { ...read(config, general), ...patch }))

export function replaceTrustedNetworks(config: Config, networks: Static<typeof TrustedNetworks>): Config {
  refuse(networkProblems(networks.postfix_mynetworks))
  return write(config, trustedNetworks, networks)
}

/** `disk` is what the machine has under the id, if it has it. */
export function connectDisk(config: Config, disk: { readonly id: string; readonly title: string } | undefined): Config {
  if (!read(config, state).enabled) {
    throw new GatewayError('conflict', 'Switch the mail server on before connecting a disk.')
  }
  if (!disk) throw invalid('id', 'There is no free disk with this id.')
  const current = read(config, chosenDisk).disk
  if (current && current.id !== disk.id) {
    throw new GatewayError('conflict', `The disk "${current.title}" is connected. Disconnect it first.`)
  }
  return write(config, chosenDisk, { disk: { id: disk.id, title: disk.title } })
}

export function uploadLicence(config: Config, file: Sealed): Config {
  if (!read(config, filterState).enabled) {
    throw new GatewayError('conflict', 'Switch the antispam and antivirus engine on before uploading its licence.')
  }
  return write(config, filterLicence, { file })
}

export const addAddressRule = (
  config: Config,
  slot: ListSlot<AddressRule>,
  id: string,
  { address, comment }: NewAddressRule,
): Config => addItem(config, slot, { id, address, comment })

export function updateAddressRule(
  config: Config,
  slot: ListSlot<AddressRule>,
  id: string,
  { type: _, ...patch }: Partial<NewAddressRule>,
): Config {
  return updateItem(config, slot, { ...requireItem(config, slot, id, ruleItem), ...patch })
}

/** With the type that follows from the address; a mail address has an @, and only an IP address ends with a digit group. */
export const showAddressRule = (rule: AddressRule): ShownAddressRule => ({
  ...rule,
  type: rule.address.includes('@') ? 3 : /\.\d+$/.test(rule.address) ? 2 : 1,
})
