// The package of this checkout and one of the version after it, built once for a test run and removed at its end.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { mustRun } from './processes.ts'
import { cacheFolder } from './roots.ts'

export interface Packages extends Disposable {
  readonly first: string
  readonly next: string
  readonly firstVersion: string
  readonly nextVersion: string
  /** The Depends line. */
  readonly dependencies: string
}

const buildMs = 20 * 60_000

/** Both packages, where they were built before the tests: `portcullis_VERSION_ARCHITECTURE.deb`. */
const givenFolder = process.env.PORTCULLIS_TEST_PACKAGES

export async function buildPackages(): Promise<Packages> {
  mkdirSync(cacheFolder, { recursive: true })
  const folder = mkdtempSync(join(cacheFolder, `package-${process.pid}-`))
  try {
    const { version } = JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8')) as { version: string }
    const nextVersion = `${version}+1`
    const first = await build(folder, version)
    const next = await build(folder, nextVersion)
    const dependencies = (await mustRun(['/usr/bin/dpkg-deb', '--field', first, 'Depends'])).trim()
    const remove = (): void => rmSync(folder, { recursive: true, force: true })
    return { first, next, firstVersion: version, nextVersion, dependencies, [Symbol.dispose]: remove }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Quickly packed: the best compression takes minutes, and the machine is beside us. */
async function build(folder: string, version: string): Promise<string> {
  const output = givenFolder ?? folder
  const options = ['--version', version, '--output', output, '--quick']
  if (givenFolder === undefined)
    await mustRun([process.execPath, join(appRoot, 'scripts', 'package.mjs'), ...options], { timeoutMs: buildMs })
  const file = readdirSync(output).find((name) => name.startsWith(`portcullis_${version}_`) && name.endsWith('.deb'))
  if (file === undefined) throw new Error(`npm run package left no package in ${output}.`)
  return join(output, file)
}
