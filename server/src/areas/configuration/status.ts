// Whether the configuration is applied to the machine, and whether the stored data is intact.

import { type StatusItem, storedOnly } from '../../contract/fields.ts'
import type { Machine } from '../../http/handle.ts'

export function configurationStatusItems(machine: Machine, damage: readonly string[], revision: number): StatusItem[] {
  return [applyItem(machine, revision), storeItem(damage), ...unitItems(machine)]
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

const storeItem = (damage: readonly string[]): StatusItem => ({
  name: 'store',
  status: damage.length === 0 ? 'active' : 'failed',
  msg: [...damage],
})

const unitItems = ({ observation }: Machine): StatusItem[] =>
  (observation?.units ?? []).map((unit) => ({
    name: unit.name,
    status: unit.state,
    msg: unit.message === '' ? [] : [unit.message],
  }))
