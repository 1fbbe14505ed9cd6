// gw upgrade: installs a signed package, as root on the machine itself and also while the gateway is down; without a file it shows
// what the last upgrade did. Everything is imported at once: the files of this program are replaced while it waits.

import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { ownApp } from '../../../shared/files/plain.ts'
import { checkOpenPackage, RefusedPackage, readTrustedKeys } from '../../../shared/files/signed-package.ts'
import { say } from '../../../shared/said.ts'
import { beginUpgrade, startArguments } from '../../../upgrade/begin.ts'
import {
  buildTime,
  findObstacle,
  type Installed,
  isSameBuild,
  readInstalled,
  recordedFormat,
} from '../../../upgrade/judge.ts'
import { lastWords, thisMachine } from '../../../upgrade/machine.ts'
import { installedApp, keyFolders, type UpgradePlaces, upgradePlaces, upgradeUnit } from '../../../upgrade/places.ts'
import { readStatus, type UpgradeStatus, type UpgradeStep } from '../../../upgrade/record.ts'
import { dropRequest, takePackage, UpgradeRefused } from '../../../upgrade/take.ts'
import { findKept, restoresState, takeUndo, timeWords } from '../../../upgrade/undo.ts'
import { notAPackage } from '../../../upgrade/words.ts'
import { findStateDir } from '../client/local-gateway.ts'
import type { Run } from '../command.ts'
import type { Context } from '../context.ts'
import { badUsage, codeOf, exitCodes, refused } from '../failure.ts'
import { escapeText } from '../output/text.ts'

const stepWords: Readonly<Record<UpgradeStep, string>> = {
  checking: 'Checking the package',
  keeping: 'Keeping the installed version and the state for the way back',
  installing: 'Installing the other version',
  starting: 'Waiting until it is up',
  returning: 'Returning to the version that was installed',
}

export const upgradeCommand: Run = async (invocation, context) => {
  const [file] = invocation.operands
  const places = upgradePlaces(findStateDir(context))
  const isUndo = invocation.has('undo')
  if (isUndo && file !== undefined) throw badUsage('--undo takes no file: it goes back to the version that was kept.')
  if (file === undefined && !isUndo) return showLast(places, context, invocation.has('json'))
  if (process.geteuid?.() !== 0) throw refused('Only root can install another version.', ['Run it with sudo.'])
  const installed = ownApp === installedApp ? readInstalled() : null
  if (installed === null) throw refused(notAPackage)
  const now = { ...installed, format: recordedFormat(places.records) }
  if (file === undefined) await undo(places, now, invocation.has('yes'), context)
  else await install(resolve(context.workingDir, file), places, now, invocation.has('yes'), context)
  return follow(places, context)
}

async function showLast(places: UpgradePlaces, { terminal }: Context, isJson: boolean): Promise<number> {
  const last = readStatus(places.status)
  if (isJson) terminal.out(`${JSON.stringify(last)}\n`)
  else if (last === null) terminal.out('There was no upgrade yet.\n')
  else terminal.out(`${escapeText(describe(last))}\n`)
  return last === null || last.state === 'done' || last.state === 'running' ? exitCodes.done : exitCodes.refused
}

function describe(status: UpgradeStatus): string {
  if (status.state !== 'running') return status.message
  return `An upgrade from ${status.from} to ${status.to} is running: ${stepWords[status.step]}.`
}

async function install(
  path: string,
  places: UpgradePlaces,
  installed: Installed,
  isYes: boolean,
  { terminal, keyboard }: Context,
): Promise<void> {
  const keys = readTrustedKeys(keyFolders)
  const file = openPlain(path)
  try {
    const offered = checkOpenPackage(file, keys)
    const obstacle = findObstacle(offered, installed)
    if (obstacle !== null) throw refused(obstacle)
    terminal.note(`From ${installed.version} to ${offered.version}, signed with the key ${offered.key}.\n`)
    if (!isYes) await askFor('Install it? [y/N] ', keyboard)
    await takePackage(places, { file, by: 'root', keys, installed, digest: offered.digest })
  } catch (error) {
    if (error instanceof RefusedPackage || error instanceof UpgradeRefused) throw refused(error.message)
    throw error
  } finally {
    closeSync(file)
  }
  await begin(places)
}

/** Says what is lost before it asks. */
async function undo(
  places: UpgradePlaces,
  installed: Installed,
  isYes: boolean,
  { terminal, keyboard }: Context,
): Promise<void> {
  const kept = await findKept(thisMachine, places)
  if (kept === null || isSameBuild(kept, installed))
    throw refused('There is no version to go back to: no upgrade with gw or the console replaced one.')
  const time = timeWords(kept.keptAt)
  terminal.note(`From ${installed.version} back to ${escapeText(kept.version)}, which was replaced ${time}.\n`)
  if (kept.version === installed.version && kept.built !== null)
    terminal.note(`It is another build of the same version, ${buildTime(kept.built)}.\n`)
  terminal.note(
    restoresState(kept, installed.format)
      ? `That version cannot read the present configuration. The state of ${time} comes back: every change since then is lost,\n` +
          'also of passwords, users and logs.\n'
      : 'That version can read the present configuration, so it stays as it is, and nothing is lost.\n',
  )
  terminal.note('The version that is installed now is kept: gw upgrade --undo returns to it.\n')
  if (!isYes) await askFor('Go back? [y/N] ', keyboard)
  try {
    takeUndo(places, kept, installed)
  } catch (error) {
    if (error instanceof UpgradeRefused) throw refused(error.message)
    throw error
  }
  await begin(places)
}

async function askFor(question: string, keyboard: Context['keyboard']): Promise<void> {
  if (!keyboard.isTerminal) throw badUsage('Without a terminal to ask on, gw upgrade needs --yes.')
  if (!(await keyboard.askYes(question))) throw refused('Nothing was changed.')
}

async function begin(places: UpgradePlaces): Promise<void> {
  const fault = await beginUpgrade(places, async () => {
    const { code, output } = await thisMachine.run(['systemctl', ...startArguments])
    return code === 0 ? null : lastWords(output)
  })
  if (fault === null) return
  const message = say`The upgrade could not be started: ${fault}`
  dropRequest(places, message)
  throw refused(message)
}

function openPlain(path: string): number {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    throw refused(`${path} cannot be read (${codeOf(error)}).`)
  }
  throw refused(`${path} is not a plain file.`)
}

const lookMs = 300
/** The unit is started without waiting for it. */
const mostIdleLooks = 20

/** Shows each step, and ends with the upgrade. */
async function follow(places: UpgradePlaces, { terminal }: Context): Promise<number> {
  let shown: UpgradeStep | null = null
  for (let idle = 0; ; await thisMachine.pause(lookMs)) {
    const status = readStatus(places.status)
    if (status && status.state !== 'running') {
      terminal.out(`${escapeText(status.message)}\n`)
      return status.state === 'done' ? exitCodes.done : exitCodes.refused
    }
    if (status && status.step !== shown) {
      shown = status.step
      terminal.note(`${stepWords[shown]} ...\n`)
    }
    const { code } = await thisMachine.run(['systemctl', '--quiet', 'is-active', upgradeUnit])
    idle = code === 0 ? 0 : idle + 1
    if (idle > mostIdleLooks)
      throw refused('The upgrade stopped without a result.', [
        `Look at it with: journalctl -u ${upgradeUnit}`,
        `It goes on with: systemctl start ${upgradeUnit}`,
      ])
  }
}
