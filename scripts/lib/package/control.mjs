// What dpkg reads: the control file with the dependencies that the engines declare, sums, configuration files and the scripts
// of installation and removal, from deploy/debian.

import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readEnginePackages } from '../packages.mjs'
import { root } from '../paths.mjs'
import { Stop } from '../terminal.mjs'
import { listFiles } from './sources.mjs'
import { foreignUnits, listAccounts, listState, listUnits } from './units.mjs'

/** Of the runtime, of the units and of our own programs; those of the engines are added. */
const ownDepends = [
  'libc6 (>= 2.28)',
  'libstdc++6',
  'libgcc-s1',
  'libatomic1',
  'systemd (>= 252)',
  'init-system-helpers (>= 1.54~)',
  'passwd',
  'iproute2',
  'nftables (>= 1.0.6)',
  // Names of protocols, by which nft reads our rules; a minimal Debian lacks them.
  'netbase',
]

const scripts = ['preinst', 'postinst', 'prerm', 'postrm']

const formatFile = 'server/src/core/database/state-format.ts'

/** `built` is the time of the commit, in Unix seconds. */
export function writeControl(tree, { architecture, version, built }) {
  const files = listFiles(tree.stage)
  const size = sizeOf(tree.stage, files)
  const values = { ...readValues(), VERSION: version, ARCHITECTURE: architecture, SIZE: size, BUILT: built }
  for (const name of ['control', ...scripts])
    tree.write(`DEBIAN/${name}`, fill(readTemplate(name), values), name === 'control' ? 0o644 : 0o755)
  const configuration = files.filter((path) => path.startsWith('etc/'))
  tree.write('DEBIAN/conffiles', configuration.map((path) => `/${path}\n`).join(''))
  const sums = files.filter((path) => !path.startsWith('etc/')).map((path) => `${md5(tree.stage, path)}  ${path}\n`)
  tree.write('DEBIAN/md5sums', sums.join(''))
  return { format: Number(values.FORMAT) }
}

function readTemplate(name) {
  return readFileSync(join(root, 'deploy', 'debian', name), 'utf8')
}

/** Every place must be known and every value used by its name. */
export function fill(template, values) {
  return template.replace(/@([A-Z]+)@/g, (_, name) => {
    if (values[name] === undefined) throw new Stop(`A file of deploy/debian names @${name}@, which has no value.`)
    return String(values[name])
  })
}

export function readValues() {
  const { start, use } = readEnginePackages()
  const units = listUnits()
  const names = units.map(({ name }) => name)
  const started = names.includes('portcullis.target') ? ['portcullis.target'] : []
  const enabled = units.filter(({ isEnabled }) => isEnabled).map(({ name }) => name)
  return {
    DEPENDS: [...ownDepends, ...namesOf(start)].join(', '),
    SUGGESTS: namesOf(use).join(', '),
    UNITS: enabled.join(' '),
    START: [...started, ...enabled.filter((name) => !started.includes(name) && !isForMoments(name))].join(' '),
    STOP: [...started, ...names.filter((name) => !started.includes(name) && !isForMoments(name))].join(' '),
    FOREIGN: foreignUnits().join(' '),
    ACCOUNTS: listAccounts().join(' '),
    STATE: listState().join(' '),
    FORMAT: readFormat(),
  }
}

/** Units that do one thing and end. An upgrade runs dpkg itself, which must not wait for it. */
const isForMoments = (name) => /@|^portcullis-(?:upgrade|leave)\.service$/.test(name)

function namesOf(packages) {
  return [...new Set(packages.map(({ name, leastMajor }) => (leastMajor ? `${name} (>= ${leastMajor})` : name)))].sort()
}

/** The format of the state that this version writes. */
function readFormat() {
  const [, format] = /^export const stateFormat = (\d+)$/m.exec(readFileSync(join(root, formatFile), 'utf8')) ?? []
  if (format === undefined) throw new Stop(`${formatFile} does not say its format.`)
  return format
}

/** In KiB, as Debian's own tools count it: every file by whole KiB, and one for each folder. */
function sizeOf(stage, files) {
  const folders = new Set(files.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))))
  return files.reduce((sum, path) => sum + Math.ceil(statSync(join(stage, path)).size / 1024), folders.size)
}

function md5(stage, path) {
  return createHash('md5')
    .update(readFileSync(join(stage, path)))
    .digest('hex')
}
