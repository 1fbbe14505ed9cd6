// What gw loads: it is a client, so the server stays out of it. Only the commands that need more load it, when they run.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const source = join(import.meta.dirname, '..', '..')

/** Beside node: and tools/cli/ itself. The first pattern that fits a file judges it. */
const may: readonly { readonly files: RegExp; readonly imports: RegExp; readonly because: string }[] = [
  {
    files: /^tools\/cli\/commands\/(?:admin-reset|reset-\w[\w-]*|first-password)\.ts$/,
    imports: /^(?:areas\/administrators\/|core\/|gatewayd\/configuration\.ts$|shared\/|tools\/launcher\/)/,
    because: 'it works on the stored state, through the engine of the gateway',
  },
  {
    files: /^tools\/cli\/commands\/(?:doctor|upgrade|setup-machine)\.ts$/,
    imports:
      /^(?:core\/|engines\/index\.ts$|applyd\/machine\/|gatewayd\/machine\/|gatewayd\/apply\/client\.ts$|areas\/(?:[^/]+\/contract|network\/runs\/facts)\.ts$|shared\/|upgrade\/|tools\/launcher\/)/,
    because: 'it looks at this machine itself, as root',
  },
  {
    files: /^tools\/cli\/commands\/setup-(?:account|answers)\.ts$/,
    imports: /^(?:core\/(?:contract|validation|accounts)\/|areas\/(?:[^/]+\/contract|network\/rules)\.ts$|shared\/)/,
    because: 'what a person types is judged before it is sent, with the rules of the server',
  },
  {
    files: /^tools\/cli\/(?:commands\/lab|client\/(?:local|own|choose)-gateway|client\/[\w-]+|commands\/[\w-]+)\.ts$/,
    imports: /^(?:core\/(?:contract|validation)\/|areas\/[^/]+\/contract\.ts$|shared\/|tools\/(?:lab|launcher)\/)/,
    because: 'these look at a gateway of this machine, or tell faults by the very check of the server',
  },
  {
    files: /^tools\/cli\//,
    imports: /^(?:core\/contract\/|areas\/[^/]+\/contract\.ts$|shared\/(?:version\.ts$|said\.ts$|net\/))/,
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
  const files = globSync('tools/cli/**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const wrong = files.flatMap((file) => {
    const row = may.find(({ files: pattern }) => pattern.test(file))
    return importsOf(file, true)
      .filter((name) => !name.startsWith('node:') && !name.startsWith('tools/cli/') && !row?.imports.test(name))
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
  load('tools/cli/main.ts')
  load('tools/cli/completion.ts')
  const packages = [...loaded].filter((name) => !name.startsWith('node:') && !name.endsWith('.ts'))
  assert.deepEqual(packages, [])
  assert.deepEqual(
    [...loaded].filter((name) =>
      /^(?:core\/(?!contract\/)|domain|engines|gatewayd|applyd|tools\/(?!cli\/))/.test(name),
    ),
    [],
  )
})
