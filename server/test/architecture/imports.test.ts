// Enforces import-table.ts: what may live where, and import what. Each row says why.
// Requirements 25, 27 and 49.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { anything, contractFiles, formOf, importTable, ownArea, publicFiles, sayable } from './import-table.ts'
import { importsOf, source } from './source-imports.ts'

const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.test\.ts$|\/stand-ins\//.test(file))

describe('the import table', () => {
  const rowOf = (file: string) => importTable.find(({ code }) => formOf(code).test(file))

  it('has a row for every file', () => {
    assert.deepEqual(
      files.filter((file) => rowOf(file) === undefined),
      [],
    )
  })

  it('has no row without files', () => {
    const used = new Set(files.map(rowOf))
    assert.deepEqual(
      importTable.filter((row) => !used.has(row)).map(({ code }) => code),
      [],
    )
  })

  for (const row of importTable) {
    it(`${row.code} imports only what it may: ${row.because}`, () => {
      const wrong = files
        .filter((file) => rowOf(file) === row)
        .flatMap(importsOf)
        .filter(({ target }) => !sayable.includes(target))
        .filter(({ file, target }) => !row.may.some((pattern) => isAllowed(pattern, file, target)))
        .map(({ file, target }) => `${file} -> ${target}`)
      assert.deepEqual(wrong, [])
    })
  }

  const cyclesBetween = (folderOf: (file: string) => string | null): string[] => {
    const edges = files.flatMap(importsOf).flatMap(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)]
      return from === null || to === null || from === to ? [] : [[from, to] as const]
    })
    const targets = Map.groupBy(edges, ([from]) => from)
    const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
      (targets.get(from) ?? []).some(([, to]) => {
        if (to === goal) return true
        if (seen.has(to)) return false
        return reaches(to, goal, seen.add(to))
      })
    return [...targets.keys()].filter((folder) => reaches(folder, folder, new Set()))
  }

  it('has no cycle between folders', () => {
    assert.deepEqual(
      cyclesBetween((file) => /^([a-z-]+)\//.exec(file)?.[1] ?? null),
      [],
    )
  })

  it('has no cycle between areas', () => {
    // A service is asked for by its name, which loads nothing of the area that offers it.
    const areaOf = (file: string) =>
      file.endsWith('/service.ts') ? null : (/^areas\/([a-z-]+)\//.exec(file)?.[1] ?? null)
    assert.deepEqual(cyclesBetween(areaOf), [])
  })

  it('has every file in a folder, which says in which process it runs', () => {
    assert.deepEqual(
      files.filter((file) => !file.includes('/')),
      [],
    )
  })

  it('has no circle of files, nor of types alone', () => {
    const edges = new Map(
      files.map((file) => [file, importsOf(file).flatMap(({ target, isLazy }) => (isLazy ? [] : [target]))]),
    )
    assert.deepEqual(circleIn(edges), [])
  })

  it('starts processes only where that belongs', () => {
    const starters = files.filter((file) => importsOf(file).some(({ target }) => target === 'node:child_process'))
    assert.deepEqual(
      starters.filter(
        (file) =>
          !/^(?:applyd|engines\/(?:kit|[a-z-]+\/applyd)|tools|upgrade)\/|^exporters\/classifier\/detect\.ts$/.test(
            file,
          ),
      ),
      [],
    )
  })

  it('never uses a shell', () => {
    const shells = files.filter((file) =>
      /shell:\s*true|\bexec(Sync)?\(|['"](?:\/bin\/)?(?:ba)?sh['"]/.test(
        readFileSync(join(source, file), 'utf8').replaceAll(/\.exec\(/g, ''),
      ),
    )
    assert.deepEqual(shells, [])
  })
})

function isAllowed(pattern: string, file: string, target: string): boolean {
  const [, area] = file.split('/')
  const [folder, other, name = ''] = target.split('/')
  const isElsewhere = folder === 'areas' && other !== area
  switch (pattern) {
    case anything:
      return true
    case ownArea:
      return folder === 'areas' && other === area
    case publicFiles:
      return isElsewhere && ['public.ts', 'contract.ts', 'service.ts'].includes(name)
    case contractFiles:
      return isElsewhere && name === 'contract.ts'
    default:
      return formOf(pattern).test(target)
  }
}

/** The first circle that is found, as the files on it. */
function circleIn(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): string[] => {
    const at = path.indexOf(file)
    if (at >= 0) return [...path.slice(at), file]
    if (done.has(file)) return []
    path.push(file)
    for (const target of edges.get(file) ?? []) {
      const found = visit(target)
      if (found.length > 0) return found
    }
    path.pop()
    done.add(file)
    return []
  }
  for (const file of edges.keys()) {
    const found = visit(file)
    if (found.length > 0) return found
  }
  return []
}
