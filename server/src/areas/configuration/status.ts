// Whether the configuration is applied to the machine, whether the stored data is intact, and whether the disk has room.

import type { Machine, Services } from '../../core/area/handle.ts'
import { type StatusItem, storedOnly } from '../../core/contract/fields.ts'
import { printSaid, type SaidText, say } from '../../shared/said.ts'

type Disk = ReturnType<NonNullable<Services['reserve']>['state']>

export interface Stored {
  readonly revision: number
  readonly damage: readonly SaidText[]
  /** Null where the disk is not watched. */
  readonly disk: Disk | null
  readonly history: Services['engine']['history']
  readonly limits: { readonly revisions: number; readonly bytes: number }
}

export function configurationStatusItems(machine: Machine, stored: Stored): StatusItem[] {
  const { revision, damage, disk } = stored
  return [applyItem(machine, revision), storeItem(damage, disk), historyItem(stored), ...unitItems(machine)]
}

/** From this part of a limit on, what is going to happen is reported. */
const nearLimit = 0.8

function historyItem({ history, limits }: Stored): StatusItem {
  const isNear = history.bytes > limits.bytes * nearLimit || history.revisions > limits.revisions * nearLimit
  const removed = history.removedUpTo === 0 ? '' : say`Revisions up to ${history.removedUpTo} were removed.`
  const message = say`The history has ${history.revisions} of at most ${limits.revisions} revisions and uses ${mebibytes(history.bytes)} of at most ${mebibytes(limits.bytes)}. At a limit the oldest are removed; raise it, or make a backup of what must be kept.`
  return { name: 'history', status: 'active', msg: isNear ? [printSaid([message, removed])] : [] }
}

function applyItem(machine: Machine, revision: number): StatusItem {
  const name = 'apply'
  const { observation } = machine
  if (!observation) return { name, status: 'failed', msg: [machine.unreachable] }
  if (observation.limitation !== null) return { name, status: 'inactive', msg: [storedOnly(observation.limitation)] }
  if (machine.applyError !== null) return { name, status: 'failed', msg: [machine.applyError] }
  return observation.appliedRevision === null
    ? { name, status: 'activating', msg: [say`Revision ${revision} is being applied.`] }
    : { name, status: 'active', msg: [] }
}

const storeItem = (damage: readonly SaidText[], disk: Disk | null): StatusItem => ({
  name: 'store',
  status: damage.length === 0 && disk?.state !== 'full' ? 'active' : 'failed',
  msg: [...damage, ...(disk ? roomMessages(disk) : [])],
})

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

function roomMessages({ state, freeBytes, reserveBytes }: Disk): SaidText[] {
  if (state === 'enough') return []
  const what = say`Delete backups that are not needed, or other files on the disk of the state folder`
  return state === 'full'
    ? [say`The disk is full or takes no writes: new changes are refused. ${what}; ${mebibytes(freeBytes)} are free.`]
    : [
        say`The disk is nearly full: logs and backups take no more room. ${what}; ${mebibytes(freeBytes)} are free, and ${mebibytes(reserveBytes)} are reserved.`,
      ]
}

const unitItems = ({ observation }: Machine): StatusItem[] =>
  (observation?.units ?? []).map((unit) => ({
    name: unit.name,
    status: unit.state,
    msg: unit.message === '' ? [] : [unit.message],
  }))
