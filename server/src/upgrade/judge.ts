// Whether a package whose signature is good may replace what is installed.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../shared/files/durable.ts'
import { compareVersions, type PackageStatement } from '../shared/files/signed-package.ts'
import { type SaidText, say } from '../shared/said.ts'
import { dpkgStatus, packageName } from './places.ts'

export interface Installed {
  readonly version: string
  readonly architecture: string
  /** Unix seconds of the commit that it was built from; null when its package does not say so. */
  readonly built: number | null
  /** The highest state format of the versions that were installed on this state. */
  readonly format: number
}

/** Why not, as a sentence; null when it may. */
export function findObstacle(offered: PackageStatement, installed: Installed): SaidText | null {
  if (offered.architecture !== installed.architecture)
    return say`The package is for ${offered.architecture}, and this machine is ${installed.architecture}.`
  const order = compareVersions(offered.version, installed.version)
  if (order < 0)
    return say`The package has version ${offered.version}, which is older than the installed ${installed.version}.`
  if (order === 0 && installed.built !== null && offered.timestamp < installed.built)
    return say`The package is an older build of version ${offered.version}, ${buildTime(offered.timestamp)}; installed is that of ${buildTime(installed.built)}.`
  if (offered.format < installed.format)
    return say`The package cannot read the stored configuration: its format is ${offered.format}, and ${installed.format} is stored.`
  return null
}

export const buildTime = (unixSeconds: number): string =>
  `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Whether two packages are the same, as far as their control files say. */
export const isSameBuild = (one: Build, other: Build): boolean =>
  one.version === other.version && one.built === other.built
type Build = Pick<Installed, 'version' | 'built'>

/** The paragraph of our package in the status file of dpkg; null when it is not installed. */
export function stanzaOf(text: string): string | null {
  const begin = `\n${text}`.indexOf(`\nPackage: ${packageName}\n`)
  if (begin < 0) return null
  const end = text.indexOf('\n\n', begin)
  return text.slice(begin, end < 0 ? undefined : end + 1)
}

/** Of the control file: the time of the commit. dpkg keeps it in its status file. */
export const builtField = 'Portcullis-Built'

export const readBuilt = (text: string): number | null => (/^\d{1,12}$/.test(text) ? Number(text) : null)

/** One line of it. */
export const fieldOf = (stanza: string, name: 'Version' | 'Architecture' | 'Status' | typeof builtField): string => {
  const line = stanza.split('\n').find((one) => one.startsWith(`${name}: `))
  return line?.slice(name.length + 2).trim() ?? ''
}

/** What dpkg says of the installed package; null without one. */
export function readInstalled(path: string = dpkgStatus): Omit<Installed, 'format'> | null {
  const stanza = stanzaOf(readFileSync(path, 'utf8'))
  if (stanza === null || fieldOf(stanza, 'Status').split(' ')[2] === 'config-files') return null
  const [version, architecture] = [fieldOf(stanza, 'Version'), fieldOf(stanza, 'Architecture')]
  const built = readBuilt(fieldOf(stanza, builtField))
  return version === '' || architecture === '' ? null : { version, architecture, built }
}

/** Of every version that recorded none. */
const firstFormat = 1

/**
 * The state format that the scripts of the package recorded in a folder of applyd, or in a copy of it. gatewayd is not asked: with
 * a high number it could keep every other version out.
 */
export function recordedFormat(folder: string): number {
  const text = readRegular(join(folder, 'format'))?.toString('utf8') ?? ''
  return /^\d{1,9}\n?$/.test(text) ? Number(text) : firstFormat
}
