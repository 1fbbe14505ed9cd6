// The part of an engine's file that no plan decides is a text in the language of the engine, beside the half that root runs.
// Empty lines and those that begin with # are for people who read it, and are left out. What differs between machines is in double braces.

import { readRegular } from '../../shared/files/durable.ts'

/** A path of ours, a number or a fixed word: nothing that ends a word, a quotation or a line in any of these languages. */
const valueForm = /^[A-Za-z0-9_./+@:=-]{1,1000}$/

/** A list becomes words with a space between them. Throws when a name is missing or not used, or a value is of another form. */
export function fixedText(path: string, values: Readonly<Record<string, string | number | readonly string[]>>): string {
  const text = readRegular(path)?.toString()
  if (text === undefined) throw new Error(`The file ${path} of this program is missing.`)
  const used = new Set<string>()
  const filled = text.replaceAll(/^ *(?:#.*)?\n/gm, '').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    used.add(name)
    return [Object.hasOwn(values, name) ? (values[name] ?? '') : ''].flat().map(plain).join(' ')
  })
  const unused = Object.keys(values).filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`The file ${path} does not name ${unused.join(', ')}.`)
  return filled
}

function plain(value: string | number): string {
  if (!valueForm.test(`${value}`)) throw new Error(`not a value for a fixed text: ${JSON.stringify(value)}`)
  return `${value}`
}
