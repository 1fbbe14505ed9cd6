// The status of the traffic monitor, flow export and SNMP: what is set, and what comes of it.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../model/slots.ts'
import type { TrafficReading } from '../../plan/facts.ts'
import { flowSettings, flowState, snmpState } from './config.ts'

/** Sessions are a plain list, so it is here that one learns why it is empty or not whole. */
export function trafficItems(reading: TrafficReading | undefined): StatusItem[] {
  if (reading === undefined) return withoutSessions('inactive', 'Nobody reads what passes through this gateway.')
  if (reading.limitation !== null) return withoutSessions('inactive', reading.limitation)
  const rates: StatusItem = reading.isCounting
    ? { name: 'rates', status: 'active', msg: [] }
    : { name: 'rates', status: 'inactive', msg: [uncounted] }
  return [{ name: 'sessions', status: 'active', msg: reading.isCut ? [cut] : [] }, rates, noApplications]
}

/** For when the machine could not be asked. */
export const unreadTrafficItems = (why: string): StatusItem[] => withoutSessions('failed', why)

const withoutSessions = (status: StatusItem['status'], why: string): StatusItem[] => [
  { name: 'sessions', status, msg: [why] },
  { name: 'rates', status: 'inactive', msg: ['Without sessions there are no rates.'] },
  noApplications,
]

const cut = 'The gateway tracks more sessions than are shown here; the lists are a part of them.'
const uncounted = 'The kernel does not count what sessions carry, so all rates are 0.'
const noApplications: StatusItem = {
  name: 'applications',
  status: 'inactive',
  msg: ['No engine recognises applications yet, so sessions have none and there is no list of them.'],
}

export const snmpItems = (config: Config): StatusItem[] => [
  {
    name: 'snmpd',
    status: 'inactive',
    msg: read(config, snmpState).enabled
      ? ['Stored; the SNMP service is not part of this release yet, so nobody answers.']
      : ['SNMP is switched off.'],
  },
]

export function flowItems(config: Config): StatusItem[] {
  const { destination_ip, exported_interfaces } = read(config, flowSettings)
  const msg = read(config, flowState).enabled
    ? [
        'Stored; the flow export is not part of this release yet, so nothing is sent.',
        ...(destination_ip === '' ? ['The address of the collector is missing.'] : []),
        ...(exported_interfaces.length === 0 ? ['No interface is chosen.'] : []),
      ]
    : ['The flow export is switched off.']
  return [{ name: 'netflow-export', status: 'inactive', msg }]
}
