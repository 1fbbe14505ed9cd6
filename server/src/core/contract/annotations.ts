// What a schema says about a value beside its form: that it is a secret, names objects, is a time, has a unit or is long.
// Checks take no notice of it; OpenAPI publishes it and the console chooses widgets by it (docs/behaviour/annotations.md).

import type { TSchema } from 'typebox'

/** What an id can name: mostly the word that it begins with. `any` is the word itself. */
export type Kind =
  | 'any'
  | 'ip'
  | 'ip_range'
  | 'subnet'
  | 'domain'
  | 'address_list'
  | 'ip_address_list'
  | 'iplist'
  | 'list_of_iplists'
  | 'port'
  | 'port_range'
  | 'port_list'
  | 'time_range'
  | 'time_list'
  | 'zone'
  | 'interface'
  | 'aggregated'
  | 'card'
  | 'user'
  | 'group'
  | 'security_group'
  | 'hip_profile'
  | 'dpi_profile'
  | 'ips_profile'
  | 'application'
  | 'content_category'
  | 'waf_category'
  | 'access_list'
  | 'server_group'

/** Allowed in the address fields of rules beside `any` (docs/behaviour/objects.md 5). */
export const addressKinds = [
  'ip',
  'ip_range',
  'subnet',
  'domain',
  'address_list',
  'ip_address_list',
  'iplist',
  'list_of_iplists',
  'user',
  'group',
  'security_group',
] as readonly Kind[]
export const portKinds = ['port', 'port_range', 'port_list'] as const satisfies readonly Kind[]
export const timeKinds = ['time_range', 'time_list'] as const satisfies readonly Kind[]
export const interfaceKinds = ['interface', 'zone'] as const satisfies readonly Kind[]

/** `stamp` is the number YYYYMMDDhhmmss by the clock of the gateway, `unix` are seconds, `iso` is a text in UTC. */
export type TimeForm = 'stamp' | 'unix' | 'iso'

export type Unit =
  | 'microseconds'
  | 'seconds'
  | 'minutes'
  | 'days'
  | 'bytes'
  | 'megabytes'
  | 'mebibytes'
  | 'packets'
  | 'bytes_per_second'
  | 'packets_per_second'

export interface Annotations {
  /** Never shown, or as a mask; empty or the mask keeps what is stored. */
  readonly 'x-secret'?: true
  readonly 'x-refers'?: readonly Kind[]
  readonly 'x-time'?: TimeForm
  readonly 'x-unit'?: Unit
  /** A text of several lines, or a list of texts that are best edited one in a line. */
  readonly 'x-lines'?: true
  /** An address of which only the server is shown. */
  readonly 'x-hidden-path'?: true
}

const keywords = [
  'x-secret',
  'x-refers',
  'x-time',
  'x-unit',
  'x-lines',
  'x-hidden-path',
] as const satisfies readonly (keyof Annotations)[]

export const annotated = <T extends TSchema>(annotations: Annotations, schema: T): T => ({ ...annotations, ...schema })

export const secret = <T extends TSchema>(schema: T): T => annotated({ 'x-secret': true }, schema)

export const refers = <T extends TSchema>(kinds: readonly Kind[], schema: T): T =>
  annotated({ 'x-refers': kinds }, schema)

interface Nested extends Annotations {
  readonly items?: Nested
  readonly anyOf?: readonly Nested[]
}

/** Those of the value itself, of the entries of a list, and of the forms a value can have. */
export function annotationsOf(schema: object): Annotations {
  const { items, anyOf = [], ...own } = schema as Nested
  const inner = [...(items === undefined ? [] : [items]), ...anyOf].map(annotationsOf)
  const found = keywords.flatMap((name) => {
    const value = [own, ...inner].find((one) => one[name] !== undefined)?.[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}
