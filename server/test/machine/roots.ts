// Root file systems of Debian releases for the machines of tests, made once with mmdebstrap from the archive that this
// machine's own apt uses, and kept in the cache folder. A root is never booted: machines get a layer above it.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { mustRun, runTied } from './processes.ts'

export const releases = [
  { suite: 'bookworm', name: 'Debian 12' },
  { suite: 'trixie', name: 'Debian 13' },
] as const
export type Suite = (typeof releases)[number]['suite']

export const cacheFolder = join(appRoot, '.cache', 'machines')

/** What an administrator has on a minimal server: nothing of ours, and nothing that a package of ours must bring itself. */
const minimal = ['systemd', 'systemd-sysv', 'dbus', 'ca-certificates', 'iproute2', 'procps']
/** A download of a whole root; only ends what hangs. */
const longMs = 20 * 60_000

const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
const baseKey = hashOf('2', process.arch, ...minimal)
const baseOf = (suite: Suite): string => join(cacheFolder, `${suite}-base-${baseKey}`)

/** The archive that apt on this machine installs Debian's packages from; null when there is none. */
async function findArchive(): Promise<string | null> {
  const format = '$(ORIGIN) $(SUITE) $(REPO_URI)'
  const { stdout } = await runTied(['/usr/bin/apt-get', 'indextargets', '--format', format, 'Created-By: Packages'])
  const lines = stdout.split('\n').map((line) => line.split(' '))
  const [, , uri] = lines.find(([origin, suite = '']) => origin === 'Debian' && !suite.includes('-')) ?? []
  return uri ?? null
}

/** Why no root of this release can be made; false when it can, or is there. */
export async function reasonWithoutRoot(suite: Suite): Promise<string | false> {
  if (existsSync(baseOf(suite))) return false
  const archive = await findArchive()
  if (archive === null) return 'apt on this machine has no archive of Debian, which a test machine is made from'
  try {
    const { ok, status } = await fetch(`${archive}dists/${suite}/Release`, { signal: AbortSignal.timeout(10_000) })
    return ok ? false : `the archive that apt on this machine uses does not have ${suite} (${status})`
  } catch {
    return 'the archive that apt on this machine uses cannot be reached, and no test machine is in the cache'
  }
}

/** A minimal root. */
export function baseRoot(suite: Suite): Promise<string> {
  return once(baseOf(suite), async (root) => {
    const archive = await findArchive()
    if (archive === null) throw new Error('apt on this machine has no archive of Debian.')
    const options = [
      '--quiet',
      '--mode=root',
      '--variant=minbase',
      `--include=${minimal.join(',')}`,
      // A machine of a test is not kept, so nothing has to be on the disk before the next step.
      '--dpkgopt=force-unsafe-io',
      // More packages are installed from these lists.
      '--skip=cleanup/apt/lists',
    ]
    await mustRun(['/usr/bin/mmdebstrap', ...options, suite, root, archive], { timeoutMs: longMs })
    writeFileSync(join(root, 'etc/hostname'), 'gateway\n')
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n127.0.1.1 gateway\n')
    // The journal of a machine that failed is what explains it, also of boots before the last one.
    mkdirSync(join(root, 'var/log/journal'), { recursive: true })
  })
}

/** A minimal root with more packages, in the words of a Depends line. Units that Debian enables are enabled, and do not run. */
export async function rootWith(suite: Suite, dependencies: string): Promise<string> {
  const base = await baseRoot(suite)
  return once(join(cacheFolder, `${suite}-with-${hashOf(baseKey, dependencies)}`), async (root) => {
    await mustRun(['/bin/cp', '-a', '--reflink=auto', `${base}/.`, root], { timeoutMs: longMs })
    await inRoot(root, ['/usr/bin/apt-get', 'satisfy', '-y', '--no-install-recommends', dependencies])
    await inRoot(root, ['/usr/bin/apt-get', 'clean'])
  })
}

/** For sweepRoots(). */
export function noteUse(place: string): void {
  const now = new Date()
  utimesSync(place, now, now)
}

/** What is being made now, by its place: two tests of one run wait for the same one. */
const making = new Map<string, Promise<string>>()

/** Makes a root beside its place and moves it there, so that what has its name is complete. */
export function once(place: string, make: (root: string) => Promise<void>): Promise<string> {
  if (existsSync(place)) {
    noteUse(place)
    return Promise.resolve(place)
  }
  const known = making.get(place)
  if (known) return known
  const work = async (): Promise<string> => {
    const unfinished = `${place}.${process.pid}`
    mkdirSync(unfinished, { recursive: true })
    try {
      await make(unfinished)
      // Another test run may have been faster.
      if (!existsSync(place)) renameSync(unfinished, place)
    } finally {
      rmSync(unfinished, { recursive: true, force: true })
    }
    return place
  }
  const promise = work()
  making.set(place, promise)
  return promise
}

/**
 * A command in a root that is not booted, with the network of this machine and what its apt knows of proxies. Nothing of that
 * is left in the root, and all that the command starts ends with it.
 */
export async function inRoot(root: string, argv: readonly string[]): Promise<void> {
  const steps = [
    'root=$1; shift',
    'mount --bind "$root" "$root"',
    'mount -t proc proc "$root/proc"',
    'mount --rbind /dev "$root/dev"',
    'for file in resolv.conf hosts; do touch "$root/etc/$file"; mount --bind "$(realpath "/etc/$file")" "$root/etc/$file"; done',
    'mount -t tmpfs tmpfs "$root/mnt"',
    'apt-config dump --format "%f \\"%v\\";%n" Acquire > "$root/mnt/apt.conf"',
    'export APT_CONFIG=/mnt/apt.conf HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb',
    'exec chroot "$root" "$@"',
  ].join('\n')
  const walls = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  await mustRun(['/usr/bin/unshare', ...walls, '/bin/sh', '-ec', steps, 'sh', root, ...argv], { timeoutMs: longMs })
}

const hour = 60 * 60_000
/** A saved machine is that of one package, and each run builds its own. */
const unusedMs = { with: 72 * hour, root: 72 * hour, saved: 12 * hour }

/** What roots.ts and full-kernel.ts call their folders. */
const namePattern = /^(?:kernel-)?[a-z]+-(base|with|root|saved)-([0-9a-f]+)(?:\.(\d+))?$/
const isKind = (kind: string | undefined): kind is 'base' | keyof typeof unusedMs => kind !== undefined

/** Removes roots of earlier recipes, what no test used for long, and what ended test runs left. */
export function sweepRoots(): void {
  if (!existsSync(cacheFolder)) return
  for (const name of readdirSync(cacheFolder)) {
    const [, kind, key, pid] = namePattern.exec(name) ?? []
    const root = join(cacheFolder, name)
    const owner = pid ?? /^package-(\d+)-/.exec(name)?.[1]
    const isAbandoned = owner !== undefined && !existsSync(`/proc/${owner}`)
    if (isAbandoned) rmSync(root, { recursive: true, force: true })
    if (isAbandoned || !isKind(kind)) continue
    const isOld = kind === 'base' ? key !== baseKey : statSync(root).mtimeMs < Date.now() - unusedMs[kind]
    if (pid === undefined && isOld) rmSync(root, { recursive: true, force: true })
  }
}
