// Markup in every text that a call stores and in every column of every log: what is in a browser afterwards must be text. Made from
// the contract, so that a new endpoint or a new column is covered by itself.

import type { TSchema } from 'typebox'
import { faultsOf } from '../../../server/src/core/validation/validate.ts'
import { type LogKindName, logKindNames, logKinds } from '../../../server/src/domain/logs/kinds.ts'
import type { NewRecord } from '../../../server/src/domain/logs/record.ts'
import { changingEndpoints } from '../../../server/test/contract/contract.ts'
import { type JsonSchema, sample, schemaOf } from '../../../server/test/contract/samples.ts'
import type { Client } from '../../../server/test/support/test-gateway.ts'

/** What it would make if it were not text: an element of this id, or this name in the window. */
export const hostileId = 'hostile'
export const hostileName = 'ran'

const element = `<b id=${hostileId}>`
const script = `<img src=x onerror=${hostileName}=1>`
/** The longest first; a field gets the first that it takes. */
const texts = [
  `${element}${script}"'\`><svg onload=${hostileName}=1><script>${hostileName}=1</script>{{${hostileName}=1}} javascript:${hostileName}=1`,
  `${element}${script}`,
  script,
  element,
  `=cmd|' /C'!A0${element}`,
]

/** Passwords and keys are shown nowhere, and what is secret has rules of its own. */
const isSecret = (schema: JsonSchema): boolean => 'writeOnly' in schema || 'x-secret' in schema

const fits = (schema: JsonSchema, value: unknown): boolean => faultsOf(schema as unknown as TSchema, value).length === 0

/** The value with markup in every text at `level` of the list above that takes it; those of `plain` stay samples. */
function hostileValue(schema: JsonSchema, level: number, plain: ReadonlySet<string>, field = ''): unknown {
  const usual = sample(schema, field)
  if (plain.has(field) || isSecret(schema)) return usual
  if (schema.type === 'object' && usual !== null && typeof usual === 'object') {
    return Object.fromEntries(
      Object.entries(usual).map(([name, value]) => {
        const inner = schema.properties?.[name]
        return [name, inner ? hostileValue(inner, level, plain, name) : value]
      }),
    )
  }
  if (schema.type === 'array' && schema.items?.type === 'string') {
    const [text] = texts.slice(level).filter((one) => fits(schema.items ?? {}, one))
    const list = text === undefined ? usual : [text]
    return fits(schema, list) ? list : usual
  }
  if (schema.type !== 'string' || schema.enum) return usual
  return texts.slice(level).find((text) => fits(schema, text)) ?? usual
}

export interface Seeded {
  /** `METHOD path` of calls that stored markup. */
  readonly calls: readonly string[]
  /** 5xx, which no text may cause. */
  readonly faults: readonly string[]
}

const hasMarkup = (value: unknown): boolean => JSON.stringify(value ?? '').includes('<')

/** Sends every call that stores something with markup in it; fields that are refused by name get a plain value. */
export async function seedHostile(client: Client, isLeftOut: (name: string) => boolean): Promise<Seeded> {
  const calls: string[] = []
  const faults: string[] = []
  for (const { method, path, body: schema, rawBodyType } of changingEndpoints) {
    const name = `${method} ${path}`
    if (!schema || rawBodyType !== null || isLeftOut(name)) continue
    const places = path.includes(':') ? ['1', 'ip.id.1', 'users.id.1'] : ['']
    for (const place of places) {
      const status = await send(client, method, path.replaceAll(/:[a-z_]+/g, place), schemaOf(schema))
      if (status >= 500 && status !== 503) faults.push(`${name}: ${status}`)
      if (status !== 200) continue
      calls.push(name)
      break
    }
  }
  return { calls, faults }
}

const tries = 8

/** The status of the first answer that is not 422; 0 when nothing with markup in it was sent. */
async function send(client: Client, method: string, path: string, schema: JsonSchema): Promise<number> {
  const plain = new Set<string>()
  let level = 0
  for (let attempt = 0; attempt < tries; attempt++) {
    const body = hostileValue(schema, level, plain)
    if (!hasMarkup(body)) return 0
    const answer = await client(method, path, body)
    if (answer.status !== 422 && answer.status !== 400) return answer.status
    const named = ((answer.body?.problems ?? []) as { readonly field: string }[]).map(
      ({ field }) => field.split(/[.[]/)[0] ?? '',
    )
    // A shorter text first, then none.
    if (level < texts.length - 1) level++
    else for (const field of named) plain.add(field)
    if (named.length === 0 && level >= texts.length - 1) return answer.status
  }
  return 422
}

/** A record of every kind with markup in every column that is not a number. */
export const hostileRecords = (now: number): NewRecord[] =>
  logKindNames.flatMap((kind: LogKindName) =>
    [0, 1].map((at) => ({
      kind,
      time: (now - at * 1_000) * 1000,
      priority: 3,
      unit: script,
      syslogId: element,
      message: texts[0] ?? '',
      fields: Object.fromEntries(
        logKinds[kind].columns.map(({ name, form }) => [name, form === 'number' ? 1 : known(name, at)]),
      ),
    })),
  )

/** Some columns are looked up or chosen by; a record of another value is on no page. One record has them, one has markup there too. */
const known = (name: string, at: number): string => {
  const usual: Readonly<Record<string, string>> = {
    source_ip: '10.10.0.66',
    destination_ip: '198.51.100.10',
    table: 'FWD',
    action: 'drop',
    module: 'ips',
    result: 'blocked',
    protocol: 'TCP',
    journal: 'yes',
    direction: 'to_server',
    scheme: 'https',
    method: 'GET',
  }
  // The number of a rule is asked about, and never comes from the network.
  if (name === 'rule_id') return '1'
  return (at === 0 ? usual[name] : undefined) ?? texts[1] ?? ''
}
