// The status of the console: gateways cannot connect in this release, and the status says so.

import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { connection, state } from './config.ts'

export const consoleStatus = (config: Config, brand: string): StatusItem => ({
  name: `${brand}-central-console-backend`,
  status: 'inactive',
  msg: [
    say`Stored. The link between console and gateways is not part of this release yet, so no gateway can connect.`,
    ...(read(config, connection).cc_server === null
      ? []
      : [say`A console is set, but this gateway does not connect to it.`]),
    ...(read(config, state).enabled ? [say`Rule synchronization is enabled, but no rule is delivered.`] : []),
  ],
})
