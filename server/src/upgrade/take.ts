// The first step of an upgrade, for applyd and for gw: takes a package into the folder of root and checks it there, so that
// nothing that another account can write is ever installed. The program of the upgrade goes on from the request it leaves.

import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { readRegular, removeDurable, writeDurable } from '../shared/files/durable.ts'
import { isStorageFault, tryStoring } from '../shared/files/reserve.ts'
import { type CheckedPackage, PackageReader, type TrustedKeys } from '../shared/files/signed-package.ts'
import { adopt, type SaidText, type Sentence, say, sentencesIn } from '../shared/said.ts'
import { findObstacle, type Installed } from './judge.ts'
import type { UpgradePlaces } from './places.ts'
import { type UpgradeStatus, unixNow, writeStatus } from './record.ts'

/** What the program of the upgrade has to do, and how far it is. */
export interface UpgradeRequest {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly by: UpgradeStatus['by']
  readonly digest: string
  /** State formats of the two versions. */
  readonly formats: { readonly from: number; readonly to: number }
  readonly startedAt: number
  readonly phase: 'asked' | 'installing' | 'starting' | 'returning'
  /** How often the program was started for it; more than once after a power failure. */
  readonly attempts: number
  /** Of the configuration that was in force before. */
  readonly revision: number | null
  /** Why it goes back to the old version. */
  readonly reason: SaidText
  /** Goes back to the version before, whose state was kept at that time. */
  readonly undo?: { readonly restoresState: boolean; readonly keptAt: number }
}

export class UpgradeRefused extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText) {
    super(message)
  }
}

export const requestPath = (places: UpgradePlaces): string => join(places.root, 'request.json')
export const packagePath = (places: UpgradePlaces): string => join(places.root, 'package.deb')
/** A copy of the program of the upgrade and of its runtime (keep.ts). */
export const programPath = (places: UpgradePlaces): string => join(places.root, 'program')

export const dropProgram = (places: UpgradePlaces): void =>
  fs.rmSync(programPath(places), { recursive: true, force: true })

export function readRequest(places: UpgradePlaces): UpgradeRequest | null {
  const text = readRegular(requestPath(places))?.toString('utf8')
  try {
    if (text === undefined) return null
    const { sentences, ...request } = JSON.parse(text) as UpgradeRequest & { readonly sentences?: readonly Sentence[] }
    if (sentences) adopt(sentences)
    return request
  } catch {
    return null
  }
}

interface Offer {
  /** Open for reading; stays open. */
  readonly file: number
  readonly by: UpgradeStatus['by']
  readonly keys: TrustedKeys
  readonly installed: Installed
  /** Of the whole file, when it was checked before. */
  readonly digest?: string
}

/** Throws UpgradeRefused or RefusedPackage when it must not be installed; nothing stays then. */
export async function takePackage(places: UpgradePlaces, offer: Offer): Promise<UpgradeRequest> {
  const { by, digest, installed } = offer
  refuseSecond(places)
  fs.mkdirSync(places.root, { recursive: true, mode: 0o700 })
  const arriving = arrivingPath(places)
  try {
    const checked = await copyChecked(offer.file, arriving, offer.keys)
    if (digest !== undefined && checked.digest !== digest)
      throw new UpgradeRefused(say`The package is not the one that was uploaded.`)
    const obstacle = findObstacle(checked, installed)
    if (obstacle !== null) throw new UpgradeRefused(obstacle)
    const request = requestFor(checked, installed, by)
    // First the request: what another process takes in the meantime must not become the package of this one, and a status without
    // a request would say for ever that an upgrade runs.
    claim(places, request)
    fs.renameSync(arriving, packagePath(places))
    // An earlier upgrade may have left its copy of the program, which upgrade.sh would prefer to the installed one.
    dropProgram(places)
    tryStoring(() => writeStatus(places.status, statusOf(request, 'checking')))
    return request
  } catch (fault) {
    if (isStorageFault(fault)) throw new UpgradeRefused(say`The package cannot be stored: the disk is full or failing.`)
    throw fault
  } finally {
    fs.rmSync(arriving, { force: true })
  }
}

const secondRefused = (): UpgradeRefused =>
  new UpgradeRefused(say`Another upgrade is running. Wait until it has ended.`)

export function refuseSecond(places: UpgradePlaces): void {
  if (readRequest(places)) throw secondRefused()
}

let taken = 0

/** A name that no other process uses: applyd and gw may take a package at the same time. */
function arrivingPath(places: UpgradePlaces): string {
  for (const name of fs.readdirSync(places.root)) {
    // Of a process that ended in the middle.
    const pid = /^package\.deb\.(\d+)-\d+\.new$/.exec(name)?.[1]
    if (pid !== undefined && !fs.existsSync(`/proc/${pid}`)) fs.rmSync(join(places.root, name), { force: true })
  }
  return `${packagePath(places)}.${process.pid}-${++taken}.new`
}

/** Leaves the request unless another process left one first. */
export function claim(places: UpgradePlaces, request: UpgradeRequest): void {
  if (fs.existsSync(requestPath(places))) {
    refuseSecond(places)
    // One that cannot be read is not one.
    fs.rmSync(requestPath(places), { force: true })
  }
  const own = `${requestPath(places)}.${process.pid}`
  writeDurable(own, requestText(request))
  try {
    fs.linkSync(own, requestPath(places))
  } catch (fault) {
    throw (fault as NodeJS.ErrnoException).code === 'EEXIST' ? secondRefused() : fault
  } finally {
    // Its folder is forced to the disk with it.
    removeDurable(own)
  }
}

const requestFor = (checked: CheckedPackage, installed: Installed, by: UpgradeStatus['by']): UpgradeRequest => ({
  id: randomUUID(),
  from: installed.version,
  to: checked.version,
  by,
  digest: checked.digest,
  formats: { from: installed.format, to: checked.format },
  startedAt: unixNow(),
  phase: 'asked',
  attempts: 0,
  revision: null,
  reason: '',
})

export const writeRequest = (places: UpgradePlaces, request: UpgradeRequest): void =>
  writeDurable(requestPath(places), requestText(request))

/** What the reason consists of is stored with it: another process may go on. */
const requestText = (request: UpgradeRequest): string =>
  `${JSON.stringify({ ...request, sentences: sentencesIn(request.reason) })}\n`

/** The program could not be started for it. */
export function dropRequest(places: UpgradePlaces, message: SaidText): void {
  const request = readRequest(places)
  if (request)
    writeStatus(places.status, { ...statusOf(request, 'checking'), state: 'failed', message, finished_at: unixNow() })
  fs.rmSync(requestPath(places), { force: true })
}

export const statusOf = (request: UpgradeRequest, step: UpgradeStatus['step']): UpgradeStatus => ({
  id: request.id,
  from: request.from,
  to: request.to,
  by: request.by,
  state: 'running',
  step,
  message: '',
  started_at: request.startedAt,
  finished_at: null,
})

/** The bytes that are checked are the ones that are written. */
async function copyChecked(from: number, path: string, keys: TrustedKeys): Promise<CheckedPackage> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants
  fs.rmSync(path, { force: true })
  const to = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    const reader = new PackageReader(keys)
    const buffer = Buffer.allocUnsafe(1024 * 1024)
    for (let at = 0; ; ) {
      const count = fs.readSync(from, buffer, 0, buffer.length, at)
      if (count === 0) break
      reader.push(buffer.subarray(0, count))
      for (let written = 0; written < count; )
        written += fs.writeSync(to, buffer, written, count - written, at + written)
      at += count
      await setImmediate()
    }
    const checked = reader.finish()
    fs.fsyncSync(to)
    return checked
  } finally {
    fs.closeSync(to)
  }
}
