// What gw loads: it is a client, so the server stays out of it. Only the commands that need more load it, when they run.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const source = dirname(import.meta.dirname)

/** Beside node: and cli/ itself. The first pattern that fits a file judges it. */
const may: readonly { readonly files: RegExp; readonly imports: RegExp; readonly because: string }[] = [
  {
    files: /^cli\/admin-reset\.ts$/,
    imports: /^(areas\/administrators|app\.ts|contract|database|http|launcher|plan|runtime)/,
    because: 'it works on the stored state, through the engine of the gateway',
  },
  {
    files: /^cli\/(lab|local-gateway)\.ts$/,
    imports: /^(lab\/enter\.ts|launcher\/(layout|record)\.ts)$/,
    because: 'these look at a gateway of this machine',
  },
  {
    files: /^cli\/call\.ts$/,
    imports: /^(contract\/|http\/validate\.ts$)/,
    because: 'faults are told by the very check of the server',
  },
  {
    files: /^cli\//,
    imports: /^(contract\/|areas\/[^/]+\/contract\.ts$|version\.ts$)/,
    because: 'the contract is all a client needs',
  },
]

const importForm = /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(file: string, hasLazy: boolean): string[] {
  return [...readFileSync(join(source, file), 'utf8').matchAll(importForm)]
    .filter(([statement]) => !statement.startsWith('import type') && (hasLazy || !statement.startsWith('import(')))
    .map((match) => match[1] ?? match[2] ?? '')
    .map((name) => (name.startsWith('.') ? relative(source, join(source, dirname(file), name)) : name))
}

test('every file loads only what a client needs', () => {
  const files = globSync('cli/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const wrong = files.flatMap((file) => {
    const row = may.find(({ files: pattern }) => pattern.test(file))
    return importsOf(file, true)
      .filter((name) => !name.startsWith('node:') && !name.startsWith('cli/') && !row?.imports.test(name))
      .map((name) => `${file} -> ${name}: ${row?.because}`)
  })
  assert.deepEqual(wrong, [])
})

test('a press of the tab key loads neither the server nor its packages', () => {
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    if (file.endsWith('.ts')) for (const name of importsOf(file, false)) load(name)
  }
  load('cli/main.ts')
  load('cli/completion.ts')
  const packages = [...loaded].filter((name) => !name.startsWith('node:') && !name.endsWith('.ts'))
  assert.deepEqual(packages, [])
  assert.deepEqual(
    [...loaded].filter((name) => /^(http|config|database|runtime|applyd?|launcher|lab|system)\//.test(name)),
    [],
  )
})
