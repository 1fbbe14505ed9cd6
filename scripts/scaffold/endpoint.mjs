// A new endpoint of an area: a call that reads something, in files beside the others of the area.

import { Stop } from '../lib/terminal.mjs'
import { addAccess, addRoutes, createWriter, namesOf } from './files.mjs'

export function newEndpoint(area, name) {
  const { camel, pascal, snake, plain } = namesOf(name)
  const folder = `server/src/areas/${area}`
  const path = `/${namesOf(area).snake}/${snake}`
  const writer = createWriter()
  if (!writer.has(`${folder}/index.ts`)) throw new Stop(`There is no area ${area}.`)
  writer.create(
    `${folder}/contract-${name}.ts`,
    `// The ${plain} of this area.

import { endpoint } from '../../core/contract/endpoint.ts'
import { strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const ${pascal} = strictObject({ text: Type.String({ description: 'In words.' }) })

export const show${pascal} = endpoint({
  method: 'GET',
  path: '${path}',
  access: 'view',
  summary: 'Show the ${plain}',
  reply: ${pascal},
})
`,
  )
  writer.create(
    `${folder}/routes-${name}.ts`,
    `// Answers the ${plain} of this area.

import { handle, type Route } from '../../core/area/handle.ts'
import { show${pascal} } from './contract-${name}.ts'

export const ${camel}Routes: readonly Route[] = [handle(show${pascal}, () => ({ text: 'Nothing to report yet.' }))]
`,
  )
  addRoutes(writer, area, name, `show${pascal}`)
  addAccess(writer, [[`GET ${path}`, 'readers']])
  return { ...writer.finish(), next: 'npm run golden (docs/openapi.json), then docs/adding-an-endpoint.md.' }
}
