// The shared vocabulary of fields. A field used by two areas is defined here once, with its limits and the text
// the administrator reads when a value does not fit.

import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox'
import { type SaidText, say } from '../../shared/said.ts'
import type { Annotations } from './annotations.ts'
import { Type } from './schema.ts'

/**
 * Control characters, line separators and lone surrogates never enter the configuration as text: they could
 * end a line in a daemon's file or a log (docs/behaviour/security.md 24).
 */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$'

export interface TextLimits extends Annotations {
  readonly minLength?: number
  readonly maxLength: number
  readonly description?: string
}

/** Free text of an administrator. Lengths count characters (code points), not bytes. */
export const text = (limits: TextLimits) => Type.String({ pattern: plainText, ...limits })

/** One of a few fixed words. */
export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** The group of the central console that holds what belongs to this gateway alone. */
export const rootGroup = 'f3ffde22-a562-4f43-ac04-c40fcec6a88c'

/** An object that refuses fields it does not know. */
export const strictObject = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description === undefined ? {} : { description }) })

/** The name of a schema in the OpenAPI document, where the one from the path of its endpoint does not say what it is. */
export const named = <T extends TSchema>(title: string, schema: T): T => ({ title, ...schema })

/** Any subset of the fields, still refusing unknown ones; bare Type.Partial would lose that. */
export const patchOf = <T extends TObject>(schema: T): PatchOf<T> =>
  Type.Unsafe<Partial<Static<T>>>({ ...patchTitle(schema), ...Type.Partial(schema), additionalProperties: false })

function patchTitle(schema: TSchema): { readonly title?: string } {
  const { title } = schema as { readonly title?: string }
  return title === undefined ? {} : { title: `${title.replace(/^New(?=[A-Z])/, '')}Patch` }
}

export type PatchOf<T extends TObject> = TUnsafe<Partial<Static<T>>>

export const Comment = text({ maxLength: 255, description: 'Free text, may be empty.' })

export const Enabled = named('Enabled', strictObject({ enabled: Type.Boolean() }))

export const CreatedString = named('CreatedString', strictObject({ id: Type.String() }))
export const CreatedInteger = named('CreatedInteger', strictObject({ id: Type.Integer() }))

/** What an administrator is told: made with `say`, so that it comes with its code. */
export const saidText = (options: { readonly description?: string } = {}): TUnsafe<SaidText> =>
  Type.Unsafe<SaidText>(Type.String(options))

export const statusValues = ['active', 'activating', 'deactivating', 'failed', 'inactive', 'reloading'] as const

export const StatusItem = named(
  'StatusItem',
  strictObject({
    name: Type.String({ description: 'Daemon, service or module.' }),
    status: oneOf(statusValues),
    msg: Type.Array(saidText(), { description: 'Messages that explain the state; may be empty.' }),
  }),
)
export type StatusItem = Static<typeof StatusItem>

/** What a client shows in another way than its status says. Not part of a status alone, whose form is fixed. */
export const statusCodes = ['stored_only', 'unreadable'] as const

/** A sentence with its code and values: what a client shows in another language is looked up by the code or the text. */
export const SpokenSentence = named(
  'Sentence',
  strictObject({
    message: Type.String({ description: 'The sentence in English, as the answer has it.' }),
    code: Type.String({ description: 'The same whatever the values are.' }),
    text: Type.String({ description: 'The English text, with {0} or a name in braces in the place of each value.' }),
    values: Type.Array(Type.String(), {
      description: 'In the order of their places. A value that is a sentence is listed too, by its message.',
    }),
  }),
)

export const Spoken = Type.Array(SpokenSentence, {
  description: 'What the messages consist of, to be shown in another language. What a program said is not listed.',
})

export const CodedStatusItem = named(
  'CodedStatusItem',
  strictObject({
    ...StatusItem.properties,
    code: nullable(
      oneOf(statusCodes, 'stored_only: what is stored is not applied; unreadable: the status could not be read.'),
    ),
    sentences: Type.Optional(Spoken),
  }),
)
export type CodedStatusItem = Static<typeof CodedStatusItem>

/** Messages of that kind begin with this word, whatever the reason, and no others do. */
export const isStoredOnly = ({ msg }: Pick<StatusItem, 'msg'>): boolean => msg.some((text) => /^Stored\b/.test(text))

/** The message of a status where the data plane applies nothing; `limitation` says why it does not. */
export const storedOnly = (limitation: string): SaidText => say`Stored and checked, not applied: ${limitation}`

/**
 * A query parameter that carries JSON text, such as columns=["id","name"]. The schema describes the parsed
 * value; the HTTP layer parses before it checks.
 */
export const jsonQuery = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ ...schema, 'x-json-text': true })

/** format_type and columns of the lists that are also served as CSV. */
export const tableQuery = <const T extends readonly string[]>(columns: T) =>
  strictObject({
    format_type: Type.Optional(oneOf(['JSON', 'CSV'], 'Form of the answer; JSON when absent.')),
    columns: Type.Optional(
      jsonQuery(
        Type.Array(oneOf(columns), { description: 'Columns of the CSV form, in this order; empty means all.' }),
      ),
    ),
  })

/** The position of a new item in an ordered list. */
export const placementQuery = <T extends TSchema>(id: T) =>
  strictObject({
    anchor_item_id: Type.Optional(id),
    insert_after: Type.Optional(
      Type.Boolean({ description: 'true or absent: right after the anchor; false: at its place.' }),
    ),
  })

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
}

/** What a reply, a diff or a log shows in place of a secret. */
/** What is shown instead of the path and query of an address, which often are a credential. */
export const hiddenPath = '/***'

export const secretMask = '***'
