// The status of SNMP: what is set, and what comes of it.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../contract/slots.ts'
import { snmpState } from './config.ts'

export const snmpItems = (config: Config): StatusItem[] => [
  {
    name: 'snmpd',
    status: 'inactive',
    msg: read(config, snmpState).enabled
      ? ['Stored; the SNMP service is not part of this release yet, so nobody answers.']
      : [],
  },
]
