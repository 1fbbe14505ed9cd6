// An upgrade from its request to its end, by phases that are written down first: after a power failure it goes on with the
// phase that was reached. Whatever fails before `installing` changes nothing; whatever fails after it leads back.

import * as fs from 'node:fs'
import { withFile } from '../shared/files/durable.ts'
import { tryStoring } from '../shared/files/reserve.ts'
import { checkOpenPackage, RefusedPackage, type TrustedKeys } from '../shared/files/signed-package.ts'
import { builtField, fieldOf, recordedFormat } from './judge.ts'
import {
  dropCopies,
  installedPath,
  keepPackage,
  keepProgram,
  keepState,
  previousPath,
  restoreState,
  StepFailed,
} from './keep.ts'
import { lastWords, type Machine } from './machine.ts'
import { packageName, type UpgradePlaces } from './places.ts'
import { type UpgradeStatus, type UpgradeStep, unixNow, writeStatus } from './record.ts'
import { dropProgram, packagePath, requestPath, statusOf, type UpgradeRequest, writeRequest } from './take.ts'
import { asidePath, dropAside, setKeptAside, takeKeptBack, timeWords } from './undo.ts'
import { daemons, readRunning, readUnit, socketUnit, type WatchTimes, waitUntilUp, watchTimes } from './watch.ts'

export interface UpgradeParts {
  readonly machine: Machine
  readonly places: UpgradePlaces
  readonly keys: TrustedKeys
  readonly times?: WatchTimes
  /** Copies the program and its runtime aside. */
  readonly keepOwn?: (places: UpgradePlaces) => void
}

type End = Pick<UpgradeStatus, 'state' | 'message'>

const installedWords = 'install ok installed'
/** Packages take long on slow disks. */
const installMs = 20 * 60_000

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps that should be functions of their own
export async function runUpgrade(parts: UpgradeParts, asked: UpgradeRequest): Promise<UpgradeStatus> {
  const { machine, places, keys, times = watchTimes, keepOwn = keepProgram } = parts
  let request: UpgradeRequest = { ...asked, attempts: asked.attempts + 1 }
  const note = (change: Partial<UpgradeRequest>): void => {
    request = { ...request, ...change }
    writeRequest(places, request)
  }
  const show = (step: UpgradeStep): void => {
    machine.log(`Upgrade from ${request.from} to ${request.to}: ${step}.`)
    // A full disk must not end it half way: only the display of the step is missing then.
    tryStoring(() => writeStatus(places.status, statusOf(request, step)))
  }
  const startAll = () => machine.run(['systemctl', 'start', '--no-block', socketUnit, ...units])
  const isFormatSame = (): boolean => request.formats.from === request.formats.to
  const units = [...daemons]
  /** Copies of an earlier upgrade are being replaced. */
  let isKeeping = request.attempts > 1
  note({})
  const { state, message } = await walk()
  const step =
    state === 'done'
      ? 'starting'
      : state === 'returned'
        ? 'returning'
        : request.phase === 'asked'
          ? 'checking'
          : 'returning'
  const ended: UpgradeStatus = { ...statusOf(request, step), state, message, finished_at: unixNow() }
  machine.log(message)
  writeStatus(places.status, ended)
  // From here on a start of the program has nothing to do.
  fs.rmSync(requestPath(places), { force: true })
  dropProgram(places)
  return ended

  async function walk(): Promise<End> {
    if (request.phase === 'asked') {
      try {
        if (request.attempts > 1) throw new StepFailed('It was interrupted before anything was changed.')
        await prepare()
      } catch (fault) {
        // It may have been interrupted with the API stopped.
        await startAll()
        // Of the way back by hand nothing may be lost, nor by a package that was refused.
        if (isKeeping && !request.undo) dropCopies(places)
        return unchanged(wordsOf(fault))
      }
      note({ phase: 'installing' })
    }
    if (request.phase === 'installing') {
      const fault = (await goBackInTime()) ?? (await install(packagePath(places), request.to, 'installing'))
      note(fault === null ? { phase: 'starting' } : { phase: 'returning', reason: fault })
    }
    if (request.phase === 'starting') {
      const missing = await start('starting', request.undo?.restoresState ? null : request.revision)
      if (missing === null) return keepInstalled()
      const what = request.undo ? `Version ${request.to}` : 'The new version'
      note({ phase: 'returning', reason: `${what} did not come up: ${missing}` })
    }
    return goBack()
  }

  /** Everything that can be found out or made without changing the gateway; then gatewayd stops. */
  async function prepare(): Promise<void> {
    show('checking')
    await check()
    show('keeping')
    isKeeping = true
    keepOwn(places)
    if (request.undo) setKeptAside(places)
    await keepPackage(machine, places, request.from, keys)
    const before = readRunning(places)
    const { pid } = await readUnit(machine, 'portcullis-gatewayd.service')
    note({ revision: before?.is_applied && before.pid === pid ? before.revision : null })
    await machine.run(['systemctl', 'stop', socketUnit, 'portcullis-gatewayd.service'], 120_000)
    if ((await readUnit(machine, 'portcullis-gatewayd.service')).pid > 0)
      throw new StepFailed('The API could not be stopped, so its state could not be copied.')
    await keepState(machine, places, isFormatSame())
  }

  async function check(): Promise<void> {
    const path = packagePath(places)
    // What root kept itself may have been packed from installed files, and has no signature then.
    const found = request.undo ? null : withFile(path, fs.constants.O_RDONLY, (file) => checkOpenPackage(file, keys))
    if (found && found.digest !== request.digest) throw new StepFailed('The package is not the one that was asked for.')
    for (const [field, wanted] of [
      ['Package', packageName],
      ['Version', found?.version ?? request.to],
      ...(found ? [['Architecture', found.architecture] as const, [builtField, String(found.timestamp)] as const] : []),
    ] as const) {
      const { output } = await machine.run(['dpkg-deb', '-f', path, field])
      if (output.trim() !== wanted) throw new StepFailed(`The package is not what its signature says (${field}).`)
    }
    const format = recordedFormat(places.records)
    if (found && found.format < format)
      throw new StepFailed(
        `It cannot read the stored configuration: its format is ${found.format}, and ${format} is stored.`,
      )
    if (found) note({ formats: { from: format, to: found.format } })
    else if (format !== request.formats.from)
      throw new StepFailed('The stored configuration has another format by now.')
    await checkRoom(path)
    await getDependencies(path)
  }

  /** The kept version, the copy of the runtime and the unpacked files beside the old ones. */
  async function checkRoom(path: string): Promise<void> {
    const { output } = await machine.run(['dpkg-deb', '-f', path, 'Installed-Size'])
    const needed = 3 * Number(output.trim() || '0') * 1024
    for (const folder of [places.root, '/usr']) {
      const { bavail, bsize } = fs.statfsSync(folder)
      if (bavail * bsize < needed)
        throw new StepFailed(`The disk of ${folder} has too little room: ${Math.ceil(needed / 2 ** 20)} MB are needed.`)
    }
  }

  /** Other packages that the new version needs are installed first; they change nothing about this one. */
  async function getDependencies(path: string): Promise<void> {
    const needed = await findMissing(machine, path)
    if (needed.length === 0) return
    const options = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'] as const
    const { code, output } = await machine.run(['apt-get', ...options, 'install', '--', ...needed], installMs)
    if (code !== 0 || (await findMissing(machine, path)).length > 0)
      throw new StepFailed(
        `The new version needs Debian packages that are not installed and could not be fetched: ${needed.join(', ')}. ${lastWords(output, 1)}`,
      )
  }

  /** Null when the version is installed. */
  async function install(path: string, version: string, step: UpgradeStep): Promise<string | null> {
    show(step)
    if (request.attempts > 1) await machine.run(['dpkg', '--force-confold', '--configure', '-a'], installMs)
    for (let tries = 0; ; tries++) {
      const { code, output } = await machine.run(['dpkg', '--force-confold', '-i', path], installMs)
      machine.log(lastWords(output, 20))
      if (code === 0) break
      // Another program installs something at the moment.
      if (!output.includes('dpkg frontend lock') || tries === 60)
        return `dpkg could not install version ${version}: ${lastWords(output)}`
      await machine.pause(5_000)
    }
    const { output } = await machine.run(['dpkg-query', '-s', packageName])
    const found = `${fieldOf(output, 'Version')} (${fieldOf(output, 'Status')})`
    return found === `${version} (${installedWords})` ? null : `dpkg left version ${found} instead of ${version}.`
  }

  /** Null when the gateway is up. */
  async function start(step: UpgradeStep, revision: number | null): Promise<string | null> {
    show(step)
    await machine.run(['systemctl', 'daemon-reload'])
    await machine.run(['systemctl', 'reset-failed', socketUnit, ...units])
    await startAll()
    return waitUntilUp(machine, places, revision, times)
  }

  /** The state of that time comes back before the version that stored it; it refuses to be installed beside a newer one. */
  async function goBackInTime(): Promise<string | null> {
    if (!request.undo?.restoresState) return null
    try {
      await machine.run(['systemctl', 'stop', socketUnit, ...units.toReversed()], 180_000)
      await restoreState(machine, places, false, asidePath(places))
      return null
    } catch (fault) {
      return wordsOf(fault)
    }
  }

  /** The package is kept: it is the way back of the next upgrade. */
  function keepInstalled(): End {
    // It was done before when only the end of the upgrade could not be written down.
    if (fs.existsSync(packagePath(places))) fs.renameSync(packagePath(places), installedPath(places))
    const { from, to, undo } = request
    if (undo) {
      dropAside(places)
      const what = undo.restoresState ? `the state of ${timeWords(undo.keptAt)}` : 'the present configuration'
      return { state: 'done', message: `The gateway went back from ${from} to ${to}, with ${what}.` }
    }
    return { state: 'done', message: `The gateway was upgraded from ${request.from} to ${request.to}.` }
  }

  async function goBack(): Promise<End> {
    show('returning')
    try {
      // All of it: the state must not be in use while it is put back. The rules stay in the kernel.
      await machine.run(['systemctl', 'stop', socketUnit, ...units.toReversed()], 180_000)
      await restoreState(machine, places, isFormatSame())
    } catch (fault) {
      // The old version with the present state is better than none.
      machine.log(wordsOf(fault))
    }
    const fault = await install(previousPath(places), request.from, 'returning')
    // Whatever dpkg left is started: a gateway that may be wrong is better than none.
    const found = await start('returning', request.revision)
    const missing = fault ?? found
    const { reason, from, to, undo } = request
    if (missing === null && undo) takeKeptBack(places)
    if (missing === null)
      return { state: 'returned', message: `Version ${to} was taken back, and ${from} is in use again. ${reason}` }
    return { state: 'failed', message: `Neither ${to} nor ${from} came up. ${reason} After the return: ${missing}` }
  }

  function unchanged(why: string): End {
    if (request.undo) takeKeptBack(places)
    else fs.rmSync(packagePath(places), { force: true })
    return { state: 'failed', message: `Version ${request.to} was not installed. ${why}` }
  }
}

const wordsOf = (fault: unknown): string => {
  if (fault instanceof StepFailed || fault instanceof RefusedPackage) return fault.message
  const { code, message } = fault as NodeJS.ErrnoException
  if (code === 'ENOSPC') return 'The disk is full.'
  return message
}

/** Names of packages in the dependencies of a package that are not installed. Only names that look like names. */
async function findMissing(machine: Machine, path: string): Promise<string[]> {
  const { output } = await machine.run(['dpkg-deb', '-f', path, 'Pre-Depends', 'Depends'])
  const wanted = output
    .replaceAll(/^(?:Pre-Depends|Depends):/gm, ',')
    .split(/[,\n]/)
    // The first of alternatives; one of the others may do, which dpkg says below.
    .map((one) => one.split('|').map((choice) => choice.trim().split(/[\s(:]/)[0] ?? ''))
    .filter((choices) => choices.every((name) => /^[a-z0-9][a-z0-9+.-]{1,80}$/.test(name)))
  const missing: string[] = []
  for (const choices of wanted) {
    const states = await Promise.all(choices.map((name) => machine.run(['dpkg-query', '-s', name])))
    const [first = ''] = choices
    if (!states.some(({ output: state }) => fieldOf(state, 'Status') === installedWords)) missing.push(first)
  }
  return missing
}
