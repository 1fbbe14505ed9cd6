// What can be done to the mail settings. The caller makes keys and seals files; these get the sealed values.

import { GatewayError, invalid } from '../../core/contract/error.ts'
import { updateSettings } from '../../core/model/lists.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { chosenDisk, filterLicence, filterState, general, type SigningKey, signingKey, state } from './config.ts'
import type { General } from './contract.ts'
import type { AddressRule, ShownAddressRule } from './contract-rules.ts'
import { generalSettings } from './lists.ts'

/** `made` becomes the signing key when mail gets its first domain. */
export function updateGeneral(config: Config, patch: Partial<General>, made: SigningKey | null): Config {
  const next = updateSettings(config, generalSettings, patch)
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

/** `disk` is what the machine has under this id, if anything. */
export function connectDisk(config: Config, disk: { readonly id: string; readonly title: string } | undefined): Config {
  if (!read(config, state).enabled) {
    throw new GatewayError('conflict', say`The mail server is disabled. Enable it before connecting a disk.`)
  }
  if (!disk) throw invalid('id', say`There is no free disk with this id. List the disks to see which are free.`)
  const current = read(config, chosenDisk).disk
  if (current && current.id !== disk.id) {
    throw new GatewayError('conflict', say`The disk "${current.title}" is connected. Disconnect it first.`)
  }
  return write(config, chosenDisk, { disk: { id: disk.id, title: disk.title } })
}

export function uploadLicence(config: Config, file: Sealed): Config {
  if (!read(config, filterState).enabled) {
    throw new GatewayError(
      'conflict',
      say`The antispam and antivirus engine is disabled. Enable it before uploading its licence.`,
    )
  }
  return write(config, filterLicence, { file })
}

/** With the type derived from the address: a mail address has an @, and only an IP address ends with a group of digits. */
export const showAddressRule = (rule: AddressRule): ShownAddressRule => ({
  ...rule,
  type: rule.address.includes('@') ? 3 : /\.\d+$/.test(rule.address) ? 2 : 1,
})
