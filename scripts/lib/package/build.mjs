// Puts the tree of the package together and has dpkg-deb pack it. Names, modes, times and order are fixed, so that the same
// commit gives the same bytes.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, runtime } from '../paths.mjs'
import { signedPackage } from '../sign-package.mjs'
import { Stop } from '../terminal.mjs'
import { writeControl } from './control.mjs'
import { writeDocuments } from './documents.mjs'
import { findRuntime } from './runtime.mjs'
import { listConsole, listFiles, listPackageFiles, listPackages, listProgram, readLock } from './sources.mjs'
import { dropIns, listUnits } from './units.mjs'

const program = 'usr/lib/portcullis'

/** Returns the path of the package. */
export function buildPackage({ stage, output, architecture, version, commit, key, isQuick = false }) {
  rmSync(stage, { recursive: true, force: true })
  const tree = createTree(stage)
  const runtimeFolder = findRuntime(architecture)
  const packages = listPackages(readLock())
  addProgram(tree, { version, packages })
  tree.copy(join(runtimeFolder, 'bin', 'node'), `${program}/bin/node`, 0o755)
  tree.write(`${program}/update-keys/${key.id}.pem`, key.publicPem)
  addMachine(tree)
  writeDocuments(tree, { version, commit, packages, runtimeFolder })
  makePlainCopies(stage)
  const { format } = writeControl(tree, { architecture, version, built: commit.seconds })
  fixTree(stage, commit.seconds)
  const file = join(output, `portcullis_${version}_${architecture}.deb`)
  const draft = `${file}.${process.pid}`
  try {
    pack(stage, draft, { seconds: commit.seconds, isQuick })
    const about = { version, architecture, format, timestamp: commit.seconds }
    writeFileSync(draft, signedPackage(readFileSync(draft), about, key.pem))
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return file
}

function createTree(stage) {
  const make = (path) => {
    const full = join(stage, path)
    mkdirSync(dirname(full), { recursive: true })
    return full
  }
  return {
    stage,
    write: (path, content, mode = 0o644) => {
      const full = make(path)
      writeFileSync(full, content)
      // Whatever the umask is.
      chmodSync(full, mode)
    },
    copy: (from, path, mode = 0o644) => {
      const full = make(path)
      copyFileSync(from, full)
      chmodSync(full, mode)
    },
  }
}

function addProgram(tree, { version, packages }) {
  for (const path of [...listProgram(), ...listConsole()]) {
    const isExecuted = (statSync(join(root, path)).mode & 0o100) !== 0
    tree.copy(join(root, path), `${program}/${path}`, isExecuted ? 0o755 : 0o644)
  }
  for (const { path } of packages)
    for (const file of listPackageFiles(path)) tree.copy(join(root, path, file), `${program}/${path}/${file}`)
  const { name, description, license, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const manifest = { name, version, private: true, description, license, type }
  tree.write(`${program}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** What lies outside the program's folder. */
function addMachine(tree) {
  const debian = join(root, 'deploy', 'debian')
  const systemd = join(root, 'deploy', 'systemd')
  tree.copy(join(debian, 'gw'), 'usr/bin/gw', 0o755)
  tree.copy(join(debian, 'gatewayd.env'), 'etc/portcullis/gatewayd.env')
  tree.copy(join(debian, 'lintian-overrides'), 'usr/share/lintian/overrides/portcullis')
  for (const unit of listUnits()) tree.copy(join(systemd, unit.name), `usr/lib/systemd/system/${unit.name}`)
  tree.copy(join(systemd, 'portcullis.sysusers.conf'), 'usr/lib/sysusers.d/portcullis.conf')
  tree.copy(join(systemd, 'portcullis.tmpfiles.conf'), 'usr/lib/tmpfiles.d/portcullis.conf')
  for (const { path, text } of dropIns()) tree.write(path, text)
}

/** The processes of the gateway cannot write there, so the copies and bundles come along. */
function makePlainCopies(stage) {
  const folder = join(stage, program)
  mkdirSync(join(folder, 'node_modules', '.portcullis-plain'), { recursive: true })
  const sources = listFiles(join(folder, 'server')).filter((path) => path.endsWith('.ts'))
  const input = sources.map((path) => join(folder, 'server', path)).join('\0')
  runMaker(['--disable-warning=ExperimentalWarning', join(folder, 'server/plain/make.mjs')], input)
  const bundler = pathToFileURL(join(root, 'node_modules', 'rolldown', 'dist', 'index.mjs')).href
  runMaker([join(folder, 'server/plain/make-bundles.mjs'), bundler, 'portable'], '')
}

function runMaker(args, input) {
  const { status, stderr } = spawnSync(runtime, args, { input, encoding: 'utf8' })
  if (status !== 0) throw new Stop(`The plain copies of the program were not made: ${stderr.trim()}`)
}

/** Only owners may write, and everything is as old as the commit, whatever the umask and the clock of this machine. */
function fixTree(folder, seconds) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) fixTree(path, seconds)
    else lutimesSync(path, seconds, seconds)
  }
  chmodSync(folder, 0o755)
  lutimesSync(folder, seconds, seconds)
}

function pack(stage, file, { seconds, isQuick }) {
  const compression = isQuick ? ['-Zzstd', '-z1'] : ['-Zxz', '-z6']
  const args = ['--root-owner-group', ...compression, '--build', stage, file]
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds), LC_ALL: 'C' }
  const { status, stderr } = spawnSync('/usr/bin/dpkg-deb', args, { encoding: 'utf8', env })
  if (status !== 0) throw new Stop(`dpkg-deb refused the package: ${stderr.trim()}`)
}
