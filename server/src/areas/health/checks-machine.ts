// What applyd reports of the machine, judged: applyd itself, what is applied, tables, links and units. Pure.

import type { Finding } from '../../core/contract/health.ts'
import type { Conflict, LinkObservation, Observation, UnitObservation } from '../../core/plan/artifacts.ts'
import { printSaid, type Said, type SaidText, say } from '../../shared/said.ts'

interface Machine {
  readonly observation: Observation | null
  readonly unreachable: SaidText
  readonly applyError: SaidText | null
}

const good = (id: string, title: Said, message: Said): Finding => ({ id, title, state: 'ok', message, advice: '' })

/** Whether applyd answers, which is known in any case. */
export function applydFindings({ observation, unreachable }: Machine): Finding[] {
  const [id, title] = ['applyd', say`Privileged service`]
  if (observation) return [good(id, title, say`applyd answers.`)]
  const advice = say`Changes cannot be applied. Look at the log of applyd, and start the gateway again if it does not return.`
  return [{ id, title, state: 'failed', message: [say`applyd does not answer.`, unreachable], advice }]
}

/** Null when applyd does not answer: then nothing is known of the rest. */
export function appliedFindings({ observation, applyError }: Machine): Finding[] | null {
  if (!observation) return null
  const { limitation } = observation
  const [id, title] = ['apply', say`Configuration in force`]
  if (limitation !== null)
    return [{ id, title, state: 'unknown', message: say`Nothing is applied here: ${limitation}`, advice: '' }]
  const apply: Finding =
    applyError === null
      ? good(id, title, say`The configuration is applied.`)
      : {
          id,
          title,
          state: 'failed',
          message: [say`The configuration is not applied.`, applyError],
          advice: say`Correct what the message names, or revert to an earlier revision.`,
        }
  return [apply, tablesFinding(observation), linksFinding(observation.links), ...settingsFindings(observation)]
}

/** What is only good to know is not a check. */
export const conflictFindings = (found: readonly Conflict[]): Finding[] =>
  found
    .filter(({ severity }) => severity !== 'note')
    .map(({ code, severity, title, detail, fix }) => ({
      id: `conflict.${code}`,
      title,
      state: severity === 'fault' ? 'failed' : 'warning',
      message: detail,
      advice: say`Repair it with: ${fix}`,
    }))

function tablesFinding({ tables }: Observation): Finding {
  const [id, title] = ['tables', say`Firewall tables`]
  const changed = tables.filter(({ asLoaded, isChanging }) => !asLoaded && !isChanging).map(({ name }) => name)
  if (changed.length === 0) return good(id, title, say`The tables in the kernel are those that were loaded.`)
  const message = say`The kernel does not have what was loaded: ${changed.join(', ')}.`
  return {
    id,
    title,
    state: 'failed',
    message,
    advice: say`Find out which other program changes the firewall, and stop it.`,
  }
}

function linksFinding(links: readonly LinkObservation[]): Finding {
  const [id, title] = ['links', say`Network interfaces`]
  const faults = links.flatMap(({ device, errors }) => errors.map((error) => say`${device}: ${error}`))
  if (faults.length === 0) return good(id, title, say`All interfaces are set up as configured.`)
  const message = [say`An interface could not be set up.`, printSaid(faults.slice(0, 5), '; ')]
  return {
    id,
    title,
    state: 'warning',
    message,
    advice: say`Check the card, the cable and the settings of the connection.`,
  }
}

/** A kernel that lacks a setting, or does not let it be written from here, is not a fault of the machine: the list shows it. */
function settingsFindings({ settings }: Observation): Finding[] {
  if (!settings) return []
  const [id, title] = ['packet-forwarding', say`Forwarding`]
  const forwarding = settings.find(({ name }) => name === 'net.ipv4.ip_forward')
  const changed = settings.filter(({ state }) => state === 'different')
  if (forwarding && forwarding.state !== 'set') {
    const message = [say`The machine does not forward between its networks.`, forwarding.message]
    return [{ id, title, state: 'failed', message, advice: say`Find out which other program sets it, and stop it.` }]
  }
  if (changed.length === 0) return [good(id, title, say`The machine forwards between its networks.`)]
  const message = say`Settings of the kernel are not as they should be: ${changed.map(({ name }) => name).join(', ')}.`
  return [
    { id, title, state: 'warning', message, advice: say`Find out which other program changes them, and stop it.` },
  ]
}

/** So many restarts within `restartSeconds` are not chance. */
const manyRestarts = 4
export const restartSeconds = 600

/** Units that are switched off are not checked. `restartsOf`: within the last ten minutes. */
export const unitFindings = (units: readonly UnitObservation[], restartsOf: (unit: string) => number): Finding[] =>
  units.filter(({ state }) => state !== 'inactive').map((unit) => unitFinding(unit, restartsOf(unit.name)))

function unitFinding({ name, state, message }: UnitObservation, restarts: number): Finding {
  const common = { id: `unit.${name}`, title: say`Service ${name}` }
  const advice = say`Look at the log of the service. A change of its settings starts it again.`
  if (state === 'failed')
    return { ...common, state: 'failed', message: message || say`The service has failed.`, advice }
  if (state !== 'active')
    return { ...common, state: 'warning', message: [say`The service is ${state}.`, message], advice }
  if (restarts < manyRestarts) return { ...common, state: 'ok', message: message || say`The service runs.`, advice: '' }
  const often = say`The service was started again ${restarts} times within the last ${restartSeconds / 60} minutes.`
  return { ...common, state: 'warning', message: often, advice }
}
