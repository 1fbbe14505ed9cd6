// Writing into the checkout: new files, which must not exist yet, and lines in files that are there.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../lib/paths.mjs'
import { Stop } from '../lib/terminal.mjs'

/** Collects what is to be written, so that nothing is written when one of the places is not as expected. */
export function createWriter() {
  const contents = new Map()
  const read = (file) => contents.get(file) ?? readFileSync(join(root, file), 'utf8')
  return {
    has: (file) => existsSync(join(root, file)),
    read,
    create(file, text) {
      if (existsSync(join(root, file))) throw new Stop(`${file} exists already.`)
      contents.set(file, text)
    },
    /** Puts `text` before the first place that matches. */
    insert(file, before, text) {
      const old = read(file)
      const at = old.search(before)
      if (at < 0) throw new Stop(`${file} has no place for the new line: ${before} was not found.`)
      contents.set(file, `${old.slice(0, at)}${text}${old.slice(at)}`)
    },
    /** Puts `text`, or what it makes of the match, in place of the first match. */
    replace(file, pattern, text) {
      const old = read(file)
      if (!pattern.test(old)) throw new Stop(`${file} is not as expected: ${pattern} was not found.`)
      contents.set(file, old.replace(pattern, typeof text === 'function' ? text : () => text))
    },
    /** Writes everything, or nothing when a file cannot be written. */
    finish() {
      const created = [...contents.keys()].filter((file) => !existsSync(join(root, file)))
      const undoing = []
      const undo = () => {
        for (const step of undoing.splice(0).reverse()) step()
      }
      try {
        for (const [file, text] of contents) undoing.push(...write(join(root, file), text))
      } catch (error) {
        undo()
        throw error
      }
      return { written: [...contents.keys()], created, undo }
    },
  }
}

/** Returns the steps that revert it. */
function write(path, text) {
  const steps = []
  const firstFolder = mkdirSync(dirname(path), { recursive: true })
  if (firstFolder !== undefined) steps.push(() => rmSync(firstFolder, { recursive: true }))
  const old = existsSync(path) ? readFileSync(path) : null
  steps.push(() => (old === null ? rmSync(path, { force: true }) : writeFileSync(path, old)))
  try {
    writeFileSync(path, text)
  } catch (error) {
    for (const step of steps.reverse()) step()
    throw error
  }
  return steps
}

/** Adds the routes of `routes-<name>.ts` and the endpoints of `contract-<name>.ts`, called `exported`, to an area. */
export function addRoutes(writer, area, name, exported) {
  const folder = `server/src/areas/${area}`
  const routes = `${namesOf(name).camel}Routes`
  writer.insert(`${folder}/contract.ts`, /$(?![\s\S])/, `\nexport { ${exported} } from './contract-${name}.ts'\n`)
  const index = `${folder}/index.ts`
  writer.insert(index, /^import /m, `import { ${routes} } from './routes-${name}.ts'\n`)
  if (/\broutes: \[/.test(writer.read(index))) writer.insert(index, /(?<=\broutes: \[)/, `...${routes}, `)
  else writer.replace(index, /\broutes(?=,? \}\)|,\n\}\))/, `routes: [...routes, ...${routes}]`)
}

/** Adds calls with their roles to the hand-written access table. */
export const addAccess = (writer, rows) =>
  writer.insert('server/test/contract/hand-written-access.ts', /^\}\n(?![\s\S])/m, accessRows(rows))

/** `valet-parking` as `valetParking`, `ValetParking`, `valet_parking` and `valet parking`. */
export function namesOf(name) {
  const words = name.split('-')
  const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`
  const pascal = words.map(capital).join('')
  return {
    camel: `${words[0]}${pascal.slice(words[0].length)}`,
    pascal,
    snake: words.join('_'),
    plain: words.join(' '),
  }
}

const accessRows = (rows) => rows.map(([call, roles]) => `  '${call}': ${roles},\n`).join('')
