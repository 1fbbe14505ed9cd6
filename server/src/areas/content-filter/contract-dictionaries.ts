// Dictionaries of the morphological analysis (docs/behaviour/content-filter.md 4).

import type { Static } from 'typebox'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const largest = 2_147_483_648
/** Enough for the longest words, each character escaped. */
const bodyLimitBytes = 1024 * 1024

const Word = strictObject({
  value: text({ minLength: 1, maxLength: 50, description: 'A word or a phrase.' }),
  weight: Type.Integer({ minimum: 0, maximum: largest }),
})

const fields = {
  title: text({ minLength: 1, maxLength: 42 }),
  comment: Comment,
  enabled: Type.Boolean(),
  threshold: Type.Integer({
    minimum: 0,
    maximum: largest,
    description:
      'A page is blocked when the sum of the weights of the words found reaches it; with 0 any word with a weight blocks.',
  }),
  words: Type.Array(Word, { maxItems: 1_000 }),
}

/** As it is stored. */
export const Dictionary = strictObject({ id: Type.String(), ...fields })
export type Dictionary = Static<typeof Dictionary>

const ShownDictionary = strictObject({
  ...Dictionary.properties,
  read_only: Type.Boolean({ description: 'true: predefined, only enabled can be changed.' }),
  from_central_console: Type.Boolean({ description: 'true: created on the central console, read-only here.' }),
})
export type ShownDictionary = Static<typeof ShownDictionary>

const NewDictionary = strictObject({
  title: fields.title,
  comment: Type.Optional(fields.comment),
  enabled: Type.Optional(fields.enabled),
  read_only: Type.Optional(
    Type.Unsafe<false>({ type: 'boolean', enum: [false], 'x-fault': 'Only predefined dictionaries are read-only.' }),
  ),
  threshold: fields.threshold,
  words: fields.words,
})
export type NewDictionary = Static<typeof NewDictionary>

const DictionaryPatch = patchOf(strictObject(fields))
export type DictionaryPatch = Static<typeof DictionaryPatch>

const path = '/content-filter/morph_analysis_dicts'

const group = collectionEndpoints({
  path,
  title: 'dictionaries of the morphological analysis',
  item: 'a dictionary',
  idName: 'dict_id',
  change: 'firewall',
  fields: NewDictionary,
  patch: DictionaryPatch,
  shown: ShownDictionary,
})

export const dictionaries = {
  ...group,
  create: { ...group.create, bodyLimitBytes },
  update: {
    ...group.update,
    description: 'Any subset of the fields; only enabled for a predefined dictionary.',
    bodyLimitBytes,
  },
  download: endpoint({
    method: 'GET',
    path: `${path}/download/:dict_id`,
    access: 'view',
    summary: 'Download a dictionary as CSV',
    description: 'The first line is threshold;title;comment, then one line word;weight for each word.',
    reply: Type.String(),
    alsoReplies: ['text/csv'],
  }),
}
