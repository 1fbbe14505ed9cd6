// Every golden file: the render equals it, and the engine's own checker accepts it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { findUnit, productionTables } from '../src/applyd/tables.ts'
import { commandLine } from '../src/applyd/units.ts'
import type { Artifact } from '../src/plan/artifacts.ts'
import { artifactName, contentOf } from '../src/plan/planner.ts'
import { listGoldenCases, renderCase } from './support/golden.ts'
import { lacking } from './support/requires.ts'

const nft = '/usr/sbin/nft'

/** In a network namespace of its own, so that neither rules nor privileges of the host matter. */
function checkWithNft(name: string, body: string): string {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const input = `table ${name} {\n${body}\n}\n`
  const { status, stderr } = spawnSync('/usr/bin/unshare', [...asRoot, '--net', nft, '-c', '-f', '-'], {
    input,
    encoding: 'utf8',
  })
  return status === 0 ? '' : stderr
}

const tables = productionTables('/state', null, 'none')

/** What applyd would say: faults of the files that a unit reads, then those that its checker finds. */
function checkUnit(name: string, artifacts: readonly Artifact[]): string[] {
  const unit = findUnit(tables, name)
  assert.ok(unit, `applyd knows no unit ${name}`)
  const texts = artifacts.flatMap((one) => (one.kind === 'file' && unit.files.includes(one.name) ? [one] : []))
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-golden-'))
  try {
    for (const file of texts) writeFileSync(join(folder, file.name), file.text)
    const faults = texts.flatMap((file) => unit.directives(file.name, file.text))
    if (unit.check === null || typeof unit.check === 'function') return faults
    const [program = '', ...args] = commandLine(unit.check, (file) => join(folder, file))
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    return status === 0 ? faults : [...faults, stderr]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const unboundCheck = '/usr/sbin/unbound-checkconf'

/** With all its zones, which it reads relative to the folder it runs in. */
function checkWithUnbound(artifacts: readonly Artifact[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-golden-'))
  for (const artifact of artifacts) {
    if (artifact.kind !== 'file') continue
    const path = join(folder, artifact.name.replace('unbound-zone.', 'zones/').replace('unbound-policy', 'policy'))
    mkdirSync(dirname(path), { recursive: true })
    const always = artifact.name === 'unbound.conf' ? '\nserver:\n  module-config: "respip validator iterator"\n' : ''
    writeFileSync(path, artifact.text + always)
  }
  const { status, stderr } = spawnSync(unboundCheck, ['unbound.conf'], { cwd: folder, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return status === 0 ? '' : stderr
}

/** The programs that judge these artifacts. */
function checkersOf(artifacts: readonly Artifact[]): readonly string[] {
  return artifacts.flatMap(({ kind, name }) => {
    if (kind === 'nft') return [nft]
    const check = kind === 'unit' ? findUnit(tables, name)?.check : null
    const own = check && typeof check !== 'function' ? [check.program] : []
    return kind === 'unit' && name === 'unbound' ? [...own, unboundCheck] : own
  })
}

describe('golden files', () => {
  const cases = listGoldenCases()
  it('exist', () => assert.ok(cases.length > 0))
  for (const golden of cases) {
    it(golden.sentence, (t) => {
      const artifacts = renderCase(golden)
      const rendered = new Map(artifacts.map((artifact) => [artifactName(artifact), contentOf(artifact).trimEnd()]))
      assert.deepEqual(rendered, new Map(golden.expected), `${golden.path}: npm run golden rewrites it`)
      const reason = lacking(...checkersOf(artifacts))
      if (reason !== false) return t.skip(reason)
      for (const artifact of artifacts) {
        if (artifact.kind === 'unit') assert.deepEqual(checkUnit(artifact.name, artifacts), [])
        if (artifact.kind === 'nft') assert.equal(checkWithNft(artifact.name, contentOf(artifact)), '')
      }
      if (rendered.has('unit unbound')) assert.equal(checkWithUnbound(artifacts), '')
    })
  }
})
