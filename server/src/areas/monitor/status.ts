// The status of the traffic monitor, the flow export, SNMP and the monitoring agent.

import type { StatusItem } from '../../contract/fields.ts'
import { engineUnit } from '../../engines/artifacts.ts'
import { describeMissing } from '../../engines/engine.ts'
import { monitoringAgent } from '../../engines/monitoring-agent/index.ts'
import { snmp } from '../../engines/snmp/index.ts'
import type { Machine } from '../../http/handle.ts'
import { type Config, read } from '../../model/slots.ts'
import type { TrafficReading } from '../../plan/facts.ts'
import { failed, findUnit, inactive, type State, unitStatus } from '../../system/observed.ts'
import { isAgentServed, snmpFaults } from './agents.ts'
import { flowSettings, flowState, snmpState } from './config.ts'

/** Sessions are a plain list, so the status shows why it is empty or incomplete. */
export function trafficItems(reading: TrafficReading | undefined): StatusItem[] {
  if (reading === undefined) return withoutSessions('inactive', 'The traffic of this gateway is not read.')
  if (reading.limitation !== null) return withoutSessions('inactive', reading.limitation)
  const rates: StatusItem = reading.isCounting
    ? { name: 'rates', status: 'active', msg: [] }
    : { name: 'rates', status: 'inactive', msg: [uncounted] }
  return [{ name: 'sessions', status: 'active', msg: reading.isCut ? [cut] : [] }, rates, noApplications]
}

/** When the machine did not answer. */
export const unreadTrafficItems = (why: string): StatusItem[] => withoutSessions('failed', why)

const withoutSessions = (status: StatusItem['status'], why: string): StatusItem[] => [
  { name: 'sessions', status, msg: [why] },
  { name: 'rates', status: 'inactive', msg: ['Rates are not available without sessions.'] },
  noApplications,
]

const cut = 'The gateway tracks more sessions than can be shown; the lists are incomplete.'
const uncounted = 'The kernel does not count the traffic of sessions, so all rates are 0.'
const noApplications: StatusItem = {
  name: 'applications',
  status: 'inactive',
  msg: ['No engine recognises applications yet, so the list of applications is empty.'],
}

export function snmpItems(config: Config, machine: Machine): StatusItem[] {
  const item = (state: State): StatusItem[] => [{ name: 'snmpd', ...state }]
  if (!read(config, snmpState).enabled) return item(inactive('SNMP is switched off.'))
  const faults = snmpFaults(config)
  if (faults.length > 0) return item(failed(...faults, 'No one can read until this is set.'))
  const { status, msg } = unitStatus(machine, engineUnit(snmp, 'snmp').name, 'The SNMP service is not running.')
  return item({ status, msg: msg.map((message) => describeMissing(snmp, message) ?? message) })
}

/** Whether it runs, not whether it is switched on. */
export const isAgentRunning = (config: Config, machine: Machine): boolean =>
  isAgentServed(config) && findUnit(machine, engineUnit(monitoringAgent, 'monitoring-agent').name)?.state === 'active'

export function flowItems(config: Config): StatusItem[] {
  const { destination_ip, exported_interfaces } = read(config, flowSettings)
  const msg = read(config, flowState).enabled
    ? [
        'Stored; the flow export is not part of this release yet, so nothing is sent.',
        ...(destination_ip === '' ? ['The address of the collector is missing.'] : []),
        ...(exported_interfaces.length === 0 ? ['No interface is selected.'] : []),
      ]
    : ['The flow export is switched off.']
  return [{ name: 'netflow-export', status: 'inactive', msg }]
}
