// An upgrade from its request to its end, by phases that are written down first: after a power failure it goes on with the
// phase that was reached. Whatever fails before `installing` changes nothing; whatever fails after it leads back.

import * as fs from 'node:fs'
import { withFile } from '../shared/files/durable.ts'
import { tryStoring } from '../shared/files/reserve.ts'
import { checkOpenPackage, RefusedPackage, type TrustedKeys } from '../shared/files/signed-package.ts'
import { type SaidText, say, verbatim } from '../shared/said.ts'
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
const units = [...daemons]

export const runUpgrade = (parts: UpgradeParts, asked: UpgradeRequest): Promise<UpgradeStatus> =>
  new Upgrade(parts, asked).run()

class Upgrade {
  readonly #parts: UpgradeParts
  readonly #machine: Machine
  readonly #places: UpgradePlaces
  #request: UpgradeRequest
  /** Copies of an earlier upgrade are being replaced. */
  #isKeeping: boolean

  constructor(parts: UpgradeParts, asked: UpgradeRequest) {
    this.#parts = parts
    this.#machine = parts.machine
    this.#places = parts.places
    this.#request = { ...asked, attempts: asked.attempts + 1 }
    this.#isKeeping = this.#request.attempts > 1
  }

  async run(): Promise<UpgradeStatus> {
    this.#note({})
    const { state, message } = await this.#walk()
    const failedIn = this.#request.phase === 'asked' ? 'checking' : 'returning'
    const step = state === 'done' ? 'starting' : state === 'returned' ? 'returning' : failedIn
    const ended: UpgradeStatus = { ...statusOf(this.#request, step), state, message, finished_at: unixNow() }
    this.#machine.log(message)
    writeStatus(this.#places.status, ended)
    // From here on a start of the program has nothing to do.
    fs.rmSync(requestPath(this.#places), { force: true })
    dropProgram(this.#places)
    return ended
  }

  #note(change: Partial<UpgradeRequest>): void {
    this.#request = { ...this.#request, ...change }
    writeRequest(this.#places, this.#request)
  }

  #show(step: UpgradeStep): void {
    this.#machine.log(`Upgrade from ${this.#request.from} to ${this.#request.to}: ${step}.`)
    // A full disk must not end it half way: only the display of the step is missing then.
    tryStoring(() => writeStatus(this.#places.status, statusOf(this.#request, step)))
  }

  #startAll() {
    return this.#machine.run(['systemctl', 'start', '--no-block', socketUnit, ...units])
  }

  #isFormatSame(): boolean {
    return this.#request.formats.from === this.#request.formats.to
  }

  async #walk(): Promise<End> {
    if (this.#request.phase === 'asked') {
      try {
        if (this.#request.attempts > 1) throw new StepFailed(say`It was interrupted before anything was changed.`)
        await this.#prepare()
      } catch (fault) {
        // It may have been interrupted with the API stopped.
        await this.#startAll()
        // Of the way back by hand nothing may be lost, nor by a package that was refused.
        if (this.#isKeeping && !this.#request.undo) dropCopies(this.#places)
        return this.#unchanged(wordsOf(fault))
      }
      this.#note({ phase: 'installing' })
    }
    if (this.#request.phase === 'installing') {
      const fault =
        (await this.#goBackInTime()) ?? (await this.#install(packagePath(this.#places), this.#request.to, 'installing'))
      this.#note(fault === null ? { phase: 'starting' } : { phase: 'returning', reason: fault })
    }
    if (this.#request.phase === 'starting') {
      const missing = await this.#start('starting', this.#request.undo?.restoresState ? null : this.#request.revision)
      if (missing === null) return this.#keepInstalled()
      const reason = this.#request.undo
        ? say`Version ${this.#request.to} did not come up: ${missing}`
        : say`The new version did not come up: ${missing}`
      this.#note({ phase: 'returning', reason })
    }
    return this.#goBack()
  }

  /** Everything that can be found out or made without changing the gateway; then gatewayd stops. */
  async #prepare(): Promise<void> {
    this.#show('checking')
    await this.#check()
    this.#show('keeping')
    this.#isKeeping = true
    const { keys, keepOwn = keepProgram } = this.#parts
    keepOwn(this.#places)
    if (this.#request.undo) setKeptAside(this.#places)
    await keepPackage(this.#machine, this.#places, this.#request.from, keys)
    const before = readRunning(this.#places)
    const { pid } = await readUnit(this.#machine, 'portcullis-gatewayd.service')
    this.#note({ revision: before?.is_applied && before.pid === pid ? before.revision : null })
    await this.#machine.run(['systemctl', 'stop', socketUnit, 'portcullis-gatewayd.service'], 120_000)
    if ((await readUnit(this.#machine, 'portcullis-gatewayd.service')).pid > 0)
      throw new StepFailed(say`The API could not be stopped, so its state could not be copied.`)
    await keepState(this.#machine, this.#places, this.#isFormatSame())
  }

  async #check(): Promise<void> {
    const path = packagePath(this.#places)
    // What root kept itself may have been packed from installed files, and has no signature then.
    const { keys } = this.#parts
    const { undo, digest, to } = this.#request
    const found = undo ? null : withFile(path, fs.constants.O_RDONLY, (file) => checkOpenPackage(file, keys))
    if (found && found.digest !== digest) throw new StepFailed(say`The package is not the one that was asked for.`)
    for (const [field, wanted] of [
      ['Package', packageName],
      ['Version', found?.version ?? to],
      ...(found ? [['Architecture', found.architecture] as const, [builtField, String(found.timestamp)] as const] : []),
    ] as const) {
      const { output } = await this.#machine.run(['dpkg-deb', '-f', path, field])
      if (output.trim() !== wanted) throw new StepFailed(say`The package is not what its signature says (${field}).`)
    }
    const format = recordedFormat(this.#places.records)
    if (found && found.format < format)
      throw new StepFailed(
        say`It cannot read the stored configuration: its format is ${found.format}, and ${format} is stored.`,
      )
    if (found) this.#note({ formats: { from: format, to: found.format } })
    else if (format !== this.#request.formats.from)
      throw new StepFailed(say`The stored configuration has another format by now.`)
    await this.#checkRoom(path)
    await this.#getDependencies(path)
  }

  /** The kept version, the copy of the runtime and the unpacked files beside the old ones. */
  async #checkRoom(path: string): Promise<void> {
    const { output } = await this.#machine.run(['dpkg-deb', '-f', path, 'Installed-Size'])
    const needed = 3 * Number(output.trim() || '0') * 1024
    for (const folder of [this.#places.root, '/usr']) {
      const { bavail, bsize } = fs.statfsSync(folder)
      if (bavail * bsize < needed)
        throw new StepFailed(
          say`The disk of ${folder} has too little room: ${Math.ceil(needed / 2 ** 20)} MB are needed.`,
        )
    }
  }

  /** Other packages that the new version needs are installed first; they change nothing about this one. */
  async #getDependencies(path: string): Promise<void> {
    const needed = await findMissing(this.#machine, path)
    if (needed.length === 0) return
    const options = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'] as const
    const { code, output } = await this.#machine.run(['apt-get', ...options, 'install', '--', ...needed], installMs)
    if (code !== 0 || (await findMissing(this.#machine, path)).length > 0)
      throw new StepFailed(
        say`The new version needs Debian packages that are not installed and could not be fetched: ${needed.join(', ')}. ${lastWords(output, 1)}`,
      )
  }

  /** Null when the version is installed. */
  async #install(path: string, version: string, step: UpgradeStep): Promise<SaidText | null> {
    this.#show(step)
    if (this.#request.attempts > 1) await this.#machine.run(['dpkg', '--force-confold', '--configure', '-a'], installMs)
    for (let tries = 0; ; tries++) {
      const { code, output } = await this.#machine.run(['dpkg', '--force-confold', '-i', path], installMs)
      this.#machine.log(lastWords(output, 20))
      if (code === 0) break
      // Another program installs something at the moment.
      if (!output.includes('dpkg frontend lock') || tries === 60)
        return say`dpkg could not install version ${version}: ${lastWords(output)}`
      await this.#machine.pause(5_000)
    }
    const { output } = await this.#machine.run(['dpkg-query', '-s', packageName])
    const found = `${fieldOf(output, 'Version')} (${fieldOf(output, 'Status')})`
    return found === `${version} (${installedWords})` ? null : say`dpkg left version ${found} instead of ${version}.`
  }

  /** Null when the gateway is up. */
  async #start(step: UpgradeStep, revision: number | null): Promise<SaidText | null> {
    this.#show(step)
    await this.#machine.run(['systemctl', 'daemon-reload'])
    await this.#machine.run(['systemctl', 'reset-failed', socketUnit, ...units])
    await this.#startAll()
    return waitUntilUp(this.#machine, this.#places, revision, this.#parts.times ?? watchTimes)
  }

  /** The state of that time comes back before the version that stored it; it refuses to be installed beside a newer one. */
  async #goBackInTime(): Promise<SaidText | null> {
    if (!this.#request.undo?.restoresState) return null
    try {
      await this.#machine.run(['systemctl', 'stop', socketUnit, ...units.toReversed()], 180_000)
      await restoreState(this.#machine, this.#places, false, asidePath(this.#places))
      return null
    } catch (fault) {
      return wordsOf(fault)
    }
  }

  /** The package is kept: it is the way back of the next upgrade. */
  #keepInstalled(): End {
    // It was done before when only the end of the upgrade could not be written down.
    if (fs.existsSync(packagePath(this.#places))) fs.renameSync(packagePath(this.#places), installedPath(this.#places))
    const { from, to, undo } = this.#request
    if (undo) {
      dropAside(this.#places)
      const what = undo.restoresState ? say`the state of ${timeWords(undo.keptAt)}` : say`the present configuration`
      return { state: 'done', message: say`The gateway went back from ${from} to ${to}, with ${what}.` }
    }
    return { state: 'done', message: say`The gateway was upgraded from ${from} to ${to}.` }
  }

  async #goBack(): Promise<End> {
    this.#show('returning')
    try {
      // All of it: the state must not be in use while it is restored. The rules stay in the kernel.
      await this.#machine.run(['systemctl', 'stop', socketUnit, ...units.toReversed()], 180_000)
      await restoreState(this.#machine, this.#places, this.#isFormatSame())
    } catch (fault) {
      // The old version with the present state is better than none.
      this.#machine.log(wordsOf(fault))
    }
    const fault = await this.#install(previousPath(this.#places), this.#request.from, 'returning')
    // Whatever dpkg left is started: a gateway that may be wrong is better than none.
    const found = await this.#start('returning', this.#request.revision)
    const missing = fault ?? found
    const { reason, from, to, undo } = this.#request
    if (missing === null && undo) takeKeptBack(this.#places)
    if (missing === null)
      return { state: 'returned', message: say`Version ${to} was taken back, and ${from} is in use again. ${reason}` }
    return { state: 'failed', message: say`Neither ${to} nor ${from} came up. ${reason} After the return: ${missing}` }
  }

  #unchanged(why: string): End {
    if (this.#request.undo) takeKeptBack(this.#places)
    else fs.rmSync(packagePath(this.#places), { force: true })
    return { state: 'failed', message: say`Version ${this.#request.to} was not installed. ${why}` }
  }
}

const wordsOf = (fault: unknown): SaidText => {
  if (fault instanceof StepFailed || fault instanceof RefusedPackage) return fault.message
  const { code, message } = fault as NodeJS.ErrnoException
  if (code === 'ENOSPC') return say`The disk is full.`
  return verbatim(message)
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
