// Lists of exceptions are held to their limits where they are used; here, that every limit belongs to one list, and what
// product code asks the linter to overlook.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { endpoints } from '../contract/contract.ts'
import { exceptions, limits } from '../support/exceptions.ts'

const server = join(import.meta.dirname, '..', '..')
const read = (pattern: string): readonly (readonly [path: string, text: string])[] =>
  globSync(pattern, { cwd: server }).map((path) => [path, readFileSync(join(server, path), 'utf8')] as const)

describe('exceptions', () => {
  it('have a limit for each list, and a list for each limit', () => {
    const texts = [...read('test/**/*.ts'), ...read('../web/test/**/*.ts')].map(([, text]) => text)
    for (const name of Object.keys(limits))
      assert.equal(texts.filter((text) => text.includes(`exceptions('${name}', `)).length, 1, name)
  })

  it('refuse one entry more, and one fewer until the limit is lowered', () => {
    const list = 'endpoints that answer any id'
    const three = ['a', 'b', 'c']
    assert.deepEqual(exceptions(list, three), three)
    assert.throws(() => exceptions(list, [...three, 'd']), /only 3 are allowed/)
    assert.throws(() => exceptions(list, three.slice(1)), /lower the limit of 3/)
  })

  it('name endpoints that exist', () => {
    const names = new Set(endpoints.map(nameOf))
    for (const [path, text] of read('test/{contract,security}/*.ts'))
      for (const [, list = ''] of text.matchAll(/exceptions\('endpoints[^']*', \[([^\]]*)\]/g))
        for (const [, name = ''] of list.matchAll(/'([^']+)'/g)) assert.ok(names.has(name), `${path}: ${name}`)
  })

  it('of the linter are few', () => {
    // Functions over the limit of lines are counted in budgets.test.ts.
    const suppressed = read('src/**/*.ts')
      .filter(([path]) => !path.endsWith('.test.ts'))
      .flatMap(([path, text]) =>
        [...text.matchAll(/biome-ignore (?!lint\/complexity\/noExcessiveLinesPerFunction)[^\n]*/g)].map(
          ([comment]) => `${path}: ${comment}`,
        ),
      )
    exceptions('suppressed lint rules in product code', suppressed)
  })
})
