// The status of the traffic monitor, the flow export, SNMP and the monitoring agent.

import type { Machine } from '../../core/area/handle.ts'
import { counted } from '../../core/contract/counted.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { FlowReport, TrafficReading } from '../../core/plan/facts.ts'
import { failed, findUnit, inactive, type State, unitStatus } from '../../core/plan/observed.ts'
import { flowExport } from '../../engines/flow-export/index.ts'
import { monitoringAgent } from '../../engines/monitoring-agent/index.ts'
import { snmp } from '../../engines/snmp/index.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { isAgentServed, snmpFaults } from './agents.ts'
import { flowSettings, flowState, snmpState } from './config.ts'
import { isFlowExported } from './render.ts'

/** Sessions are a plain list, so the status shows why it is empty or incomplete. */
export function trafficItems(reading: TrafficReading | undefined, applications: StatusItem): StatusItem[] {
  if (reading === undefined)
    return withoutSessions('inactive', say`The traffic of this gateway is not read.`, applications)
  if (reading.limitation !== null) return withoutSessions('inactive', verbatim(reading.limitation), applications)
  const rates: StatusItem = reading.isCounting
    ? { name: 'rates', status: 'active', msg: [] }
    : { name: 'rates', status: 'inactive', msg: [uncounted] }
  return [{ name: 'sessions', status: 'active', msg: reading.isCut ? [cut] : [] }, rates, applications]
}

/** When the machine did not answer. */
export const unreadTrafficItems = (why: SaidText, applications: StatusItem): StatusItem[] =>
  withoutSessions('failed', why, applications)

const withoutSessions = (status: StatusItem['status'], why: SaidText, applications: StatusItem): StatusItem[] => [
  { name: 'sessions', status, msg: [why] },
  { name: 'rates', status: 'inactive', msg: [say`Rates are not available without sessions.`] },
  applications,
]

const cut = say`The gateway tracks more sessions than can be shown; the lists are incomplete.`
const uncounted = say`The kernel does not count the traffic of sessions, so all rates are 0.`

export function snmpItems(config: Config, machine: Machine): StatusItem[] {
  const item = (state: State): StatusItem[] => [{ name: 'snmpd', ...state }]
  if (!read(config, snmpState).enabled) return item(inactive(say`SNMP is switched off.`))
  const faults = snmpFaults(config)
  if (faults.length > 0) return item(failed(...faults, say`No one can read until this is set.`))
  const { status, msg } = unitStatus(machine, engineUnit(snmp, 'snmp').name, say`The SNMP service is not running.`)
  return item({ status, msg: msg.map((message) => describeMissing(snmp, message) ?? message) })
}

/** Whether it runs, not whether it is switched on. */
export const isAgentRunning = (config: Config, machine: Machine): boolean =>
  isAgentServed(config) && findUnit(machine, engineUnit(monitoringAgent, 'monitoring-agent').name)?.state === 'active'

export interface FlowView extends Machine {
  readonly config: Config
  readonly report: FlowReport | null
}

export const flowItems = (view: FlowView): StatusItem[] => [{ name: 'netflow-export', ...flowStateOf(view) }]

function flowStateOf(view: FlowView): State {
  const { config, report } = view
  const { destination_ip, destination_port, exported_interfaces } = read(config, flowSettings)
  if (!read(config, flowState).enabled) return inactive(say`The flow export is switched off.`)
  if (!isFlowExported(config))
    return inactive(
      ...(destination_ip === '' ? [say`Nothing is exported: the address of the collector is missing.`] : []),
      ...(exported_interfaces.length === 0 ? [say`Nothing is exported: no interface is selected.`] : []),
    )
  const state = unitStatus(view, engineUnit(flowExport, 'flow-export').name, say`The flow exporter is not running.`)
  if (state.status !== 'active') return state
  return { status: state.status, msg: [...state.msg, ...reportLines(report, `${destination_ip}:${destination_port}`)] }
}

function reportLines(report: FlowReport | null, collector: string): SaidText[] {
  if (report === null) return [say`Nothing has been sent yet.`]
  const { flows, packets, failedPackets, lostConnections, fault } = report
  return [
    say`Sent to ${collector} since the exporter started: ${counted(flows, 'flow')} in ${counted(packets, 'packet')}.`,
    ...(fault === '' ? [] : [faultLine(fault, collector)]),
    ...(failedPackets > 0 ? [say`Packets that did not reach the collector: ${failedPackets}.`] : []),
    ...(lostConnections > 0
      ? [say`Connections that ended faster than they could be counted and are missing: ${lostConnections}.`]
      : []),
  ]
}

const faultLine = (code: string, collector: string): SaidText =>
  code === 'ECONNREFUSED'
    ? say`The collector ${collector} refuses packets: nothing listens on its port.`
    : say`The last packet to ${collector} could not be sent (${code}).`
