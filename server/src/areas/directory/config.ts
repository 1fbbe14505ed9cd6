// Stored domains and group synchronizations. How far a join has come is state of the machine and is kept in jobs.ts;
// passwords of joining accounts are not stored at all.

import type { Static } from 'typebox'
import { strictObject } from '../../core/contract/fields.ts'
import { type Config, type ListSlot, list, read, single } from '../../core/model/slots.ts'
import { AdDomain, AdSettings, AldDomain, ImportSettings } from './contract.ts'
import { GroupSettings } from './contract-groups.ts'

const { id, name, computer_name, dns_ips } = AldDomain.properties
const StoredAldDomain = strictObject({ id, name, computer_name, dns_ips })
export type StoredAldDomain = Static<typeof StoredAldDomain>

export const adDomains = list('directory.ad_domains', AdDomain)
export const aldDomains = list('directory.ald_domains', StoredAldDomain)
export const adGroupSettings = list('directory.ad_group_settings', GroupSettings)
export const aldGroupSettings = list('directory.ald_group_settings', GroupSettings)
export const adSettings = single('directory.ad_settings', AdSettings, { authorization_by_logs: false })
export const importSettings = single('directory.import_settings', ImportSettings, { compatibility_mode: false })

/** What both types of domain have. */
export interface Domain {
  readonly id: string
  readonly name: string
}

export interface DirectoryKind {
  readonly title: 'AD' | 'ALD'
  /** What its users and groups have as `domain_type`. */
  readonly domainType: 'ad' | 'ald'
  readonly domains: ListSlot<Domain>
  readonly records: ListSlot<GroupSettings>
}

/** The slots of the two types as what they share; only look-ups go through here. */
export const ad: DirectoryKind = { title: 'AD', domainType: 'ad', domains: adDomains, records: adGroupSettings }
export const ald: DirectoryKind = { title: 'ALD', domainType: 'ald', domains: aldDomains, records: aldGroupSettings }

const canonicalName = (domain: string): string => domain.toLowerCase()

/** Domain names are not case-sensitive. */
export const isSameDomain = (one: string, other: string): boolean => canonicalName(one) === canonicalName(other)

/** How group synchronizations mention a domain, which they name and do not number. */
export const domainMention = ({ domainType }: DirectoryKind, domainName: string): string =>
  `domain.${domainType}.${canonicalName(domainName)}`

export const findDomain = (config: Config, kind: DirectoryKind, domainName: string): Domain | undefined =>
  read(config, kind.domains).find((domain) => isSameDomain(domain.name, domainName))
