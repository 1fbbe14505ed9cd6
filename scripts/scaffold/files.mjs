// Writing into the checkout: new files, which must not exist yet, and lines in files that are there.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
    /** Puts `text` in place of the first match. */
    replace(file, pattern, text) {
      const old = read(file)
      if (!pattern.test(old)) throw new Stop(`${file} is not as expected: ${pattern} was not found.`)
      contents.set(
        file,
        old.replace(pattern, () => text),
      )
    },
    finish() {
      for (const [file, text] of contents) {
        mkdirSync(dirname(join(root, file)), { recursive: true })
        writeFileSync(join(root, file), text)
      }
      return [...contents.keys()]
    },
  }
}

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

/** A row of the hand-written access table. */
export const accessRows = (rows) => rows.map(([call, roles]) => `  '${call}': ${roles},\n`).join('')
