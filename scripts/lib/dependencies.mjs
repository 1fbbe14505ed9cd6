// Makes node_modules match package-lock.json, and does nothing when it already does.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
  const wanted = listWanted()
  if (!installed || wanted.length === 0 || !existsSync(runtime)) return false
  return wanted.every(([path, entry]) =>
    installed[path] ? installed[path].integrity === entry.integrity : isLeftOutHere(entry) || isThere(path),
  )
}

/** Everything that the lock file names, by its path. */
function listWanted() {
  const packages = Object.entries(parse(readText(lockFile))?.packages ?? {})
  return packages.filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link)
}

/** Optional packages are mostly programs for one kind of machine each. */
function isLeftOutHere({ optional = false, os, cpu, libc }) {
  const fits = (list, own) => list === undefined || list.includes(own)
  return optional && !(fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc'))
}

const isThere = (path) => existsSync(join(root, path, 'package.json'))

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
  for (const [path, entry] of listWanted()) if (!isLeftOutHere(entry) && !isThere(path)) fetchPackage(path, entry)
  say(`done in ${seconds(begun)}`)
}

/**
 * npm leaves out optional packages that the Node it runs on is too old for, and the Node of Debian 12 is. The runtime that they
 * are for is not, so they are fetched one by one.
 */
function fetchPackage(path, { version, integrity }) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const scratch = mkdtempSync(join(tmpdir(), 'portcullis-package-'))
  try {
    const complaint = runNpm('pack', `${name}@${version}`, '--pack-destination', scratch)
    const [file] = readdirSync(scratch)
    if (complaint !== null || file === undefined)
      throw new Stop(`npm could not fetch ${name}: ${complaint ?? 'it left no file'}.`)
    const archive = join(scratch, file)
    const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (hash !== integrity) throw new Stop(`What npm fetched as ${name} is not what package-lock.json names.`)
    mkdirSync(join(root, path), { recursive: true })
    const options = ['--extract', '--gzip', '--no-same-owner', '--strip-components=1']
    const { status, stderr } = spawnSync('tar', [...options, '--file', archive, '--directory', join(root, path)], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Stop(`${name} could not be unpacked: ${(stderr ?? '').trim()}.`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Returns what npm complained about, or null. Nothing is built on install, so no package may run scripts. */
function runNpm(...command) {
  const options = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  const [program, ...args] = [...findNpm(), ...command, ...options]
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
