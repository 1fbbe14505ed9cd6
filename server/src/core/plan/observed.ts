// The status of a unit or of a ruleset table, from what applyd observed at the time of asking. Areas add what they know of
// their service.

import type { SaidText } from '../../shared/said.ts'
import { type StatusItem, storedOnly } from '../contract/fields.ts'
import type { Observation, UnitObservation } from './artifacts.ts'

/** `observation` is null when applyd does not answer; `unreachable` then says so. */
export interface Observed {
  readonly observation: Observation | null
  readonly unreachable: SaidText
}

export type State = Omit<StatusItem, 'name'>

export const active: State = { status: 'active', msg: [] }
export const inactive = (...msg: readonly SaidText[]): State => ({ status: 'inactive', msg: [...msg] })
export const failed = (...msg: readonly SaidText[]): State => ({ status: 'failed', msg: [...msg] })

/** Why nothing can be observed on this machine; null when it can. */
export function machineFault({ observation, unreachable }: Observed): State | null {
  if (!observation) return failed(unreachable)
  return observation.limitation === null ? null : inactive(storedOnly(observation.limitation))
}

export const findUnit = ({ observation }: Observed, name: string): UnitObservation | undefined =>
  observation?.units.find((unit) => unit.name === name)

/** `missing` is the message when applyd does not have such a unit. */
export function unitStatus(observed: Observed, name: string, missing: SaidText): State {
  const unit = findUnit(observed, name)
  return (
    machineFault(observed) ??
    (unit ? { status: unit.state, msg: unit.message === '' ? [] : [unit.message] } : failed(missing))
  )
}

/** `missing` is the message when the kernel does not have the table. */
export function tableStatus(observed: Observed, name: string, missing: SaidText): State {
  const isPresent = observed.observation?.tables.some((table) => table.name === name && table.present)
  return machineFault(observed) ?? (isPresent ? active : failed(missing))
}
