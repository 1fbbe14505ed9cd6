// Packages of engines that a start does not install: they are installed when such an engine is first switched on. Which they
// are is in the declaration of the engine; a plan names neither packages nor programs.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EnginePackage } from '../../engines/engine.ts'
import { ownApp } from '../../files/plain.ts'
import type { DataPlane } from '../../plan/artifacts.ts'
import { run } from '../processes.ts'
import type { ServiceAccount } from '../tables.ts'
import { oneLine } from '../text.ts'

/** What a unit needs, and the command that installs it. */
export interface Installation {
  readonly packages: readonly EnginePackage[]
  /** Null where applyd must not or cannot install anything. */
  readonly command: readonly string[] | null
}

const programFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']
/** Packages come over slow lines. */
const timeoutMs = 30 * 60_000

const isMissing = ({ file, folders = programFolders }: EnginePackage): boolean =>
  !folders.some((folder) => existsSync(join(folder, file)))

const missingOf = (installation: Installation | undefined): readonly EnginePackage[] =>
  installation?.command ? installation.packages.filter(isMissing) : []

/** The packages that have to be installed before the unit can run, in words; null when there are none. */
export function describeInstallation(installation: Installation | undefined): string | null {
  const names = missingOf(installation).map(({ name }) => name)
  return names.length === 0 ? null : `Debian package${names.length === 1 ? '' : 's'} ${names.join(', ')}`
}

/** One after the other, because apt does not run twice; who asks for what is being installed waits for that. */
export function createInstaller(): (installation: Installation) => Promise<void> {
  const running = new Map<string, Promise<void>>()
  let last: Promise<unknown> = Promise.resolve()
  const install = async ({ command, packages }: Installation): Promise<void> => {
    const { code, failure, stdout, stderr } = await run(command ?? [], timeoutMs)
    if (code === 0 && !packages.some(isMissing)) return
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
    throw new Error(oneLine(failure === 'timeout' ? 'It took too long.' : (lines.at(-1) ?? `It ended with ${code}.`)))
  }
  return (installation) => {
    const key = JSON.stringify(installation.command)
    const turn = running.get(key) ?? last.then(() => install(installation)).finally(() => running.delete(key))
    running.set(key, turn)
    last = turn.catch(() => {})
    return turn
  }
}

/**
 * The program that installs the packages of an engine. From the lab it is started in the network of the machine and in a mount
 * namespace of its own, in which it removes what the lab put over the resolver and /run.
 */
export function installCommand(service: string, plane: DataPlane, account: ServiceAccount): readonly string[] | null {
  const isPossible = plane !== 'none' && account !== null && process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!isPossible || process.env.PORTCULLIS_SKIP_PACKAGES === '1') return null
  const program = [process.execPath, join(ownApp, 'scripts', 'install-engine.mjs'), service]
  if (plane === 'host') return program
  return [
    ...['/usr/bin/nsenter', '--target=1', '--net', '--'],
    ...['/usr/bin/unshare', '--mount', '--propagation=private', '--', ...program, 'lab'],
  ]
}
