// The runtime of the package. That of this machine is installed; that of another architecture comes from npm and must be
// the very file that the lock file names.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.mjs'
import { Stop, say, seconds } from '../terminal.mjs'
import { runtimeNames } from './options.mjs'
import { readLock } from './sources.mjs'

const kept = join(root, '.cache', 'runtimes')

/** The folder of npm's package with the runtime for this architecture. */
export function findRuntime(architecture) {
  const name = `node-linux-${runtimeNames[architecture]}`
  const installed = join(root, 'node_modules', name)
  if (existsSync(join(installed, 'bin', 'node'))) return installed
  const entry = readLock().packages[`node_modules/${name}`]
  const folder = join(kept, `${name}-${entry.version}`)
  if (!existsSync(folder)) fetchRuntime(name, entry, folder)
  return folder
}

function fetchRuntime(name, { version, integrity }, folder) {
  const begun = performance.now()
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  process.stdout.write(`Fetching the runtime ${name} ${version} ... `)
  try {
    run('npm', ['pack', `${name}@${version}`, '--pack-destination', draft, '--silent'], 'npm could not fetch it')
    const archive = join(draft, `${name}-${version}.tgz`)
    if (!hasIntegrity(readFileSync(archive), integrity))
      throw new Stop(`${name} ${version} is not the package of package-lock.json.`)
    const wanted = ['package/bin/node', 'package/LICENSE']
    run('tar', ['-xzf', archive, '-C', draft, '--no-same-owner', ...wanted], 'it could not be unpacked')
    renameSync(join(draft, 'package'), folder)
    say(`done in ${seconds(begun)}`)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function run(program, args, fault) {
  const { status, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Stop(`${fault}: ${error?.message ?? (stderr.trim() || `exit code ${status}`)}.`)
}

/** As the lock file writes it: the hash and its name. */
export function hasIntegrity(bytes, integrity) {
  const [, algorithm, digest] = /^(sha512)-([A-Za-z0-9+/=]+)$/.exec(integrity ?? '') ?? []
  return algorithm !== undefined && createHash(algorithm).update(bytes).digest('base64') === digest
}
