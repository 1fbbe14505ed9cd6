// Makes node_modules match package-lock.json, and does nothing when it already does.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { skipsPackages } from './packages.mjs'
import { root, runtime } from './paths.mjs'
import { ensureRuntime } from './runtime.mjs'
import { findComplaint, Stop, say, seconds } from './terminal.mjs'

const lockFile = join(root, 'package-lock.json')
const stampFile = join(root, 'node_modules', '.portcullis-stamp')
const hiddenLockFile = join(root, 'node_modules', '.package-lock.json')

export function ensureDependencies() {
  refuseForeignMachine()
  const wanted = fingerprint()
  const isReady = readText(stampFile) === wanted && existsSync(runtime)
  if (!isReady && !isTreeComplete()) install()
  if (!isReady) writeFileSync(stampFile, wanted)
  ensureRuntime(runtime, { skip: skipsPackages() })
}

function refuseForeignMachine() {
  const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
  if (!isKnown) throw new Stop(`Portcullis runs on Linux on x64 or arm64, not on ${process.platform} ${process.arch}.`)
}

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(lockFile)).digest('hex')
  return `${hash} ${process.platform}-${process.arch}\n`
}

/** npm keeps its own list of what it installed: a tree made by hand (`npm ci`) is as good as one made here. */
function isTreeComplete() {
  const installed = parse(readText(hiddenLockFile))?.packages
  const wanted = parse(readText(lockFile))?.packages
  if (!installed || !wanted || !existsSync(runtime)) return false
  return Object.entries(wanted)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link)
    .every(([path, entry]) =>
      installed[path] ? installed[path].integrity === entry.integrity : entry.optional === true,
    )
}

function install() {
  const begun = performance.now()
  process.stdout.write('Installing the packages of package-lock.json (npm ci), which takes a while the first time ... ')
  const complaint = runNpm('ci')
  if (complaint !== null) {
    process.stdout.write('failed\n')
    throw new Stop(`npm could not install the packages: ${complaint}.`)
  }
  if (!existsSync(runtime))
    throw new Stop('npm left out the optional package with the runtime: please allow optional packages.')
  say(`done in ${seconds(begun)}`)
}

/** Returns what npm complained about, or null. Nothing is built on install, so no package may run scripts. */
function runNpm(command) {
  const options = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  const [program, ...args] = [...findNpm(), command, ...options]
  const result = spawnSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (result.status === 0) return null
  const noise = /^(code|errno|syscall|path|dest|network) |^A complete log/
  return (
    findComplaint(result.stderr ?? '', /^npm (ERR!|error)/, noise) ||
    (result.error?.message ?? `exit code ${result.status}`)
  )
}

/** The npm that started us where there is one, so that both agree on cache and registry. */
function findNpm() {
  const own = process.env.npm_execpath
  return own?.endsWith('.js') ? [process.execPath, own] : ['npm']
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
