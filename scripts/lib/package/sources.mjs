// Which files of the checkout are in the package: the program without its tests, and of npm's packages those that the lock
// file does not mark as development, without what only people read.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { root } from '../paths.mjs'
import { Stop } from '../terminal.mjs'

/** Scripts that run on the machine of the gateway; what they import comes along. */
const scriptEntries = ['scripts/install-engine.mjs']

/** The time of the commit is the time of everything in the package. */
export function readCommit() {
  const given = process.env.SOURCE_DATE_EPOCH
  const seconds = given ?? git('log', '-1', '--format=%ct').trim()
  return { seconds: Number(seconds), isClean: git('status', '--porcelain') === '' }
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Stop(`A package is built from a clone: ${(stderr ?? '').trim() || 'git is missing'}.`)
  return stdout
}

/** Files of the checkout that the package has, by their path below it. The console is built and comes beside them. */
export function listProgram() {
  const known = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  const files = known.filter((path) => isProgram(path) && existsSync(join(root, path)))
  return [...new Set([...files, ...withImports(scriptEntries)])].sort()
}

export function isProgram(path) {
  if (/^server\/(?:plain\/|package\.json$)/.test(path)) return true
  // Both are served.
  if (path === 'docs/openapi.json') return true
  if (path.startsWith('web/src/reference/')) return !path.endsWith('.d.ts')
  if (path.startsWith('deploy/')) return !/^deploy\/(?:systemd\/|debian\/(?!.*\.sh$))/.test(path)
  return path.startsWith('server/src/') && !/\.test\.ts$|\/golden\/|\/stand-ins\//.test(path)
}

/** What was built of the console; its stamp says when, which is different everywhere. */
export function listConsole() {
  return listFiles(join(root, 'web', 'dist'))
    .filter((path) => path !== '.stamp')
    .map((path) => `web/dist/${path}`)
}

/** A script with everything that it imports of ours. */
export function withImports(entries) {
  const found = new Set()
  const add = (path) => {
    if (found.has(path)) return
    found.add(path)
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, target] of text.matchAll(/^(?:import|export)\b[^'\n]*'(\.{1,2}\/[^'\n]+)'/gm))
      add(normalize(join(dirname(path), target)))
  }
  for (const entry of entries) add(entry)
  return [...found]
}

/** Packages that are needed when the gateway runs, by their path below the checkout. The runtime is handled apart. */
export function listPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link)
    .filter(([path, { dev, devOptional }]) => !dev && !devOptional && !isRuntime(path))
    .map(([path, entry]) => ({ path, version: entry.version, license: entry.license }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

export const isRuntime = (path) => /^node_modules\/node-linux-[a-z0-9]+$/.test(path)

export function readLock() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

/** Of one package of npm; packages inside of it are listed for themselves. */
export function listPackageFiles(path) {
  const folder = join(root, path)
  if (!existsSync(folder)) throw new Stop(`${path} is missing: please run "npm ci" once.`)
  return listFiles(folder).filter(isOfPackage)
}

/** Types, maps, tests and words for people are for those who develop with a package. */
export function isOfPackage(path) {
  const parts = path.split('/')
  const name = parts.at(-1)
  if (parts.slice(0, -1).some((part) => unneededFolders.has(part) || part.startsWith('.'))) return false
  return !name.startsWith('.') && !/\.(?:[cm]?ts|map|md|markdown|yml|yaml|html|tgz|sh)$/i.test(name) && !isLicence(name)
}

const unneededFolders = new Set([
  'node_modules',
  'test',
  'tests',
  '__tests__',
  'benchmark',
  'benchmarks',
  'bench',
  'example',
  'examples',
  'docs',
  'integration',
])

/** Their texts are in the copyright file of the package. */
export const isLicence = (name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(name)

/** All files below a folder, in a fixed order. */
export function listFiles(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) return listFiles(folder, path)
      return entry.isFile() ? [path] : []
    })
}
