// What root runs: the real closure of applyd/main.ts, with everything that it loads. It may only become smaller.
// Requirements 25 and 49.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { closureOf, importsOf, source } from './source-imports.ts'

const files = closureOf('applyd/main.ts')
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8')
const linesOf = (file: string): number => textOf(file).split('\n').length - 1

/** Lines of the closure. Lower it when code leaves; a change that needs more says why in its commit. */
const most = 16_200

describe('the privileged process', () => {
  it('is not larger than its budget', (context) => {
    const byFolder = Map.groupBy(files, (file) =>
      file
        .split('/')
        .slice(0, file.startsWith('applyd/') ? 2 : 1)
        .join('/'),
    )
    const sum = (list: readonly string[]): number => list.reduce((lines, file) => lines + linesOf(file), 0)
    for (const [folder, list] of byFolder) context.diagnostic(`${folder}: ${sum(list)} lines in ${list.length} files`)
    const all = sum(files)
    context.diagnostic(`applyd loads ${all} lines in ${files.length} files`)
    assert.ok(all <= most, `applyd loads ${all} lines`)
    assert.ok(all > most - 150, `applyd loads ${all} lines only: lower the budget`)
  })

  it('loads no npm package', () => {
    const packages = files
      .flatMap(importsOf)
      .filter(({ target, isTypeOnly }) => !isTypeOnly && !/\.(?:ts|json)$/.test(target) && !target.startsWith('node:'))
    assert.deepEqual(packages, [])
  })

  it('never uses a shell', () => {
    for (const file of files)
      assert.doesNotMatch(textOf(file), /shell:|(?<!\.)\bexec\(|execSync|\/bin\/(ba)?sh|sh -c/, file)
  })
})
