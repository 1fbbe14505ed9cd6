// The pinned runtime on a minimal Debian, which lacks libraries that it needs: the scripts find that out before they use
// it, and say in one sentence what to install.

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

/** Plain JavaScript, because it runs before anything is installed. */
interface RuntimeCheck {
  findMissingLibrary(program: string): string | null
  ensureRuntime(program: string, options: { skip: boolean }): void
}

const check = (await import(
  new URL('../../../scripts/lib/runtime.mjs', import.meta.url).href as string
)) as RuntimeCheck

const folder = mkdtempSync(join(tmpdir(), 'missing-library-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A program that ends as one does whose loader lacks something. */
function ending(name: string, message: string, code: number): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho '${message}' >&2\nexit ${code}\n`)
  chmodSync(path, 0o755)
  return path
}

const lacks = (library: string): string =>
  `node: error while loading shared libraries: ${library}: cannot open shared object file: No such file or directory`

describe('the runtime', () => {
  it('that runs lacks nothing', () => {
    assert.equal(check.findMissingLibrary(process.execPath), null)
  })

  it('without libatomic stops the start with one sentence that names the package', () => {
    const program = ending('atomic', lacks('libatomic.so.1'), 127)
    assert.equal(check.findMissingLibrary(program), 'libatomic.so.1')
    assert.throws(() => check.ensureRuntime(program, { skip: true }), {
      message: 'The runtime needs the library libatomic.so.1. As root: apt-get install libatomic1',
    })
  })

  it('without a library that we do not know says its name', () => {
    const program = ending('unknown', lacks('libnew.so.9'), 127)
    assert.throws(() => check.ensureRuntime(program, { skip: true }), /install the package that has libnew\.so\.9/)
  })

  it('that does not run for another reason says that reason', () => {
    const program = ending('other', 'Exec format error', 126)
    assert.throws(() => check.ensureRuntime(program, { skip: true }), /does not run on this machine: Exec format error/)
  })
})
