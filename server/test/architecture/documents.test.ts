// Documents tell the truth where a test can say so: links lead somewhere, and the README names commands that exist.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

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

  it('have a line for each of the eighty security requirements, with a test or without a claim', () => {
    const rows = textOf('docs/security.md')
      .split('\n')
      .filter((line) => /^\| \d/.test(line))
      .map((line) =>
        line
          .slice(2, -2)
          .split('|')
          .map((cell) => cell.trim()),
      )
    assert.deepEqual(
      rows.map(([number]) => number),
      Array.from({ length: 80 }, (_, index) => String(index + 1)),
    )
    const isTrue = ([, , state = '', tests = '', missing = '']: readonly string[]): boolean =>
      state === 'not yet' ? tests === '' : tests !== '' && (state === 'held' || (state === 'partly' && missing !== ''))
    assert.deepEqual(
      rows.filter((row) => !isTrue(row)).map(([number]) => number),
      [],
    )
  })

  it('hold every decision under its own number', () => {
    const numbers = globSync('docs/decisions/*.md', { cwd: repository })
      .map((path) => path.slice(15, 19))
      .sort()
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => String(index + 1).padStart(4, '0')),
    )
  })
})
