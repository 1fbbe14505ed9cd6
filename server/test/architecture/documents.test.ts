// Documents tell the truth where a test can say so: links lead somewhere, and the README names commands that exist.
// Requirement 78.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { requirements, testsByRequirement, withRequirements } from './requirements.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: repository })
const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8')

describe('documents', () => {
  for (const path of documents) {
    it(`${path} links only to what exists`, () => {
      const links = [...textOf(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '')
      const broken = links.filter(
        (link) => !/^https?:/.test(link) && !existsSync(join(repository, dirname(path), link)),
      )
      assert.deepEqual(broken, [])
    })
  }

  it('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    const named = documents.flatMap((path) =>
      [...textOf(path).matchAll(/npm run ([a-z]+(?::[a-z]+)*)/g)].map((match) => match[1] ?? ''),
    )
    assert.deepEqual(
      named.filter((name) => !(name in scripts)),
      [],
    )
  })

  it('show each of the eighty security requirements with its tests, or say what is missing', () => {
    const document = textOf('docs/security.md')
    assert.equal(withRequirements(document), document, 'npm run golden writes docs/security.md')
    const tests = testsByRequirement()
    const named = requirements.map(({ missing }, index) => (tests.get(index + 1)?.length ?? 0) > 0 || missing)
    assert.equal(requirements.length, 80)
    assert.deepEqual(
      named.flatMap((isNamed, index) => (isNamed ? [] : [index + 1])),
      [],
      'no test names these requirements, and there is no reason either',
    )
    assert.deepEqual(
      [...tests.keys()].filter((number) => number < 1 || number > 80),
      [],
    )
  })
})
