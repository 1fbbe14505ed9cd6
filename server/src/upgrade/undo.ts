// The way back by hand, later: to the version that the last upgrade replaced. It is an upgrade to the kept package, so
// whatever fails leads back in the same way. The present configuration stays where that version can read it; otherwise the
// state that was kept with it is restored.

import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { say } from '../shared/said.ts'
import { builtField, type Installed, isSameBuild, readBuilt, recordedFormat } from './judge.ts'
import { previousPath, savedPath } from './keep.ts'
import type { Machine } from './machine.ts'
import type { UpgradePlaces } from './places.ts'
import { unixNow, writeStatus } from './record.ts'
import { claim, packagePath, refuseSecond, statusOf, UpgradeRefused, type UpgradeRequest } from './take.ts'

/** What the last upgrade kept. */
export interface Kept {
  readonly version: string
  readonly built: number | null
  /** Of the kept state. */
  readonly format: number
  /** Unix seconds. */
  readonly keptAt: number
}

/** Null when no upgrade left anything to go back to. */
export async function findKept(machine: Machine, places: UpgradePlaces): Promise<Kept | null> {
  const complete = fs.lstatSync(join(savedPath(places), 'complete'), { throwIfNoEntry: false })
  if (complete === undefined || !fs.existsSync(previousPath(places))) return null
  const { code, output } = await machine.run(['dpkg-deb', '-f', previousPath(places), 'Version'])
  const version = output.trim()
  if (code !== 0 || version === '') return null
  const built = readBuilt((await machine.run(['dpkg-deb', '-f', previousPath(places), builtField])).output.trim())
  const format = recordedFormat(join(savedPath(places), 'applyd'))
  return { version, built, format, keptAt: Math.floor(complete.mtimeMs / 1000) }
}

/** A version reads what it stored itself and what older ones stored. */
export const restoresState = (kept: Kept, stored: number): boolean => kept.format < stored

/** Leaves the request; nothing that another account can write is read for it. */
export function takeUndo(
  places: UpgradePlaces,
  kept: Kept,
  installed: Pick<Installed, 'version' | 'built' | 'format'>,
): UpgradeRequest {
  refuseSecond(places)
  if (isSameBuild(kept, installed))
    throw new UpgradeRefused(say`There is no other version to go back to than the installed ${installed.version}.`)
  const request: UpgradeRequest = {
    id: randomUUID(),
    from: installed.version,
    to: kept.version,
    by: 'root',
    digest: '',
    formats: { from: installed.format, to: kept.format },
    startedAt: unixNow(),
    phase: 'asked',
    attempts: 0,
    revision: null,
    reason: '',
    undo: { restoresState: restoresState(kept, installed.format), keptAt: kept.keptAt },
  }
  claim(places, request)
  fs.rmSync(packagePath(places), { force: true })
  fs.linkSync(previousPath(places), packagePath(places))
  writeStatus(places.status, statusOf(request, 'checking'))
  return request
}

/** Where the kept state is while the present one is kept in its place. */
export const asidePath = (places: UpgradePlaces): string => join(places.root, 'undo-state')

/** Makes room for the package and the state that the way back from this one needs. */
export function setKeptAside(places: UpgradePlaces): void {
  fs.rmSync(asidePath(places), { recursive: true, force: true })
  fs.renameSync(savedPath(places), asidePath(places))
}

/** As before, so that it can be tried again. */
export function takeKeptBack(places: UpgradePlaces): void {
  if (fs.existsSync(asidePath(places))) {
    fs.rmSync(savedPath(places), { recursive: true, force: true })
    fs.renameSync(asidePath(places), savedPath(places))
  }
  if (!fs.existsSync(packagePath(places))) return
  fs.rmSync(previousPath(places), { force: true })
  fs.renameSync(packagePath(places), previousPath(places))
}

export const dropAside = (places: UpgradePlaces): void => fs.rmSync(asidePath(places), { recursive: true, force: true })

export const timeWords = (unixSeconds: number): string =>
  `${new Date(unixSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
