// Every golden file: the render equals it, and the engine's own checker accepts it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { artifactName, contentOf } from '../src/plan/planner.ts'
import { listGoldenCases, renderCase } from './support/golden.ts'

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

describe('golden files', () => {
  const cases = listGoldenCases()
  it('exist', () => assert.ok(cases.length > 0))
  for (const golden of cases) {
    it(golden.sentence, (t) => {
      const artifacts = renderCase(golden)
      const rendered = new Map(artifacts.map((artifact) => [artifactName(artifact), contentOf(artifact).trimEnd()]))
      assert.deepEqual(rendered, new Map(golden.expected), `${golden.path}: npm run golden rewrites it`)
      for (const artifact of artifacts) {
        if (artifact.kind !== 'nft') continue
        if (!existsSync(nft)) t.diagnostic('nft is not installed; its check was left out')
        else assert.equal(checkWithNft(artifact.name, contentOf(artifact)), '')
      }
    })
  }
})
