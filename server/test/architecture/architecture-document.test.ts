// docs/ARCHITECTURE.md is compared with the code: the tree, the import table, the size limits and the error table.

import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { statusOf } from '../../src/http/errors.ts'
import { withImportTable } from './import-table.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const document = readFileSync(join(repository, 'docs', 'ARCHITECTURE.md'), 'utf8')

/** The rows of the first table below a heading, without its head. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = document.split(`\n## ${heading}\n`)
  const [body = ''] = section.split('\n## ')
  const rows = body.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('docs/ARCHITECTURE.md', () => {
  it('shows the tree as it is', () => {
    const [, tree = ''] = document.split('\n## The tree\n')
    for (const [workspace, end] of [
      ['server', 'bench/'],
      ['web', 'deploy/'],
    ] as const) {
      const [, rest = ''] = tree.split(`\n${workspace}/`)
      const [own = ''] = rest.split(`\n${end}`)
      const named = [...own.matchAll(/^ {2}((?:src|test)\/[a-z0-9-]+(?:\.ts|\/))/gm)].map(([, path]) => path ?? '')
      const actual = ['src', 'test'].flatMap((folder) =>
        readdirSync(join(repository, workspace, folder), { withFileTypes: true })
          .filter((entry) => entry.isDirectory() || (folder === 'src' && workspace === 'server'))
          .map((entry) => `${folder}/${entry.name}${entry.isDirectory() ? '/' : ''}`),
      )
      assert.deepEqual(named.toSorted(), actual.toSorted(), workspace)
    }
  })

  it('shows the import table as it is enforced; npm run golden writes it', () => {
    assert.equal(withImportTable(document), document)
  })

  it('lists every error code with its status', () => {
    const listed = tableBelow('Errors').map(([code, status]) => [code, Number(status)])
    assert.deepEqual(Object.fromEntries(listed), statusOf)
  })

  it('states size limits that hold', () => {
    const limits = tableBelow('Size limits').map(([, lines = '']) => Number(lines.replace(',', '')))
    const [ofArea = 0, ofAny = 0, ofEngine = 0, ofApplyd = 0] = limits
    const sizes = globSync('**/*.ts', { cwd: join(repository, 'server', 'src') })
      .filter((file) => !/\.test\.ts$|\/stand-ins\//.test(file))
      .map((file) => {
        const lines = readFileSync(join(repository, 'server', 'src', file), 'utf8').split('\n').length - 1
        return { file, lines }
      })
    const limitOf = (file: string): number =>
      file.startsWith('areas/') ? ofArea : file.startsWith('applyd/engines/') ? ofEngine : ofAny
    assert.deepEqual(
      sizes.filter(({ file, lines }) => lines > limitOf(file)),
      [],
    )
    const core = sizes.filter(({ file }) => /^applyd\/[^/]+$/.test(file)).reduce((sum, { lines }) => sum + lines, 0)
    assert.ok(core <= ofApplyd, `the core of applyd has ${core} lines`)
  })
})
