// The private view of the file system: own /proc, in the lab an own /run and resolver, and paths to checkout
// and state that the service account can walk. Everything here happens in our own mount namespace.

import { lstatSync, mkdirSync, readlinkSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { clientDns } from '../lab/network.ts'
import { codeOf, LaunchFailure } from './failure.ts'
import { appRoot, type Places, programEntries, runDir } from './layout.ts'
import type { PlaneChoice } from './planes.ts'
import type { ServiceAccount } from './privileges.ts'
import { canReach } from './reach.ts'
import { runTool } from './tools.ts'

const ownRun = '/run/portcullis'

export function mountPrivateView(choice: PlaneChoice, stateDir: string, account: ServiceAccount): Places {
  const real: Places = { app: appRoot, state: stateDir }
  const needsPaths = !isUsable(appRoot, choice, account) || !isUsable(stateDir, choice, account)
  if (choice.isolation === 'plain') return needsPaths ? refusePaths(account, choice.limitation) : real
  if (choice.isolation !== 'mounts') mount('-t', 'proc', 'proc', '/proc')
  if (choice.plane === 'lab') {
    coverRun(stateDir, needsPaths)
  } else if (needsPaths) {
    mkdirSync(ownRun, { recursive: true })
    mountTmpfs(ownRun)
    bindPaths(ownRun, stateDir)
  }
  return needsPaths ? { app: join(ownRun, 'app'), state: join(ownRun, 'state') } : real
}

/** The lab covers /run, so what is there needs another path, just like what the account cannot reach. */
function isUsable(path: string, choice: PlaneChoice, account: ServiceAccount): boolean {
  return canReach(path, account) && !(choice.plane === 'lab' && path.startsWith('/run/'))
}

/** Where namespaces are refused that is what went wrong first: with them the account would get other paths. */
function refusePaths(account: ServiceAccount, limitation: string | null): never {
  const why = limitation === null ? '' : `, and it cannot get another path: ${limitation}`
  throw new LaunchFailure(
    `The service account (uid ${account.uid}) cannot enter ${appRoot} or the state folder${why}. Move them to a place such as /opt, or allow access with chmod o+x.`,
  )
}

/**
 * Puts an empty /run over the host's: network namespaces named in it are seen by this lab alone. It is built
 * out of the way and then moved, because checkout or state may themselves be below /run.
 */
function coverRun(stateDir: string, needsPaths: boolean): void {
  const site = runDir(stateDir)
  mountTmpfs(site)
  for (const name of ['netns', 'lock', basename(ownRun)]) mkdirSync(join(site, name), { mode: 0o755 })
  if (needsPaths) bindPaths(join(site, basename(ownRun)), stateDir)
  mount('--move', site, '/run')
}

function mountTmpfs(path: string): void {
  mount('-t', 'tmpfs', '-o', 'mode=0755,nosuid,nodev,size=64m', 'portcullis', path)
}

/** Without the user-space table that mount(8) keeps in /run: ours is private, and the host's is left alone. */
function mount(...args: readonly string[]): void {
  runTool('mount', ['--no-mtab', ...args])
}

/** Entry by entry, so that a checkout whose own folder is closed to others can stay so. */
function bindPaths(base: string, stateDir: string): void {
  for (const name of programEntries()) bind(join(appRoot, name), join(base, 'app', name))
  bind(stateDir, join(base, 'state'))
}

function bind(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(from).isDirectory()) mkdirSync(to)
  else writeFileSync(to, '')
  mount('--bind', from, to)
}

/** The lab asks the gateway for names, as its clients do. A machine without a resolver file is left without. */
export function writeResolver(): void {
  const text = `nameserver ${clientDns}\n`
  const path = followLinks('/etc/resolv.conf')
  if (path === null) return
  if (path.startsWith('/run/')) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return
  }
  const own = join(ownRun, 'resolv.conf')
  writeFileSync(own, text)
  mount('--bind', own, path)
}

/** Where a chain of links ends, also when that is a file in /run which our empty /run just hid. */
export function followLinks(path: string): string | null {
  for (let hops = 0; hops < 16; hops++) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return path.startsWith('/run/') ? path : null
    if (!stats.isSymbolicLink()) return path
    path = normalFolder(resolve(dirname(path), readlinkSync(path)))
  }
  return null
}

/** /var/run is /run; other folders may be links, too. */
function normalFolder(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return path.replace(/^\/var\/run\//, '/run/')
    throw error
  }
}
