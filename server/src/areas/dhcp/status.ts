// What runs of the DHCP services: nothing yet, and the items say so.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../contract/slots.ts'
import { entries } from './config.ts'

export const dhcpStatusItems = (config: Config): StatusItem[] => {
  const enabled = read(config, entries).filter((entry) => entry.enabled)
  return [
    item(
      'dhcp-server',
      enabled.some(({ server }) => server !== null),
      'the DHCP server',
    ),
    item(
      'dhcp-relay',
      enabled.some(({ relay }) => relay !== null),
      'the DHCP relay',
    ),
  ]
}

const item = (name: string, isWanted: boolean, engine: string): StatusItem => ({
  name,
  status: 'inactive',
  msg: [
    isWanted
      ? `Stored; ${engine} is not part of this release yet, so nothing is applied.`
      : `No interface has ${engine} switched on.`,
  ],
})
