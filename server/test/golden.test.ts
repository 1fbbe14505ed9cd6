// Every golden file: the render equals it, applyd allows every line, and the engine's own checker accepts the result. Which
// files and which checker belong to a unit is read from the engines.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { productionTables } from '../src/applyd/production.ts'
import { commandLine } from '../src/applyd/units.ts'
import type { Artifact, NftTable } from '../src/core/plan/artifacts.ts'
import { printTable } from '../src/core/plan/nft-piece.ts'
import { artifactName, contentOf } from '../src/core/plan/planner.ts'
import { parseDictionaries, parsePolicy, parseUserCategories } from '../src/domain/web-filter/policy-file.ts'
import { parseFlowFile } from '../src/engines/flow-export/settings-file.ts'
import { faultsIn } from '../src/engines/kit/forms.ts'
import { findFile, findUnit, readsFile } from '../src/engines/kit/tables.ts'
import { parsePortalFile } from '../src/engines/portal/settings-file.ts'
import { parseServedFile } from '../src/engines/wpad/settings-file.ts'
import { listGoldenCases, renderCase } from './support/golden.ts'

const tables = productionTables('/state', null, 'none')

/** In a network namespace of its own, so that neither rules nor privileges of the host matter. */
function checkWithNft({ name, pieces }: NftTable): string {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const command = [...asRoot, '--net', ...tables.nft.command, '-c', '-f', '-']
  const { status, stderr } = spawnSync('/usr/bin/unshare', command, {
    input: printTable(name, pieces),
    encoding: 'utf8',
  })
  return status === 0 ? '' : stderr
}

/** What applyd does not read: programs of ours say by themselves what they do not take. */
const ownReaders: Readonly<Record<string, (text: string) => unknown>> = {
  'flow-export.json': parseFlowFile,
  'portal.json': parsePortalFile,
  'web-dictionaries.json': parseDictionaries,
  'web-policy.json': parsePolicy,
  'web-user-categories.txt': parseUserCategories,
  'wpad.json': parseServedFile,
}

function readByOwn(name: string, text: string): string[] {
  const read = ownReaders[name]?.(text)
  return typeof read === 'string' ? [`${name}: ${read}`] : []
}

/** What applyd would say: faults of the files that a unit reads, then those that its checker finds. */
function checkUnit(name: string, artifacts: readonly Artifact[]): string[] {
  const unit = findUnit(tables, name)
  assert.ok(unit, `applyd knows no unit ${name}`)
  const files = artifacts.flatMap((one) => (one.kind === 'file' && readsFile(unit, one.name) ? [one] : []))
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-golden-'))
  try {
    const staged = new Map(files.map((file) => [file.name, join(folder, file.name)]))
    for (const file of files)
      writeFileSync(join(folder, file.name), file.text + (findFile(tables, file.name)?.ending ?? ''))
    const faults = files.flatMap((file) => [
      ...faultsIn(unit, file.name, file.text),
      ...readByOwn(file.name, file.text),
    ])
    const check = typeof unit.check === 'function' ? unit.check(staged, folder) : unit.check
    if (check === null) return faults
    assert.ok(existsSync(check.program), `${check.program} is not installed, so nothing is proven`)
    const [program = '', ...args] = commandLine(check, (file) => staged.get(file) ?? '')
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    return status === 0 ? faults : [...faults, stderr || stdout]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('golden files', () => {
  it('of programs of ours have a reader here', () => {
    const all = [...tables.units.values(), ...[...tables.templates.values()].map((make) => make('lan0'))]
    const own = all.flatMap(({ files }) => Object.keys(files).filter((name) => files[name] === 'own program'))
    assert.deepEqual(own.toSorted(), Object.keys(ownReaders).toSorted())
  })
  const cases = listGoldenCases()
  it('exist', () => assert.ok(cases.length > 0))
  for (const golden of cases) {
    it(golden.sentence, () => {
      const artifacts = renderCase(golden)
      const rendered = new Map(artifacts.map((artifact) => [artifactName(artifact), contentOf(artifact).trimEnd()]))
      assert.deepEqual(rendered, new Map(golden.expected), `${golden.path}: npm run golden rewrites it`)
      for (const artifact of artifacts) {
        if (artifact.kind === 'unit') assert.deepEqual(checkUnit(artifact.name, artifacts), [])
        if (artifact.kind === 'nft') assert.equal(checkWithNft(artifact), '')
      }
    })
  }
})
