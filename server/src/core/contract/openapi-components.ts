// What the operations of the OpenAPI document share: schemas with names and references in their place, and the
// parameters, bodies and responses that several operations have equally.

import type { Endpoint } from './endpoint.ts'
import type { JsonSchema as Schema } from './examples.ts'
import { bodyForm, commonNoun, itemName, nounOf, pascal, replyForm } from './openapi-names.ts'

/** Shorter schemas are repeated where they are used: a reference would not be shorter. */
const leastSharedLength = 90

type Form = (noun: string) => string

/** A body or a reply, or what a list of them holds. */
interface Use {
  readonly path: string
  readonly form: Form
}

/** Where a schema is: `use` for a body or reply, `parent` for a part of another schema. */
interface Place {
  readonly area: string
  readonly use?: Use
  readonly parent?: Seen
  /** Of the path, for a parameter. */
  readonly noun?: string
  /** From the name of what is around it. */
  readonly form: Form
  /** A field of an object or a parameter, not an item or an option. */
  readonly isField: boolean
}

/** One schema, wherever it is used: equal schemas share a name. */
interface Seen {
  readonly schema: Schema
  readonly first: Place
  readonly uses: Use[]
  readonly areas: Set<string>
  isNamed: boolean
}

export interface AreaEndpoint {
  readonly area: string
  readonly endpoint: Endpoint
}

/** Objects that are bodies or replies have a name, and so has what is long and used more than once. */
export class Schemas {
  /** By the text of the schema. */
  readonly #seen = new Map<string, Seen>()
  readonly #stems = new Map<Seen, string>()
  readonly #made = new Map<string, unknown>()

  /** All endpoints are read before a reference is made: what is shared is decided for the whole document. */
  constructor(endpoints: readonly AreaEndpoint[]) {
    for (const one of endpoints.toSorted(readsFirst)) this.#readEndpoint(one)
    const named = [...this.#seen.values()].filter(({ isNamed }) => isNamed).sort(firmestFirst)
    const taken = new Map<string, Seen>()
    for (const seen of named) {
      const stems = this.#stemsFor(seen)
      const stem = stems.find((free) => !taken.has(nameFrom(free, seen)))
      if (stem === undefined) throw new Error(collision(stems, seen, taken))
      taken.set(nameFrom(stem, seen), seen)
      this.#stems.set(seen, stem)
    }
  }

  /** The first one that gives a free name is taken. */
  #stemsFor(seen: Seen): readonly string[] {
    const { schema, uses, areas, first } = seen
    const [use] = uses
    if (schema.title !== undefined) return [schema.title]
    if (use) {
      const common = commonNoun(uses.map(({ path }) => path))
      return [...(common === null ? [] : [use.form(common)]), use.form(nounOf(use.path))]
    }
    // A field that several areas have means the same everywhere.
    return [...(areas.size > 1 && first.isField ? [first.form('')] : []), this.#stemOf(seen)]
  }

  /** What the name begins with, and the names of its parts. */
  #stemOf(seen: Seen): string {
    const { parent, use, noun = '', form } = seen.first
    const known = this.#stems.get(seen) ?? use?.form(nounOf(use.path))
    return known ?? form(parent ? this.#stemOf(parent) : noun)
  }

  #readEndpoint({ area, endpoint }: AreaEndpoint): void {
    const { path, body, reply, query } = endpoint
    const root = (schema: Schema | null, form: Form): void => {
      if (schema) this.#read(schema, { area, use: { path, form }, form: (noun) => noun, isField: false })
    }
    root(reply as Schema | null, replyForm(endpoint))
    root(body as Schema | null, bodyForm(endpoint))
    for (const [name, schema] of Object.entries(query.properties as Readonly<Record<string, Schema>>)) {
      this.#read(jsonValueOf(schema), { area, form: (noun) => noun + pascal(name), noun: nounOf(path), isField: true })
    }
  }

  #read(schema: Schema, place: Place): void {
    const text = JSON.stringify(schema)
    const known = this.#seen.get(text)
    const seen = known ?? { schema, first: place, uses: [], areas: new Set(), isNamed: schema.title !== undefined }
    seen.areas.add(place.area)
    if (place.use) seen.uses.push(place.use)
    seen.isNamed ||= place.use ? isObject(schema) : known !== undefined && text.length >= leastSharedLength
    if (known && !place.use) return
    this.#seen.set(text, seen)
    const { area, use } = place
    const part = (inner: Schema, form: Form, isField: boolean, itsUse?: Use): void =>
      this.#read(inner, { area, parent: seen, form, isField, ...(itsUse ? { use: itsUse } : {}) })
    if (schema.items) part(schema.items, use ? (noun) => noun : itemName, false, use)
    const options = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
    options.forEach((option, i) => {
      part(option, (noun) => (options.length > 1 ? `${noun}Form${i + 1}` : noun), false)
    })
    if (known) return
    for (const [field, inner] of Object.entries({ ...schema.properties, ...schema.patternProperties })) {
      part(inner, (noun) => noun + (pascal(field) || 'Entry'), true)
    }
  }

  /** The schema with references in place of what has a name. */
  refer(schema: Schema): unknown {
    const seen = this.#seen.get(JSON.stringify(schema))
    const stem = seen && this.#stems.get(seen)
    if (!seen || stem === undefined) return this.#inside(schema)
    const name = nameFrom(stem, seen)
    if (!this.#made.has(name)) {
      const { title: _name, ...rest } = schema
      this.#made.set(name, null) // Keeps the place, in the order of first use.
      this.#made.set(name, this.#inside(rest))
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  #inside(schema: Schema): unknown {
    const { items, anyOf, properties, patternProperties, ...rest } = schema
    const each = (parts: Readonly<Record<string, Schema>>) =>
      Object.fromEntries(Object.entries(parts).map(([name, inner]) => [name, this.refer(inner)]))
    return {
      ...rest,
      ...(items ? { items: this.refer(items) } : {}),
      ...(anyOf ? { anyOf: anyOf.map((option) => this.refer(option)) } : {}),
      ...(properties ? { properties: each(properties) } : {}),
      ...(patternProperties ? { patternProperties: each(patternProperties) } : {}),
    }
  }

  /** Those that were referred to. */
  all(): Record<string, unknown> {
    return Object.fromEntries(this.#made)
  }
}

/** What a list shows names the item; a single item and bodies come after it. */
const rank = ({ endpoint: { effect, params } }: AreaEndpoint): number =>
  effect === 'read' ? Math.min(params.length, 1) : 2
const readsFirst = (a: AreaEndpoint, b: AreaEndpoint): number => rank(a) - rank(b)

/** Titles are taken before names from paths, and those before names of parts. */
const firmness = ({ schema, uses }: Seen): number => (schema.title !== undefined ? 0 : uses.length > 0 ? 1 : 2)
const firmestFirst = (a: Seen, b: Seen): number => firmness(a) - firmness(b)

const isObject = ({ properties, patternProperties }: Schema): boolean =>
  properties !== undefined || patternProperties !== undefined

/** A list of bodies or replies is not called as its items are, nor is a value that may be null as the value. */
function nameFrom(stem: string, { schema: { type, anyOf }, uses }: Seen): string {
  if (uses.length > 0 && type === 'array') return `${stem}List`
  return anyOf?.some((option) => option.type === 'null') ? `${stem}OrNull` : stem
}

function collision(stems: readonly string[], seen: Seen, taken: ReadonlyMap<string, Seen>): string {
  const names = stems.map((stem) => nameFrom(stem, seen))
  const schemas = [...names.map((name) => taken.get(name)?.schema), seen.schema].map((schema) => JSON.stringify(schema))
  return `two schemas would be called ${names.join(' or ')}; give one a title:\n${schemas.join('\n')}`
}

/** A parameter that carries JSON text is described by the value it holds. */
export function jsonValueOf(schema: Schema): Schema {
  const { 'x-json-text': _isJson, ...value } = schema
  return value
}

type Kind = 'parameters' | 'requestBodies' | 'responses'

/** Something that operations may have equally, and what it would be called. */
export interface Shareable {
  readonly names: readonly string[]
  readonly value: unknown
}

/** Parameters, bodies or responses: one that several operations have equally becomes a component. */
export class SharedObjects {
  readonly #kind: Kind
  /** By the text of the value. */
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, unknown>()

  /** The first free one of the names is taken. */
  constructor(kind: Kind, all: readonly Shareable[]) {
    this.#kind = kind
    const seen = new Set<string>()
    for (const { names, value } of all) {
      const text = JSON.stringify(value)
      if (seen.has(text) && !this.#names.has(text)) {
        const name = names.find((free) => !this.#values.has(free))
        if (name === undefined) throw new Error(`two ${kind} would be called ${names.join(' or ')}: ${text}`)
        this.#names.set(text, name)
        this.#values.set(name, value)
      }
      seen.add(text)
    }
  }

  refer({ value }: Shareable): unknown {
    const name = this.#names.get(JSON.stringify(value))
    return name === undefined ? value : { $ref: `#/components/${this.#kind}/${name}` }
  }

  all(): Record<string, unknown> {
    return Object.fromEntries(this.#values)
  }
}
