// Values made from schemas: one that fits, and every way in which a field can be wrong. New endpoints are covered by
// themselves; a pattern none of the known texts fits fails loudly and wants a line in `texts`.

import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import type { JsonSchema } from '../../src/core/contract/examples.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import { exceptions } from '../support/exceptions.ts'

export type { JsonSchema }

export const schemaOf = (schema: TSchema): JsonSchema => schema as unknown as JsonSchema

/** Of an authority that issued itself. */
const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIByDCCAW6gAwIBAgIQH3FX/vAOu99pLhkMfTd3DjAKBggqhkjOPQQDAjAgMR4w',
  'HAYDVQQDDBVHYXRld2F5IHJvb3QgMTg5ODExZTQwHhcNMjUxMjMxMDAwMDAwWhcN',
  'MzUxMjMwMDAwMDAwWjAgMR4wHAYDVQQDDBVHYXRld2F5IHJvb3QgMTg5ODExZTQw',
  'WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATq1V7mLg8jr+evfmhIfgt00vxUmrsN',
  'bvItASYOJjhYuJNklic5JcN65cHAHUU9Eo8BVdF0vVNrAFmZ1Fd1JFaSo4GJMIGG',
  'MBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBQY',
  'mBHkWFvae1frQXpXuykNjASIxDAfBgNVHSMEGDAWgBQYmBHkWFvae1frQXpXuykN',
  'jASIxDAgBgNVHR4BAf8EFjAUoBIwEIIOc2FtcGxlLmV4YW1wbGUwCgYIKoZIzj0E',
  'AwIDSAAwRQIgC0r+u0O9HqgXigXnQ/zbSUMGrd011/Ri+d9f3fXD4jUCIQC8cOJB',
  'jFrUm6axUdZGR4mwrj/84nfJuPL/ee3o6tQpZg==',
  '-----END CERTIFICATE-----',
].join('\n')

/** Texts to try where a pattern must be met. */
const texts = [
  '/rest',
  '10.0.0.1',
  '192.168.0.0/24',
  '02:00:00:00:00:01',
  'gateway.example',
  '1',
  '08:00',
  'ip.id.1',
  'zone.id.1',
  'interface.id.1',
  // A recovery key.
  '01234567-01234567-01234567-01234567-01234567-01234567-01234567-01234567',
  'id.l7.dns',
  'users.id.1',
  'group.id.1',
  'f3ffde22-a562-4f43-ac04-c40fcec6a88c',
  'security_group.guid.6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  '+12025550123',
  'anna@gateway.example',
  'https://provider.example/send',
  'Your code is {code}.',
  '#1f6feb',
  certificate,
]

/** Fields whose form a handler checks. */
const knownFields: Readonly<Record<string, unknown>> = {
  sources: ['any'],
  objects: ['any'],
  rest_path: '/rest',
  rule: 'alert tcp any any -> any any (msg:"sample"; sid:1;)',
  source_addresses: ['any'],
  source_ports: ['any'],
  destination_addresses: ['any'],
  destination_ports: ['any'],
  timetable: ['any'],
  destinations: ['any'],
  incoming_interface: 'interface.external_any',
  outgoing_interface: 'any',
  change_destination_address: null,
  change_destination_port: null,
  change_source_address: null,
  redirect_url: null,
  dpi_enabled: false,
  dpi_profile: '',
  ips_profile: '__DEFAULT_IPS_PROFILE_ID__',
  aliases: ['group.id.1'],
  body: {},
}

exceptions('fields with a fixed sample', Object.keys(knownFields))

/** Letters and digits that differ from field to field, so that no password contains the login beside it. */
export const filler = (length: number, field = ''): string =>
  createHash('sha512')
    .update(field)
    .digest('hex')
    .repeat(Math.ceil(length / 128))
    .slice(0, length)

const fits = (schema: JsonSchema, value: unknown): boolean => faultsOf(schema as unknown as TSchema, value).length === 0

export function sample(schema: JsonSchema, field = ''): unknown {
  if (field in knownFields) return knownFields[field]
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf[0] ?? {}, field)
  if (schema.type === undefined) return null
  switch (schema.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}, field))
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([, inner]) => !('x-synonym-of' in inner || 'x-neutral' in inner))
          .map(([name, inner]) => [name, sample(inner, name)]),
      )
    case 'string': {
      const made = [filler(Math.max(schema.minLength ?? 0, Math.min(12, schema.maxLength ?? 12)), field), ...texts]
      const found = made.find((text) => fits(schema, text))
      if (found === undefined) throw new Error(`no sample fits ${JSON.stringify(schema)}`)
      return found
    }
    default:
      throw new Error(`no sample for ${JSON.stringify(schema)}`)
  }
}

export interface Faulty {
  readonly title: string
  readonly body: unknown
  /** How the fault must be named. */
  readonly field: string
}

/** Replaces what lies at `path` of a value that fits. */
type Place = (value: unknown) => unknown

const strangers: readonly unknown[] = [null, 'text', 12.5, -1, true, [], {}, [null], { a: 1 }, '', 'true', '1']
/** By day a field gets every third of them, and the next field the next ones. */
const shareOfStrangers = process.env.PORTCULLIS_NIGHTLY === '1' ? 1 : 3
const turnOf = (field: string): number => createHash('sha512').update(field).digest()[0] ?? 0

/** Every single fault of every field, at any depth. */
export function faultyBodies(schema: JsonSchema): Faulty[] {
  return [
    ...wrongTypes(schema, 'body', (value) => value),
    ...objectFaults(schema, '', (value) => value),
    { title: 'unknown field', body: { ...(sample(schema) as object), not_a_field: 1 }, field: 'not_a_field' },
  ]
}

function objectFaults(schema: JsonSchema, prefix: string, place: Place): Faulty[] {
  const whole = sample(schema) as Record<string, unknown>
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const field = prefix + name
    const at: Place = (value) => place({ ...whole, [name]: value })
    const { [name]: _left, ...rest } = whole
    const missing = schema.required?.includes(name) ? [{ title: 'missing', body: place(rest), field }] : []
    return [...missing, ...fieldFaults(inner, field, at)]
  })
}

function fieldFaults(schema: JsonSchema, field: string, at: Place): Faulty[] {
  const kind = schema.anyOf?.find((option) => option.type !== 'null') ?? schema
  const nested = kind.type === 'object' ? objectFaults(kind, `${field}.`, at) : []
  const items = kind.items ? fieldFaults(kind.items, `${field}[0]`, (value) => at([value])) : []
  return [...wrongTypes(schema, field, at), ...limits(kind, field, at), ...nested, ...items]
}

function wrongTypes(schema: JsonSchema, field: string, at: Place): Faulty[] {
  const wrong = strangers.filter((value) => !fits(schema, value) && isForeign(schema, value))
  const chosen = wrong.filter((_, index) => (index + turnOf(field)) % shareOfStrangers === 0)
  return chosen.map((value) => ({ title: JSON.stringify(value), body: at(value), field }))
}

/** Right type, wrong content is named deeper down; here the value as a whole must be wrong. */
function isForeign(schema: JsonSchema, value: unknown): boolean {
  const types = (schema.anyOf ?? [schema]).map((option) => option.type)
  if (Array.isArray(value)) return !types.includes('array')
  if (typeof value === 'object' && value !== null) return !types.includes('object')
  return true
}

function limits(schema: JsonSchema, field: string, at: Place): Faulty[] {
  const { minLength = 0, maxLength, minimum, maximum } = schema
  const lengths = [
    ...(minLength > 0 && !schema.enum ? [minLength - 1] : []),
    ...(maxLength === undefined ? [] : [maxLength + 1]),
  ]
  const numbers = [...(minimum === undefined ? [] : [minimum - 1]), ...(maximum === undefined ? [] : [maximum + 1])]
  return [
    ...lengths.map((length) => ({ title: `${length} characters`, body: at(filler(length, field)), field })),
    ...numbers.map((number) => ({ title: String(number), body: at(number), field })),
  ]
}

/** Bodies at the very edge of what fits: shortest and longest texts, smallest and largest numbers. */
export function edgeBodies(schema: JsonSchema): { title: string; body: unknown; field: string }[] {
  const whole = sample(schema) as Record<string, unknown>
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const kind = inner.anyOf?.[0] ?? inner
    if (kind.enum)
      return kind.enum.map((value) => ({ title: String(value), body: { ...whole, [name]: value }, field: name }))
    const values = [
      ...[kind.minLength, kind.maxLength].flatMap((length) => (length === undefined ? [] : [filler(length, name)])),
      ...[kind.minimum, kind.maximum].flatMap((number) => (number === undefined ? [] : [number])),
    ]
    return values
      .filter((value) => fits(kind, value))
      .map((value) => ({ title: `${String(value).length} long`, body: { ...whole, [name]: value }, field: name }))
  })
}
