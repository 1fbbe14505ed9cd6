// Builds the web console when its sources changed since the last time (decision 72). Without it the gateway runs all the same,
// and says in its place how to build it.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root, runtime } from './paths.mjs'
import { say, seconds } from './terminal.mjs'

const web = join(root, 'web')
const built = join(web, 'dist')
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
export const viteConfig = join(web, 'vite.config.ts')

/** Says by what the console was built: when it was begun, how many sources there were, and a hash of all of them. */
const stampName = '.stamp'

/** A program of another account or on a read-only disk stays as it is: a package brings the built console along. */
const outOfReach = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

/** Of what a build that failed says. */
const mostLines = 40

/** Returns false when the console that is there, or its absence, is not what the sources say. */
export function ensureConsole({ isForced = false } = {}) {
  const sources = listSources()
  if (!isForced && (sources.length === 0 || isUpToDate(sources))) return true
  try {
    return build(sources)
  } catch (error) {
    if (!outOfReach.has(error.code)) throw error
    if (isForced) say(`The console was not built: ${error.message}.`)
    return false
  }
}

/** What ends up in the console: its own files, and the contract that the server shares with it. */
function listSources() {
  const own = list(join(web, 'src'), (name) => !/\.test\.tsx?$/.test(name))
  if (own.length === 0) return []
  const files = ['index.html', 'vite.config.ts', 'served-files.ts', 'package.json', 'tsconfig.json']
  const server = join(root, 'server', 'src')
  return [
    ...own,
    ...list(join(web, 'public'), () => true),
    ...files.map((name) => join(web, name)),
    ...['core/contract', 'shared/net'].flatMap((folder) =>
      list(join(server, folder), (name) => !name.endsWith('.test.ts')),
    ),
    ...list(join(server, 'areas'), (name) => /(^|\/)contract(-[\w-]+)?\.ts$/.test(name)),
    join(root, 'package-lock.json'),
  ].filter((path) => existsSync(path))
}

function list(folder, isWanted) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return list(path, isWanted)
      return entry.isFile() && isWanted(path) ? [path] : []
    })
    .sort()
}

/** By their times, and only when these say otherwise by what is in them: another checkout of the same sources has other times. */
function isUpToDate(sources) {
  const stamp = readStamp()
  if (stamp === null) return false
  const isOlder = (path) => statSync(path).ctimeMs < stamp.begun
  if (stamp.count === sources.length && sources.every(isOlder)) return true
  const begun = Date.now()
  if (stamp.hash !== hashOf(sources)) return false
  try {
    writeStamp(built, { ...stamp, begun })
  } catch (error) {
    if (!outOfReach.has(error.code)) throw error
  }
  return true
}

function readStamp() {
  try {
    return existsSync(join(built, 'files.json')) ? JSON.parse(readFileSync(join(built, stampName), 'utf8')) : null
  } catch {
    return null
  }
}

function writeStamp(folder, stamp) {
  writeFileSync(join(folder, stampName), `${JSON.stringify(stamp)}\n`, { mode: 0o644 })
}

function hashOf(sources) {
  const hash = createHash('sha256')
  for (const path of sources)
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  return hash.digest('hex')
}

/** Beside the one that is served, which is replaced at the end: a gateway that runs always has a whole one. */
function build(sources) {
  if (!existsSync(vite)) {
    say(`The console is not built, because its development packages are missing (npm ci --include=dev).`)
    return false
  }
  const begun = performance.now()
  const stamp = { begun: Date.now(), count: sources.length, hash: hashOf(sources) }
  const next = join(web, `dist.next-${process.pid}`)
  const former = join(web, `dist.former-${process.pid}`)
  process.stdout.write('Building the console ... ')
  try {
    const options = ['--config', viteConfig, '--outDir', next, '--logLevel', 'error']
    const env = { ...process.env, NODE_ENV: 'production', FORCE_COLOR: '0', NO_COLOR: '1' }
    const result = spawnSync(runtime, [vite, 'build', ...options], { cwd: web, encoding: 'utf8', env })
    if (result.status !== 0 || !existsSync(join(next, 'files.json'))) {
      const words = stripVTControlCharacters(`${result.stderr ?? ''}${result.stdout ?? ''}`).trim()
      const reason = words.split('\n').slice(0, mostLines).join('\n') || result.error?.message
      say(`failed; ${existsSync(built) ? 'the last one stays' : 'there is none until npm run web:build succeeds'}`)
      say(reason ?? `exit code ${result.status}`)
      return false
    }
    writeStamp(next, stamp)
    if (existsSync(built)) renameSync(built, former)
    renameSync(next, built)
    say(`done in ${seconds(begun)}`)
    return true
  } finally {
    rmSync(next, { recursive: true, force: true })
    rmSync(former, { recursive: true, force: true })
  }
}
