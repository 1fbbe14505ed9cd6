// Ranges of DHCP and networks that are authorized as a whole: a range is inside such a network or outside of it, never partly
// (docs/behaviour/authorization.md 1).

import type { Problem } from '../../core/contract/error.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { parseSpan } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { authorizationRules } from '../authorization/public.ts'
import { entries } from './config.ts'

export function verify(config: Config): Problem[] {
  const networks = read(config, authorizationRules)
    .filter(({ enabled, ip }) => enabled && ip?.includes('/'))
    .flatMap(({ ip }) => {
      const span = parseSpan(ip ?? '')
      return span ? [{ text: ip, span }] : []
    })
  if (networks.length === 0) return []
  return read(config, entries)
    .filter(({ enabled }) => enabled)
    .flatMap(({ id, server }) =>
      (server?.ranges ?? []).flatMap((range, index) => {
        const [low, high] = parseSpan(range) ?? [0, -1]
        const partly = networks.find(({ span: [first, last] }) => {
          const isInside = first <= low && high <= last
          return low <= last && first <= high && !isInside
        })
        const message = say`The range ${range} overlaps partly with the network ${partly?.text}, which is authorized as a whole.`
        return partly ? [{ field: `${pathOf(entries, id)}.server.ranges[${index}]`, message }] : []
      }),
    )
}
