// Which port the direct proxy may have. Pure.

import type { Problem } from '../../core/contract/error.ts'
import { engines } from '../../engines/index.ts'
import { webPorts } from '../../engines/web-filter/index.ts'
import { say } from '../../shared/said.ts'

const { direct, ...inner } = webPorts
const taken: ReadonlySet<number> = new Set([
  ...Object.values(inner),
  ...engines.flatMap(({ ports }) =>
    Object.values(ports).flatMap(({ way, protocol, destinationPort }) =>
      way === 'input' && protocol === 'tcp' && destinationPort !== direct ? [destinationPort] : [],
    ),
  ),
])

export const portProblems = (port: number): Problem[] =>
  taken.has(port)
    ? [{ field: 'direct_port', message: say`Port ${port} belongs to another service of the gateway.` }]
    : []
