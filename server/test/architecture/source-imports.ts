// What files of server/src import, read from their text.

import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const source = join(import.meta.dirname, '..', '..', 'src')

export interface Import {
  readonly file: string
  /** Below server/src, or the name of a package or of a module of Node. */
  readonly target: string
  /** Gone at run time. */
  readonly isTypeOnly: boolean
  /** Loaded when it is needed, or the entry of a thread. */
  readonly isLazy: boolean
}

const importForm =
  /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*'([^']+)'|\b(?:import|new URL)\('([^']+\.ts)'(?:\)|, import\.meta\.url)/gm

export function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), 'utf8')
  return [...text.matchAll(importForm)].map((match) => {
    const [statement, eager, lazy] = match
    const specifier = eager ?? lazy ?? ''
    const target = specifier.startsWith('.') ? relative(source, join(source, dirname(file), specifier)) : specifier
    return { file, target, isTypeOnly: /^(?:import|export) type\b/.test(statement), isLazy: lazy !== undefined }
  })
}

/** The files that a process with this entry loads, now or later. */
export function closureOf(entry: string): string[] {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file) || !file.endsWith('.ts')) return
    found.add(file)
    for (const { target, isTypeOnly } of importsOf(file)) if (!isTypeOnly) visit(target)
  }
  visit(entry)
  return [...found].sort()
}
