// What can be done to domains and group synchronizations. The account of a join never gets here.

import { GatewayError, invalid, notFound, refuse } from '../../contract/error.ts'
import { addItem, findItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { makeLocal } from '../users/public.ts'
import {
  adDomains,
  aldDomains,
  type DirectoryKind,
  type Domain,
  directoryKinds,
  findDomain,
  isSameDomain,
} from './config.ts'
import type { AdDomain, AdRejoin, NewAdDomain, NewAldDomain } from './contract.ts'
import type { GroupSettings, NewGroupSettings } from './contract-groups.ts'
import { recordProblems } from './verify.ts'

export function addAdDomain(config: Config, id: string, { password: _used, ...fields }: NewAdDomain): Config {
  refuseTakenName(config, fields.name)
  return addItem(config, adDomains, { ...fields, id })
}

export const rejoinAdDomain = (config: Config, current: AdDomain, { password: _used, ...fields }: AdRejoin): Config =>
  updateItem(config, adDomains, { ...current, ...fields })

export function addAldDomain(config: Config, id: string, fields: NewAldDomain): Config {
  refuseTakenName(config, fields.name)
  // `name@radius` signs in through RADIUS, so no domain may be called that.
  if (isSameDomain(fields.name, 'radius')) throw invalid('name', 'This name stands for RADIUS servers.')
  const { name, computer_name, dns_ips } = fields
  return addItem(config, aldDomains, { id, name, computer_name, dns_ips })
}

export const requireAdDomain = (config: Config, id: string): AdDomain => requireItem(config, adDomains, id, 'AD domain')

export function requireDomain(config: Config, kind: DirectoryKind, name: string): Domain {
  const domain = findDomain(config, kind, name)
  if (!domain) throw notFound(`${kind.title} domain ${name.slice(0, 80)}`)
  return domain
}

/** The group synchronizations of the domain go with it; its groups and users become local. */
export function removeDomain(config: Config, kind: DirectoryKind, domain: Domain): Config {
  const without = write(
    makeLocal(config, kind.domainType, domain.name),
    kind.domains,
    read(config, kind.domains).filter(({ id }) => id !== domain.id),
  )
  const records = read(config, kind.records)
  const rest = records.filter((record) => !isSameDomain(record.domain_name, domain.name))
  return rest.length === records.length ? without : write(without, kind.records, rest)
}

/** One name, one domain: administrators sign in as `name@domain`, whatever its type. */
function refuseTakenName(config: Config, name: string): void {
  const holder = directoryKinds.find((kind) => findDomain(config, kind, name))
  if (!holder) return
  const message = `There is an ${holder.title} domain ${name} already.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'name', message }] })
}

export function addRecord(config: Config, kind: DirectoryKind, id: number, fields: NewGroupSettings): Config {
  refuseRecord(config, kind, { ...fields, id })
  return addItem(config, kind.records, { ...fields, id })
}

export function replaceRecord(config: Config, kind: DirectoryKind, id: string, fields: NewGroupSettings): Config {
  const current = requireItem(config, kind.records, id, recordItem)
  refuseRecord(config, kind, { ...fields, id: current.id })
  return updateItem(config, kind.records, { ...fields, id: current.id })
}

/** By its own id or, as client programs do, by that of its group. */
export function removeRecord(config: Config, kind: DirectoryKind, id: string): Config {
  const records = read(config, kind.records)
  const found = findItem(config, kind.records, id) ?? records.find((record) => record.group_alias_id === id)
  if (!found) throw notFound(`${recordItem} with the id ${id.slice(0, 80)}`)
  return write(
    config,
    kind.records,
    records.filter((record) => record !== found),
  )
}

const recordItem = 'group synchronization'

function refuseRecord(config: Config, kind: DirectoryKind, record: GroupSettings): void {
  refuse(recordProblems(config, kind, record))
  const isTaken = directoryKinds.some((other) =>
    read(config, other.records).some(
      ({ id, group_alias_id }) => group_alias_id === record.group_alias_id && !(other === kind && id === record.id),
    ),
  )
  if (!isTaken) return
  const message = `The group ${record.group_alias_id} is synchronized already.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'group_alias_id', message }] })
}
