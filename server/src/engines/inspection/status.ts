// The status of the inspection engine for those who use it: from what applyd observes of the process, and from the tests of the channels.
// Active is only what was seen in force.

import {
  type ChannelState,
  type EngineSeen,
  type InspectionState,
  overrunSays,
} from '../../core/contract/inspection-state.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import { failed, findUnit, inactive, machineFault, type Observed, type State } from '../../core/plan/observed.ts'
import { printSaid, type SaidText, say } from '../../shared/said.ts'
import { inspectionEngine } from './index.ts'
import { type QueueObservation, queuesIn } from './observed.ts'

export interface InspectionView {
  readonly machine: Observed & { readonly applyError: SaidText | null }
  readonly inspection: InspectionState
  /** Which channels it is about. */
  readonly isOwn: (channel: ChannelState) => boolean
  /** Why nothing is inspected while no channel is in use. */
  readonly unused: SaidText
}

const unitName = engineUnit(inspectionEngine, 'inspection').name

/** `isChanging`: its settings are on their way to the machine. */
export function engineSeen(observation: Observation | null, isChanging: boolean): EngineSeen | null {
  if (!observation) return null
  const { heldSince = null, blocked = [] } = queuesIn(observation) ?? {}
  const unit = observation.units.find(({ name }) => name === unitName)
  // One that ends lets go of its queues one after the other.
  const isRunning = unit?.state === 'active' || unit?.state === 'reloading'
  return { heldSince: isRunning ? heldSince : null, isChanging, blocked }
}

export function inspectionStatus(view: InspectionView): State {
  const { machine, inspection } = view
  const own = inspection.channels.filter(view.isOwn)
  if (own.length === 0) return inactive(view.unused)
  const fault = machineFault(machine)
  if (fault) return fault
  const queues = queuesIn(machine.observation)
  const missing = own.filter(({ inForce }) => inForce === null)
  const outdated = own.filter(({ inForce }) => inForce !== inspection.generation)
  const effect = effectOf(missing)
  const unit = findUnit(machine, unitName)
  // One that is not wanted yet has no fault of its own.
  const isWanted = unit !== undefined && unit.state !== 'inactive'
  if (isWanted && unit.state !== 'active') {
    const words = describeMissing(inspectionEngine, unit.message) ?? unit.message
    return { status: unit.state, msg: [...(words === '' ? [] : [words]), ...effect] }
  }
  if (inspection.state === 'failed') return failed(inspection.message, ...reasonsOf(missing), ...effect)
  if (!isWanted) {
    const words = inspection.generation === null ? say`The rules are made.` : say`The engine is not started yet.`
    return machine.applyError === null
      ? { status: 'activating', msg: [words, ...effect] }
      : failed(machine.applyError, ...effect)
  }
  if (missing.length > 0) return { status: 'activating', msg: [say`The engine reads its rules.`, ...effect] }
  const passing = queues?.isOverrun === true ? own.filter(({ isFailOpen }) => isFailOpen) : []
  if (passing.length > 0) return failed(printSaid(overrunSays), ...effectOf(passing))
  if (outdated.length > 0 || inspection.state !== 'active')
    return { status: 'reloading', msg: [say`The engine reads new rules. Those from before are in force until then.`] }
  return { status: 'active', msg: [inForceWords(inspection, own), ...uninspectedWords(queues)] }
}

/** Packets that the engine did not see, in sentences; none when there are none. */
export function uninspectedWords(queues: QueueObservation | undefined): SaidText[] {
  const { passed, lost } = queues ?? { passed: 0, lost: { open: 0, closed: 0 } }
  const all = lost.open + lost.closed
  return [
    ...(passed === 0 ? [] : [say`Packets that passed without inspection: ${passed}.`]),
    ...(all === 0 ? [] : [say`Packets that were lost because the engine was too slow: ${all}.`]),
  ]
}

function inForceWords({ signatures }: InspectionState, own: readonly ChannelState[]): SaidText {
  const last = Math.min(...own.map(({ lastTestAt }) => lastTestAt ?? 0))
  const count = signatures === null ? '' : `, signatures: ${signatures}`
  return say`In force: channels: ${own.length}${count}. Last tested at ${new Date(last * 1000).toISOString()}.`
}

/** What happens to connections that are not inspected now. */
function effectOf(missing: readonly ChannelState[]): SaidText[] {
  const [open, closed] = [missing.filter(({ isFailOpen }) => isFailOpen), missing.filter((one) => !one.isFailOpen)]
  return [
    ...(open.length === 0 ? [] : [say`Connections of channels ${numbersOf(open)} pass without inspection until then.`]),
    ...(closed.length === 0 ? [] : [say`Connections of channels ${numbersOf(closed)} are blocked until then.`]),
  ]
}

const numbersOf = (channels: readonly ChannelState[]): string => channels.map(({ number }) => number).join(', ')

const reasonsOf = (missing: readonly ChannelState[]): SaidText[] => [
  ...new Set(missing.map(({ message }) => message).filter((message) => message !== '')),
]

/** Signatures that are not used, in a sentence; none when all are. */
export function failedWords({ failed: rules, failedCount }: InspectionState): SaidText[] {
  const [first] = rules
  if (!first) return []
  return [say`Signatures that are not used: ${failedCount}. The first is ${first.sid}: ${first.reason}`]
}
