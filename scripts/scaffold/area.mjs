// A new area: settings that can be switched, and an ordered list whose titles are unique.

import { addAccess, createWriter, namesOf } from './files.mjs'

export function newArea(name) {
  const { camel, snake, plain } = namesOf(name)
  const folder = `server/src/areas/${name}`
  const writer = createWriter()
  writer.create(
    `${folder}/index.ts`,
    `// The area of ${plain}: its settings and its entries. Nothing is applied yet.

import { defineArea } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { slots, state } from './config.ts'
import * as contract from './contract.ts'
import { entryList } from './lists.ts'

export const ${camel} = defineArea({
  name: '${name}',
  slots,
  lists: [entryList],
  routes: [...settingsRoutes(contract.state, state), ...listRoutes(contract.entries, entryList)],
})
`,
  )
  writer.create(
    `${folder}/config.ts`,
    `// What is stored of ${plain}. Off until it is switched on. The keys of slots never change once released.

import { Enabled } from '../../core/contract/fields.ts'
import { list, single } from '../../core/model/slots.ts'
import { Entry } from './contract.ts'

export const state = single('${snake}.state', Enabled, { enabled: false })
export const entries = list('${snake}.entries', Entry)

export const slots = [state, entries]
`,
  )
  writer.create(
    `${folder}/contract.ts`,
    `// The interface of ${plain} (docs/behaviour/${name}.md).

import type { Static } from 'typebox'
import { orderedEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { Comment, Enabled, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const fields = { title: text({ minLength: 1, maxLength: 42 }), enabled: Type.Boolean(), comment: Comment }

export const Entry = strictObject({ id: Type.Integer(), ...fields })
export type Entry = Static<typeof Entry>

export const state = settingsEndpoints({
  path: '/${snake}/state',
  title: 'state of ${plain}',
  schema: Enabled,
  change: 'configure',
})

export const entries = orderedEndpoints({
  path: '/${snake}/entries',
  title: 'entries of ${plain}',
  item: 'an entry of ${plain}',
  idName: 'entry_id',
  change: 'configure',
  fields: strictObject(fields),
  shown: Entry,
})
`,
  )
  writer.create(
    `${folder}/lists.ts`,
    `// The list of entries: what must hold of an entry beyond the form of its fields.

import { declareList } from '../../core/model/declarations.ts'
import { say } from '../../shared/said.ts'
import { entries } from './config.ts'

export const entryList = declareList({
  slot: entries,
  noun: 'entry of ${plain}',
  ids: { kind: 'number' },
  nameOf: ({ title }) => \`entry of ${plain} "\${title}"\`,
  unique: [
    {
      field: 'title',
      keyOf: ({ title }) => title,
      messageOf: ({ title }) => say\`Another \${'entry'} has the name \${title}.\`,
    },
  ],
})
`,
  )
  writer.create(
    `${folder}/lists.test.ts`,
    `// What holds of entries, whichever way they got into the configuration.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { entries } from './config.ts'
import { ${camel} } from './index.ts'

const entry = (id: number, title: string) => ({ id, title, enabled: true, comment: '' })

it('two entries cannot have one title', () => {
  const verify = (...items: object[]) => ${camel}.verify?.({ [entries.key]: items })
  assert.deepEqual(verify(entry(1, 'a'), entry(2, 'b')), [])
  assert.deepEqual(
    verify(entry(1, 'a'), entry(2, 'a'))?.map(({ field }) => field),
    ['${snake}.entries[2].title'],
  )
})
`,
  )
  writer.create(
    `docs/behaviour/${name}.md`,
    `# ${plain[0].toUpperCase()}${plain.slice(1)}

The facts that the area \`${name}\` relies on.

## 1. Entries

Titles are unique. Entries are in the order that administrators give them.
`,
  )
  writer.insert('server/src/areas/index.ts', /^import \{ users/m, `import { ${camel} } from './${name}/index.ts'\n`)
  writer.insert('server/src/areas/index.ts', /^\]\n/m, `  ${camel},\n`)
  const contracts = 'server/src/tools/cli/contract/contracts.ts'
  writer.insert(contracts, /^import \* as users/m, `import * as ${camel} from '../../../areas/${name}/contract.ts'\n`)
  writer.insert(contracts, /^\}\n/m, `  '${name}': ${camel},\n`)
  const path = `/${snake}`
  addAccess(writer, [
    [`GET ${path}/state`, 'readers'],
    [`PATCH ${path}/state`, "'W'"],
    [`GET ${path}/entries`, 'readers'],
    [`POST ${path}/entries`, "'W'"],
    [`PATCH ${path}/entries/move`, "'W'"],
    [`PATCH ${path}/entries/:entry_id`, "'W'"],
    [`DELETE ${path}/entries/:entry_id`, "'W'"],
  ])
  // No release has stored these slots yet.
  writer.replace('server/test/durability/released.test.ts', /(?<=^const newerThan\b.*= )\{[^}]*\}/m, (releases) =>
    releases.replaceAll(/,?\s*\]/g, (_, at) => {
      const isEmpty = releases.slice(0, at).trimEnd().endsWith('[')
      return `${isEmpty ? '' : ', '}'${snake}.state', '${snake}.entries']`
    }),
  )
  return { ...writer.finish(), next: 'npm run golden (docs/openapi.json), then docs/adding-an-area.md.' }
}
