// What the way back needs: the installed version as a package, the state as it was, and a copy of this program, which goes on
// after a power failure in the middle of replacing it.

import * as fs from 'node:fs'
import { join } from 'node:path'
import { withFile, writeDurable } from '../shared/files/durable.ts'
import { checkOpenPackage, type TrustedKeys } from '../shared/files/signed-package.ts'
import { type SaidText, say } from '../shared/said.ts'
import { builtField, fieldOf, readBuilt, stanzaOf } from './judge.ts'
import { lastWords, type Machine } from './machine.ts'
import { dpkgStatus, packageName, type UpgradePlaces } from './places.ts'
import { dropProgram, packagePath, programPath } from './take.ts'

export class StepFailed extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText) {
    super(message)
  }
}

export const previousPath = (places: UpgradePlaces): string => join(places.root, 'previous.deb')
/** The signed package that was installed last; saves packing the installed version again. */
export const installedPath = (places: UpgradePlaces): string => join(places.root, 'installed.deb')

/** Leaves the installed version as previous.deb. */
export async function keepPackage(
  machine: Machine,
  places: UpgradePlaces,
  version: string,
  keys: TrustedKeys,
): Promise<void> {
  const target = previousPath(places)
  fs.rmSync(target, { force: true })
  if (await isInstalled(machine, installedPath(places), version, keys)) fs.linkSync(installedPath(places), target)
  else await packInstalled(machine, places)
  const { code, output } = await machine.run(['dpkg-deb', '-f', target, 'Version'])
  if (code !== 0 || output.trim() !== version)
    throw new StepFailed(say`The installed version could not be kept for the way back: ${lastWords(output)}`)
}

/** Whether the package is the one that is installed: the same version may have been built again and installed without us. */
export async function isInstalled(
  machine: Machine,
  path: string,
  version: string,
  keys: TrustedKeys,
): Promise<boolean> {
  const { output } = await machine.run(['dpkg-query', '-s', packageName])
  const built = readBuilt(fieldOf(output, builtField))
  try {
    const found = withFile(path, fs.constants.O_RDONLY, (file) => checkOpenPackage(file, keys))
    return found.version === version && (built === null || found.timestamp === built)
  } catch {
    return false
  }
}

const dpkgInfo = '/var/lib/dpkg/info'
/** Files of the control part that dpkg keeps beside its lists. */
const controlNames = ['preinst', 'postinst', 'prerm', 'postrm', 'conffiles', 'md5sums', 'triggers', 'shlibs']

/** Packs the installed files again, uncompressed, with what dpkg knows about them. */
async function packInstalled(machine: Machine, places: UpgradePlaces): Promise<void> {
  const work = join(places.root, 'packing')
  fs.rmSync(work, { recursive: true, force: true })
  fs.mkdirSync(join(work, 'control'), { recursive: true, mode: 0o700 })
  try {
    fs.writeFileSync(join(work, 'control', 'control'), controlOf(fs.readFileSync(dpkgStatus, 'utf8')))
    for (const name of controlNames) {
      const path = join(dpkgInfo, `${packageName}.${name}`)
      if (fs.existsSync(path)) fs.copyFileSync(path, join(work, 'control', name))
    }
    const files = listOf(fs.readFileSync(join(dpkgInfo, `${packageName}.list`), 'utf8'))
    fs.writeFileSync(join(work, 'files'), files.join('\0'))
    const tar = ['tar', '--numeric-owner', '--format=gnu'] as const
    const control = join(work, 'control.tar')
    await expect(machine, [...tar, '-C', join(work, 'control'), '-cf', control, '.'])
    const data = join(work, 'data.tar')
    const from = ['--no-recursion', '--null', '-T', join(work, 'files')] as const
    await expect(machine, [...tar, '-C', '/', '-cf', data, ...from])
    writeArchive(previousPath(places), [
      { name: 'debian-binary', content: Buffer.from('2.0\n') },
      { name: 'control.tar', file: control },
      { name: 'data.tar', file: data },
    ])
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

async function expect(machine: Machine, command: readonly [string, ...string[]]): Promise<void> {
  const { code, output } = await machine.run(command, 10 * 60_000)
  if (code !== 0)
    throw new StepFailed(say`The installed version could not be kept for the way back: ${lastWords(output)}`)
}

/** The paragraph of dpkg without what dpkg itself put there. */
export function controlOf(status: string): string {
  const lines: string[] = []
  let isSkipped = false
  for (const line of (stanzaOf(status) ?? '').split('\n')) {
    if (!line.startsWith(' ')) isSkipped = /^(?:Status|Conffiles|Config-Version):/.test(line)
    if (!isSkipped && line !== '') lines.push(line)
  }
  return `${lines.join('\n')}\n`
}

/** Paths as tar wants them. A name that begins with a dash or has a line break is none of ours. */
const listOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((path) => path.startsWith('/') && fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .map((path) => (path === '/.' ? '.' : `.${path}`))

type ArMember = { readonly name: string } & ({ readonly content: Buffer } | { readonly file: string })

function writeArchive(path: string, members: readonly ArMember[]): void {
  const to = fs.openSync(path, 'wx', 0o600)
  const put = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(to, bytes, at)
  }
  try {
    put(Buffer.from('!<arch>\n'))
    for (const member of members) {
      const size = 'file' in member ? fs.statSync(member.file).size : member.content.length
      const head = `${member.name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`
      put(Buffer.from(`${head}${String(size).padEnd(10)}\`\n`))
      if ('file' in member) copyBytes(member.file, put)
      else put(member.content)
      if (size % 2 === 1) put(Buffer.from('\n'))
    }
    fs.fsyncSync(to)
  } finally {
    fs.closeSync(to)
  }
}

function copyBytes(path: string, put: (bytes: Buffer) => void): void {
  const from = fs.openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024)
    for (let count = fs.readSync(from, buffer); count > 0; count = fs.readSync(from, buffer))
      put(buffer.subarray(0, count))
  } finally {
    fs.closeSync(from)
  }
}

/** Large, and unchanged by a version with the same state format; charts and logs are not worth the time otherwise. */
const largeFiles = ['log.db', 'logs.db', 'charts.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])
/** Made again by anyone who needs it. */
const worthless = ['compile-cache', 'reserve', 'upgrade']

export const savedPath = (places: UpgradePlaces): string => join(places.root, 'state')

/** The entries of a folder of the state that are copied. */
function keptEntries(folder: string, isFormatSame: boolean): string[] {
  const left = new Set([...worthless, ...(isFormatSame ? largeFiles : [])])
  return fs.readdirSync(folder).filter((name) => !left.has(name))
}

/** Copies the state of gatewayd, which must be stopped, and the records of applyd. Links are copied as links. */
export async function keepState(machine: Machine, places: UpgradePlaces, isFormatSame: boolean): Promise<void> {
  const saved = savedPath(places)
  fs.rmSync(saved, { recursive: true, force: true })
  fs.mkdirSync(saved, { mode: 0o700 })
  for (const name of ['gateway', 'applyd'] as const) {
    const from = join(places.state, name)
    fs.mkdirSync(join(saved, name), { mode: 0o700 })
    if (fs.existsSync(from)) await copyEntries(machine, from, join(saved, name), keptEntries(from, isFormatSame))
  }
  await machine.run(['sync', '-f', saved])
  writeDurable(join(saved, 'complete'), '')
}

/** Restores it; both daemons must be stopped. Can be done twice. */
export async function restoreState(
  machine: Machine,
  places: UpgradePlaces,
  isFormatSame: boolean,
  saved: string = savedPath(places),
): Promise<void> {
  if (!fs.existsSync(join(saved, 'complete'))) throw new StepFailed(say`There is no copy of the state.`)
  for (const name of ['gateway', 'applyd'] as const) {
    const to = join(places.state, name)
    for (const entry of keptEntries(to, isFormatSame)) fs.rmSync(join(to, entry), { recursive: true, force: true })
    await copyEntries(machine, join(saved, name), to, fs.readdirSync(join(saved, name)))
  }
}

async function copyEntries(machine: Machine, from: string, to: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const paths = names.map((name) => join(from, name))
  const { code, output } = await machine.run(['cp', '-a', '--reflink=auto', '--', ...paths, to], 30 * 60_000)
  if (code !== 0) throw new StepFailed(say`The state could not be copied: ${lastWords(output)}`)
}

/** The runtime and this program, so that neither depends on the files that are being replaced. */
export function keepProgram(places: UpgradePlaces): void {
  const target = programPath(places)
  const source = join(import.meta.dirname, '..')
  if (source.startsWith(`${target}/`)) return
  fs.rmSync(target, { recursive: true, force: true })
  fs.mkdirSync(join(target, 'server', 'src'), { recursive: true, mode: 0o700 })
  fs.writeFileSync(join(target, 'package.json'), '{"type":"module"}\n')
  for (const name of ['shared/files', 'upgrade', 'shared/pace.ts', 'shared/said.ts'])
    fs.cpSync(join(source, name), join(target, 'server', 'src', name), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    })
  fs.copyFileSync(process.execPath, join(target, 'node'), fs.constants.COPYFILE_FICLONE)
  fs.chmodSync(join(target, 'node'), 0o700)
  writeDurable(join(target, 'complete'), '')
}

/** Of an upgrade that ended before it changed anything: copies may have filled the disk. */
export function dropCopies(places: UpgradePlaces): void {
  for (const path of [savedPath(places), packagePath(places), previousPath(places)])
    fs.rmSync(path, { recursive: true, force: true })
  dropProgram(places)
}
