// A small area that exists only for tests: an ordered collection, a plain one and a setting, declared with the shared helpers and
// rendered into the ruleset, so that the helpers are tested independently of product areas.

import { defineArea } from '../../src/core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../src/core/area/routes.ts'
import { collectionEndpoints, orderedEndpoints, settingsEndpoints } from '../../src/core/contract/collections.ts'
import { Comment, strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { declareList } from '../../src/core/model/declarations.ts'
import { list, read, single } from '../../src/core/model/slots.ts'
import { say } from '../../src/shared/said.ts'

const fields = strictObject({ title: Type.String({ minLength: 1, maxLength: 42 }), comment: Comment })
const Note = strictObject({ id: Type.Integer(), ...fields.properties })
const NoteSettings = strictObject({ limit: Type.Integer({ minimum: 0, maximum: 1_000 }) })

export const notes = list('sample.notes', Note)
export const noteSettings = single('sample.settings', NoteSettings, { limit: 1_000 })

export const noteEndpoints = orderedEndpoints({
  path: '/sample/notes',
  title: 'notes',
  item: 'a note',
  idName: 'note_id',
  change: 'configure',
  fields,
  shown: Note,
})

const Label = strictObject({ id: Type.String(), ...fields.properties })
export const labels = list('sample.labels', Label)

export const labelEndpoints = collectionEndpoints({
  path: '/sample/labels',
  title: 'labels',
  item: 'a label',
  idName: 'label_id',
  change: 'configure',
  fields: strictObject({ title: fields.properties.title, comment: Type.Optional(Comment) }),
  shown: Label,
})

export const noteSettingsEndpoints = settingsEndpoints({
  path: '/sample/settings',
  title: 'note settings',
  schema: NoteSettings,
  change: 'configure',
})

const noteList = declareList({ slot: notes, noun: 'note', ids: { kind: 'number' } })
const labelList = declareList({ slot: labels, noun: 'label', ids: { kind: 'uuid' }, defaults: { comment: '' } })

export const sampleArea = defineArea({
  name: 'sample',
  slots: [notes, labels, noteSettings],
  lists: [noteList, labelList],
  verify: (config) => {
    const { limit } = read(config, noteSettings)
    const count = read(config, notes).length
    return count > limit
      ? [{ field: 'sample.notes', message: say`At most ${limit} notes are allowed; there would be ${count}.` }]
      : []
  },
  routes: [
    ...listRoutes(noteEndpoints, noteList),
    ...listRoutes(labelEndpoints, labelList),
    ...settingsRoutes(noteSettingsEndpoints, noteSettings),
  ],
})
