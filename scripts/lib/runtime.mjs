// The pinned runtime is a program of its own: it needs libraries that a minimal Debian does not have. They are looked
// for before anything runs on it, because the loader's words (exit 127) say nothing to anyone who reads them.

import { spawnSync } from 'node:child_process'
import { ensurePackages } from './packages.mjs'
import { Stop } from './terminal.mjs'

/** The Debian packages with the libraries that the runtime is linked to. */
const packagesOf = {
  'libatomic.so.1': 'libatomic1',
  'libstdc++.so.6': 'libstdc++6',
  'libgcc_s.so.1': 'libgcc-s1',
}

export function ensureRuntime(runtime, { skip = false } = {}) {
  let missing = findMissingLibrary(runtime)
  // One at a time, because the loader names only the first.
  for (let tries = 0; missing !== null && tries < Object.keys(packagesOf).length && !skip; tries++) {
    install(missing)
    const next = findMissingLibrary(runtime)
    if (next === missing) break
    missing = next
  }
  if (missing !== null) throw new Stop(`The runtime needs the library ${missing}. As root: ${remedy(missing)}`)
}

function install(library) {
  const name = packagesOf[library]
  if (name === undefined) return
  // Looked for by the loader itself, so as a file it is always taken as missing here.
  ensurePackages([{ name, file: library, folders: [], purpose: `the runtime needs its ${library}` }], { skip: false })
}

function remedy(library) {
  const name = packagesOf[library]
  return name === undefined ? `install the package that has ${library}` : `apt-get install ${name}`
}

/** The name of the first library that the loader does not find, or null when the program runs. */
export function findMissingLibrary(program) {
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (status === 0) return null
  const [, library] = /error while loading shared libraries: ([^:\s]+):/.exec(stderr ?? '') ?? []
  if (library !== undefined) return library
  const reason = error?.message ?? (stderr ?? '').trim().split('\n')[0] ?? ''
  throw new Stop(`The runtime ${program} does not run on this machine: ${reason || `exit code ${status}`}.`)
}
