// Whatever an administrator can change has a name in the history and the review, and leads to a page that is there.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { areas } from '../../../server/src/areas/index.ts'
import { labelOf } from '../../src/contract/words.ts'
import { pages } from '../../src/pages/index.ts'
import { storedKinds } from '../../src/util/stored-kinds.ts'
import { readEntries } from '../support/catalogs.ts'

it('every kind of stored object has a name, and there is none beside them', () => {
  const slots = areas.flatMap((area) => area.slots.map(({ key }) => key))
  assert.deepEqual(Object.keys(storedKinds).toSorted(), slots.toSorted())
})

it('every name leads to a page', () => {
  const paths = new Set(pages.map(({ path }) => path))
  const lost = Object.entries(storedKinds).filter(([, { path }]) => !paths.has(path))
  assert.deepEqual(lost, [])
})

it('every field that is stored has a word in Russian, also one that no page shows', () => {
  const known = new Set(readEntries('ru').map(({ text }) => text))
  const missing = areas.flatMap((area) =>
    area.slots.flatMap(({ key, schema }) =>
      Object.keys((schema as { properties?: object }).properties ?? {})
        .filter((field) => !known.has(labelOf(field)))
        .map((field) => `${key}.${field}`),
    ),
  )
  assert.deepEqual(missing, [])
})
