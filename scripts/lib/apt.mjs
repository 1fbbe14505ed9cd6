// How apt-get is called: quietly, without questions, without starting the services of what it installs, and where a newer
// version is needed with the backports of this release, for that one call. Lists of the machine stay as they are.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const sourceParts = '/etc/apt/sources.list.d'
const debianKeys = '/usr/share/keyrings/debian-archive-keyring.gpg'
const servicePolicy = '/usr/sbin/policy-rc.d'
const policyMark = '# For the length of one installation by portcullis.'

/** Waits for another apt to finish rather than failing, but not for a network that is not there. */
export function apt(args, { program = 'apt-get', parts = null, release = null } = {}) {
  const options = [
    'DPkg::Lock::Timeout=400',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
    ...(parts ? [`Dir::Etc::SourceParts=${parts}`] : []),
    // Dependencies from there as well: apt would not look for them by itself.
    ...(release ? [`APT::Default-Release=${release}`] : []),
  ]
  return spawnSync(`/usr/bin/${program}`, ['--quiet', ...options.flatMap((option) => ['-o', option]), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
  })
}

export function aptInstall(names, options = {}) {
  return withoutServices(() => apt(['install', '--yes', '--no-install-recommends', '--', ...names], options))
}

/**
 * Tests and the lab start what they need themselves; a daemon of the machine would only be in the way. The policy holds
 * only while we live: one that a sudden end leaves behind forbids nothing.
 */
function withoutServices(install) {
  if (existsSync(servicePolicy) && !readFileSync(servicePolicy, 'utf8').includes(policyMark)) return install()
  const lines = ['#!/bin/sh', policyMark, `kill -0 ${process.pid} 2>/dev/null && exit 101`, 'exit 0']
  writeFileSync(servicePolicy, `${lines.join('\n')}\n`, { mode: 0o755 })
  try {
    return install()
  } finally {
    rmSync(servicePolicy, { force: true })
  }
}

/** Nor at the next start of the machine; an image of one, where systemd does not run yet, has a next start too. */
export function disableUnits(units) {
  if (units.length === 0) return
  spawnSync('/usr/bin/systemctl', ['disable', '--quiet', '--', ...units], { stdio: 'ignore' })
}

/** The major version that would be installed, null when none would. */
export function majorOnOffer(name, options = {}) {
  const { stdout = '' } = apt(['policy', '--', name], { ...options, program: 'apt-cache' })
  const [, major] = /^ {2}Candidate: (?:\d+:)?(\d+)/m.exec(stdout) ?? []
  return major === undefined ? null : Number(major)
}

/** Calls `work` with apt options under which the backports of this release are known too. */
export function withBackports(work) {
  const backports = findBackports()
  if (backports === null) return work({})
  const parts = mkdtempSync(join(tmpdir(), 'portcullis-apt-'))
  try {
    if (existsSync(sourceParts)) cpSync(sourceParts, parts, { recursive: true })
    writeFileSync(join(parts, 'portcullis-backports.sources'), backports.source)
    apt(['update'], { parts })
    return work({ parts, release: backports.release })
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

/** From the mirror that this machine already uses. */
function findBackports() {
  const [, codename] = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  const targets = apt(['indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)', 'Created-By: Packages'])
  const lines = `${targets.stdout}`.split('\n').map((line) => line.split(' '))
  const mirror = lines.find(([, release, component]) => release === codename && component === 'main')?.[0]
  if (!mirror || codename === undefined) return null
  const keys = existsSync(debianKeys) ? `Signed-By: ${debianKeys}\n` : ''
  const release = `${codename}-backports`
  return { release, source: `Types: deb\nURIs: ${mirror}\nSuites: ${release}\nComponents: main\n${keys}` }
}
