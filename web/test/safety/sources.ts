// The source files of the console as the safety tests read them.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const repository = join(import.meta.dirname, '..', '..', '..')
export const source = join(repository, 'web', 'src')

/** The reference of the interface is plain JavaScript with tests of its own (web/test/reference.test.js). */
const isChecked = (file: string): boolean => !file.startsWith('reference/') && !/\.(test|d)\.tsx?$/.test(file)

export const listSources = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: source }).filter(isChecked).sort()

export const readSource = (file: string): string => readFileSync(join(source, file), 'utf8')

/** Text without comments, so that words about a thing are not the thing. */
export const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:'"`])\/\/.*$/gm, '$1')

const importForm = /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm

export interface Import {
  readonly file: string
  /** A path below web/src, or the name of a package. */
  readonly target: string
}

export const importsOf = (file: string): readonly Import[] =>
  [...readSource(file).matchAll(importForm)].map((match) => {
    const specifier = match[1] ?? match[2] ?? ''
    const target = specifier.startsWith('.') ? relative(source, join(source, dirname(file), specifier)) : specifier
    return { file, target }
  })
