// Whether the configuration is applied to the machine, whether the stored data is intact, and whether the disk has room.

import { type StatusItem, storedOnly } from '../../contract/fields.ts'
import type { Machine, Services } from '../../http/handle.ts'

type Disk = ReturnType<NonNullable<Services['reserve']>['state']>

export interface Stored {
  readonly revision: number
  readonly damage: readonly string[]
  /** Null where the disk is not watched. */
  readonly disk: Disk | null
}

export function configurationStatusItems(machine: Machine, { revision, damage, disk }: Stored): StatusItem[] {
  return [applyItem(machine, revision), storeItem(damage, disk), ...unitItems(machine)]
}

function applyItem(machine: Machine, revision: number): StatusItem {
  const name = 'apply'
  const { observation } = machine
  if (!observation) return { name, status: 'failed', msg: [machine.unreachable] }
  if (observation.limitation !== null) return { name, status: 'inactive', msg: [storedOnly(observation.limitation)] }
  if (machine.applyError !== null) return { name, status: 'failed', msg: [machine.applyError] }
  return observation.appliedRevision === null
    ? { name, status: 'activating', msg: [`Revision ${revision} is being applied.`] }
    : { name, status: 'active', msg: [] }
}

const storeItem = (damage: readonly string[], disk: Disk | null): StatusItem => ({
  name: 'store',
  status: damage.length === 0 && disk?.state !== 'full' ? 'active' : 'failed',
  msg: [...damage, ...(disk ? roomMessages(disk) : [])],
})

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

function roomMessages({ state, freeBytes, reserveBytes }: Disk): string[] {
  if (state === 'enough') return []
  const what = 'Delete backups that are not needed, or other files on the disk of the state folder'
  return state === 'full'
    ? [`The disk is full or takes no writes: new changes are refused. ${what}; ${mebibytes(freeBytes)} are free.`]
    : [
        `The disk is nearly full: logs and backups take no more room. ${what}; ${mebibytes(freeBytes)} are free, ` +
          `and ${mebibytes(reserveBytes)} are reserved.`,
      ]
}

const unitItems = ({ observation }: Machine): StatusItem[] =>
  (observation?.units ?? []).map((unit) => ({
    name: unit.name,
    status: unit.state,
    msg: unit.message === '' ? [] : [unit.message],
  }))
