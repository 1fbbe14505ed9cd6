// Packages of engines that a start does not install: they are installed when such an engine is first switched on. Which they
// are is in the declaration of the engine; a plan names neither packages nor programs.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EnginePackage } from '../core/engine/engine.ts'
import type { DataPlane } from '../core/plan/artifacts.ts'
import { run } from '../engines/kit/processes.ts'
import type { Installation, ServiceAccount } from '../engines/kit/tables.ts'
import { oneLine } from '../engines/kit/text.ts'
import { readRegular } from '../shared/files/durable.ts'
import { ownApp } from '../shared/files/plain.ts'

const programFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']
/** Packages come over slow lines. */
const timeoutMs = 30 * 60_000
/** Where the program lies when its units are installed (deploy/systemd). */
const unitApp = '/usr/lib/portcullis'

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
  const install = async ({ command, packages, words }: Installation): Promise<void> => {
    const { code, failure, stdout, stderr } = await run(command ?? [], timeoutMs)
    if (code === 0 && !packages.some(isMissing)) return
    const said = words === undefined ? `${stdout}\n${stderr}` : (readRegular(words)?.toString() ?? stderr)
    const lines = said.split('\n').filter((line) => line.trim() !== '')
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
 * How the packages of an engine are installed. On a host with our units one of them does it, because apt writes where the
 * sandbox of applyd does not. From the lab the program is started in the network of the machine and in a mount namespace of
 * its own, in which it removes what the lab put over the resolver and /run.
 */
export function installationOf(
  service: string,
  { plane, service: account }: { readonly plane: DataPlane; readonly service: ServiceAccount },
  app = ownApp,
): Pick<Installation, 'command' | 'words'> {
  const isPossible = plane !== 'none' && account !== null && process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!isPossible || process.env.PORTCULLIS_SKIP_PACKAGES === '1') return { command: null }
  if (plane === 'host' && app === unitApp && existsSync('/run/systemd/system'))
    return {
      command: ['/usr/bin/systemctl', 'start', '--quiet', `portcullis-install@${service}.service`],
      words: `/var/lib/portcullis/applyd/install-${service}.log`,
    }
  const program = [process.execPath, join(app, 'scripts', 'install-engine.mjs'), service]
  if (plane === 'host') return { command: program }
  return {
    command: [
      '/usr/bin/nsenter',
      '--target=1',
      '--net',
      '--',
      '/usr/bin/unshare',
      '--mount',
      '--propagation=private',
      '--',
      ...program,
      'lab',
    ],
  }
}
