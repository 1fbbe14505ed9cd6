// A new endpoint of an area: a call that reads something, in files beside the others of the area.

import { Stop } from '../lib/terminal.mjs'
import { accessRows, createWriter, namesOf } from './files.mjs'

export function newEndpoint(area, name) {
  const { camel, pascal, snake, plain } = namesOf(name)
  const folder = `server/src/areas/${area}`
  const path = `/${namesOf(area).snake}/${snake}`
  const writer = createWriter()
  if (!writer.has(`${folder}/index.ts`)) throw new Stop(`There is no area ${area}.`)
  writer.create(
    `${folder}/contract-${name}.ts`,
    `// The ${plain} of this area.

import { endpoint } from '../../contract/endpoint.ts'
import { strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

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

import { handle, type Route } from '../../http/handle.ts'
import { show${pascal} } from './contract-${name}.ts'

export const ${camel}Routes: readonly Route[] = [handle(show${pascal}, () => ({ text: 'Nothing to report yet.' }))]
`,
  )
  writer.insert(`${folder}/contract.ts`, /$(?![\s\S])/, `\nexport { show${pascal} } from './contract-${name}.ts'\n`)
  const index = `${folder}/index.ts`
  writer.insert(index, /^import /m, `import { ${camel}Routes } from './routes-${name}.ts'\n`)
  if (/\broutes: \[/.test(writer.read(index))) writer.insert(index, /(?<=\broutes: \[)/, `...${camel}Routes, `)
  else writer.replace(index, /\broutes(?=,? \}\)|,\n\}\))/, `routes: [...routes, ...${camel}Routes]`)
  writer.insert(
    'server/test/contract/access-table.test.ts',
    /^\}\n\nconst sorted/m,
    accessRows([[`GET ${path}`, 'readers']]),
  )
  return { written: writer.finish(), next: 'npm run golden (docs/openapi.json), then docs/adding-an-endpoint.md.' }
}
