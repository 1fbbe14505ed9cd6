// Has plain JavaScript made of the TypeScript files that are new or were changed since the last time (decision 52), and bundles of the
// programs made of them (decision 118). Without either everything runs all the same, but starts later and needs more memory.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleOf, listName, programs } from '../../server/plain/bundles.mjs'
import { findStore, nameOf, storePath } from '../../server/plain/store.mjs'
import { root, runtime } from './paths.mjs'

/** A program of another account or on a read-only disk stays as it is: a package brings its copies along. */
const outOfReach = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EEXIST'])

/** Copies of earlier versions are for a gateway that was started from them and still runs. */
const keptMs = 24 * 60 * 60 * 1000

/** Says how many files there were, and by its own time when they were read. */
const stampPath = join(storePath, 'stamp')

/** Another one of them makes other copies. */
const makers = ['make.mjs', 'make-bundles.mjs'].map((name) => join(root, 'server', 'plain', name))

export function ensurePlain() {
  try {
    const sources = ['server', 'bench'].map((folder) => join(root, folder)).flatMap(listSources)
    if (isUpToDate([...sources, ...makers])) return
    openStore()
    const begun = new Date()
    const wanted = new Map(sources.map((path) => [copyOf(path), path]))
    removeOld(wanted)
    if (make(wanted) && makeBundles())
      writeFileSync(stampPath, `${begun.getTime()} ${sources.length + makers.length}`, { mode: 0o644 })
  } catch (error) {
    if (!outOfReach.has(error.code)) throw error
  }
}

function listSources(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listSources(path)
    return entry.isFile() && entry.name.endsWith('.ts') ? [path] : []
  })
}

/** Reading a thousand files takes longer than asking when they were written. */
function isUpToDate(sources) {
  if (findStore() === null || sizeOf(stampPath) === 0) return false
  const [begun, count] = readFileSync(stampPath, 'utf8').split(' ').map(Number)
  return count === sources.length && sources.every((path) => statSync(path).ctimeMs < begun)
}

/** Whatever the umask is: every account of the gateway reads the folder, and only its owner may write. */
function openStore() {
  // What others could write may hold what they wrote.
  if (findStore() === null) rmSync(storePath, { recursive: true, force: true })
  mkdirSync(storePath, { recursive: true, mode: 0o755 })
  if ((statSync(storePath).mode & 0o777) !== 0o755) chmodSync(storePath, 0o755)
  accessSync(storePath, constants.W_OK)
  if (findStore() === null) throw Object.assign(new Error('a folder of another account'), { code: 'EACCES' })
}

function copyOf(path) {
  return nameOf(createHash('sha256').update(readFileSync(path)).digest('hex'))
}

function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The bundle of each list is in use, however old it is. */
function removeOld(wanted) {
  const kept = new Set([
    ...wanted.keys(),
    ...programs.flatMap((program) => [listName(program), bundleOf(storePath, program)]),
  ])
  for (const name of readdirSync(storePath).filter((each) => !kept.has(each))) {
    const file = statSync(join(storePath, name), { throwIfNoEntry: false })
    if (file === undefined || Date.now() - file.mtimeMs <= keptMs) continue
    rmSync(join(storePath, name), { recursive: true, force: true })
  }
}

/** False when that did not work. An empty copy is what a power failure leaves. */
function make(wanted) {
  const missing = [...wanted].filter(([name]) => sizeOf(join(storePath, name)) === 0).map(([, path]) => path)
  if (missing.length === 0) return true
  return run(['--disable-warning=ExperimentalWarning', join(root, 'server/plain/make.mjs')], missing.join('\0'))
}

/** The bundler comes with what builds the console; an installation without it runs from the copies. */
function makeBundles() {
  const bundler = join(root, 'node_modules', 'rolldown', 'dist', 'index.mjs')
  return !existsSync(bundler) || run([join(root, 'server/plain/make-bundles.mjs'), pathToFileURL(bundler).href], '')
}

function run(args, input) {
  const { status, stderr } = spawnSync(runtime, args, { input, encoding: 'utf8' })
  if (status !== 0) process.stderr.write(`The plain copies of the program were not made: ${stderr.trim()}\n`)
  return status === 0
}
