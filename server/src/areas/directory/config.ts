// Stored domains and group synchronizations. How far a join has come is state of the machine and stands in jobs.ts;
// passwords of joining accounts are not stored at all.

import type { Static } from 'typebox'
import { strictObject } from '../../contract/fields.ts'
import { type Config, type ListSlot, list, read, single } from '../../model/slots.ts'
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

/** Slots of the two types as what they share; only removals and look-ups go through here. */
export const ad: DirectoryKind = { title: 'AD', domainType: 'ad', domains: adDomains, records: adGroupSettings }
export const ald: DirectoryKind = { title: 'ALD', domainType: 'ald', domains: aldDomains, records: aldGroupSettings }
export const directoryKinds: readonly DirectoryKind[] = [ad, ald]

const canonicalName = (domain: string): string => domain.toLowerCase()

/** Names of domains do not tell capitals from small letters. */
export const isSameDomain = (one: string, other: string): boolean => canonicalName(one) === canonicalName(other)

export const findDomain = (config: Config, kind: DirectoryKind, domainName: string): Domain | undefined =>
  read(config, kind.domains).find((domain) => isSameDomain(domain.name, domainName))
