// What root runs: the real closure of applyd/main.ts, with everything that it loads. It may only become smaller.
// Requirements 25 and 49.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { engines } from '../../src/engines/index.ts'
import { closureOf, importsOf, source } from './source-imports.ts'

const files = closureOf('applyd/main.ts')
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8')
const linesOf = (file: string): number => textOf(file).split('\n').length - 1

/** Lines without the engines. Lower it when code leaves; a change that needs more says why in its commit. */
const most = 10_250
/** Lines of the engines of today, all together; and of an engine that comes, whose half is mostly a table. */
const mostOfEngines = 2_960
const mostOfNewEngine = 150
const newest = 'inspection'

const sum = (list: readonly string[]): number => list.reduce((lines, file) => lines + linesOf(file), 0)
const serviceOf = (file: string): string | null => /^engines\/(?!kit\/)([^/]+)\//.exec(file)?.[1] ?? null

describe('the privileged process', () => {
  it('is not larger than its budget', (context) => {
    const folderOf = (file: string): string =>
      file
        .split('/')
        .slice(0, /^(?:applyd|engines)\//.test(file) ? 2 : 1)
        .join('/')
    for (const [folder, list] of Map.groupBy(files, folderOf))
      context.diagnostic(`${folder}: ${sum(list)} lines in ${list.length} files`)
    context.diagnostic(`applyd loads ${sum(files)} lines in ${files.length} files`)
    const order = engines.map(({ service }) => service as string)
    const isNew = (service: string): boolean => order.indexOf(service) > order.indexOf(newest)
    const byService = Map.groupBy(files, serviceOf)
    // A list has a line for each engine.
    const lists = ['engines/index.ts', 'engines/applyd.ts']
    const core = sum((byService.get(null) ?? []).filter((file) => !lists.includes(file)))
    const own = sum(files.filter((file) => serviceOf(file) !== null && !isNew(serviceOf(file) ?? '')))
    for (const [lines, limit, what] of [
      [core, most, 'the core'],
      [own, mostOfEngines, 'the engines'],
    ] as const) {
      assert.ok(lines <= limit, `${what}: ${lines} lines`)
      assert.ok(lines > limit - 150, `${what}: ${lines} lines only: lower the budget`)
    }
    for (const [service, list] of byService)
      if (service !== null && isNew(service)) assert.ok(sum(list) <= mostOfNewEngine, `${service}: ${sum(list)} lines`)
  })

  it('has others do what need not be root, and loads nothing of them', (context) => {
    const started = {
      'exporters/connection-cutter.ts': 'one right',
      'engines/web-filter/applyd/short-reads/print.ts': 'no right',
      'tools/trial/main.ts': 'for a moment, as root or as an account in a namespace of its own',
      'upgrade/offer.ts': 'root, not resident',
    }
    for (const [entry, rights] of Object.entries(started)) {
      assert.ok(!files.includes(entry), entry)
      const own = closureOf(entry).filter((file) => !files.includes(file))
      context.diagnostic(`${entry} (${rights}): ${sum(own)} lines of its own`)
    }
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
