// Debian packages: those of the engines, which each engine declares itself, and those of the lab and the tests. A package
// counts as there when the file we want from it is, however it came.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apt, aptInstall, disableUnits, majorOnOffer, withBackports } from './apt.mjs'
import { root } from './paths.mjs'
import { findComplaint, say, seconds } from './terminal.mjs'

/** By when they are needed: `start`, `use` and `tests`; see server/src/core/engine/engine.ts. All engines, or one by its name. */
export function readEnginePackages(folder = join(root, 'server', 'src', 'engines'), service = null) {
  const files = readdirSync(folder)
    .filter((name) => service === null || name === service)
    .map((name) => join(folder, name, 'packages.json'))
    .filter((path) => existsSync(path))
  const declared = files.map((path) => JSON.parse(readFileSync(path, 'utf8')))
  const all = (need) => declared.flatMap((packages) => packages[need])
  return { start: all('start'), use: all('use'), tests: all('tests') }
}

const engines = readEnginePackages()

/** Keep it short: what is here is installed on the machine of everyone who types `npm start`. */
export const labPackages = [
  { name: 'iproute2', file: 'ip', purpose: 'the network of the lab' },
  { name: 'nftables', file: 'nft', purpose: 'the firewall engine' },
  { name: 'netbase', file: 'protocols', folders: ['/etc'], purpose: 'names of protocols in rules' },
  { name: 'curl', file: 'curl', purpose: 'requests from the client of the lab' },
  { name: 'mount', file: 'mount', purpose: 'the private file systems of the lab' },
  ...engines.start,
]

export const testPackages = [
  ...labPackages,
  ...engines.use,
  ...engines.tests,
  { name: 'procps', file: 'ps', purpose: 'a look at processes in tests' },
  { name: 'iputils-ping', file: 'ping', purpose: 'pings in tests' },
  {
    name: 'clickhouse-server',
    file: 'clickhouse-server',
    units: ['clickhouse-server.service'],
    purpose: 'the log server of many gateways in tests',
  },
  { name: 'openssl', file: 'openssl', purpose: 'a strict judgement of our certificate in tests' },
  { name: 'chromium-headless-shell', file: 'chromium-headless-shell', purpose: 'the browser of the lab in tests' },
  { name: 'strace', file: 'strace', purpose: 'disks that fail, in tests' },
  { name: 'systemd', file: 'systemd-analyze', purpose: 'a judgement of our unit files in tests' },
  { name: 'mmdebstrap', file: 'mmdebstrap', purpose: 'the root file systems of test machines' },
  { name: 'systemd-container', file: 'systemd-nspawn', purpose: 'test machines that boot with systemd' },
  {
    name: 'vsftpd',
    file: 'vsftpd',
    units: ['vsftpd.service'],
    purpose: 'the FTP server that backups are uploaded to in tests',
  },
]

const emulator =
  process.arch === 'arm64'
    ? { name: 'qemu-system-arm', file: 'qemu-system-aarch64' }
    : { name: 'qemu-system-x86', file: 'qemu-system-x86_64' }

/** What only the nightly run needs: machines with a kernel of their own. */
export const nightlyPackages = [
  ...testPackages,
  { ...emulator, purpose: 'test machines with their own kernel' },
  { name: 'qemu-utils', file: 'qemu-img', purpose: 'their disks' },
  { name: 'busybox', file: 'busybox', purpose: 'their first programs, and the web server beside them' },
  { name: 'xz-utils', file: 'xz', purpose: 'their kernels, which come packed' },
  { name: 'zstd', file: 'zstd', purpose: 'the same' },
]

export const skipOption = '--skip-packages'

/** Anyone who starts us may want to install packages themselves. */
export function skipsPackages() {
  return process.argv.includes(skipOption) || process.env.PORTCULLIS_SKIP_PACKAGES === '1'
}

const programFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

export function findMissing(packages) {
  return packages.filter(
    ({ file, folders = programFolders }) => !folders.some((folder) => existsSync(`${folder}/${file}`)),
  )
}

/**
 * Installs what is missing if that is possible. Whatever happens, the start goes on with what is there. Returns the sentences
 * that it said about what could not be installed.
 */
export function ensurePackages(packages, { skip }) {
  const missing = findMissing(packages)
  if (missing.length === 0 || skip) return []
  const names = missing.map(({ name }) => name)
  if (!isDebian()) return complain(`Not installed: ${names.join(', ')}. Without them there is no lab.`)
  if (process.getuid() !== 0)
    return complain(`Not installed: ${names.join(', ')}. As root: apt-get install ${names.join(' ')}`)
  for (const { name, purpose } of missing) say(`Installing ${name}: ${purpose}`)
  const [demanding, plain] = [missing.filter(({ leastMajor }) => leastMajor), missing.filter((one) => !one.leastMajor)]
  const complaints = [
    ...(plain.length > 0 ? install(plain.map(({ name }) => name)) : []),
    ...demanding.flatMap((one) => installAtLeast(one)),
  ]
  disableUnits(unitsOf(missing))
  return complaints
}

function complain(sentence) {
  say(sentence)
  return [sentence]
}

/** Units of what has just come. */
function unitsOf(installed) {
  return installed.filter((one) => findMissing([one]).length === 0).flatMap(({ units = [] }) => units)
}

function install(names) {
  const begun = performance.now()
  // Without lists there is nothing to install from; with old ones the files may be gone from the server.
  const result = hasLists() ? aptInstall(names) : null
  if (result?.status !== 0) {
    apt(['update'])
    const { offered, complaints } = onOffer(names)
    if (offered.length === 0) return complaints
    return [...complaints, ...report(offered, aptInstall(offered), begun)]
  }
  return report(names, result, begun)
}

/** One name that a release does not have would keep all others away. */
function onOffer(names) {
  const unknown = names.filter((name) => majorOnOffer(name) === null)
  const sentence = `No list of packages offers ${unknown.join(', ')}; what needs it cannot be used here.`
  return {
    offered: names.filter((name) => !unknown.includes(name)),
    complaints: unknown.length > 0 ? complain(sentence) : [],
  }
}

/** From the release itself when that is new enough, or else from its backports. */
function installAtLeast({ name, leastMajor }) {
  const begun = performance.now()
  const isNewEnough = (options) => (majorOnOffer(name, options) ?? 0) >= leastMajor
  if (!hasLists()) apt(['update'])
  if (isNewEnough()) return report([name], aptInstall([name]), begun)
  return withBackports((options) => {
    if (isNewEnough(options)) return report([name], aptInstall([name], options), begun)
    return complain(`No list of packages offers ${name} ${leastMajor} or newer; tests that need it fail.`)
  })
}

function report(names, result, begun) {
  if (result.status === 0) {
    say(`Installed in ${seconds(begun)}`)
    return []
  }
  const complaint = findComplaint(`${result.stderr}`, /^E: /) || result.error?.message || `exit code ${result.status}`
  return complain(`Not all of ${names.join(', ')} could be installed (${complaint}); going on without.`)
}

function isDebian() {
  return existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
}

function hasLists() {
  const folder = '/var/lib/apt/lists'
  return existsSync(folder) && readdirSync(folder).some((name) => name.includes('_Packages'))
}
