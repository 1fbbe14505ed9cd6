// Between which cards connections may skip the rules once these let them through (decision 124). What needs every packet of a connection is told
// by its mark, which the kernel looks at; here is what needs every packet of a host.

import type { EngineWay } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { Policy } from '../../domain/policy/model.ts'
import { type FastDevice, fastPathWay } from '../../engines/fast-path/observed.ts'

/** What applyd takes; names that the kernel allows beside these are rare. */
const deviceForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,14}$/

/**
 * None while sessions of users may exist: every packet of a host extends its session, and is dropped when its address belongs to another card.
 * Only between cards: devices that are made of others (VLAN, aggregated, bridges, tunnels) were not tried.
 */
export function fastPath(
  { authorization, isBlocked }: Pick<Policy, 'authorization' | 'isBlocked'>,
  { interfaces }: Pick<Facts, 'interfaces'>,
): readonly EngineWay[] {
  if (authorization !== null || isBlocked) return []
  const entries = interfaces.flatMap(({ name, isPlainCard }): FastDevice[] =>
    isPlainCard && deviceForm.test(name) ? [{ device: name }] : [],
  )
  return entries.length < 2 ? [] : [{ kind: 'way', name: fastPathWay, entries }]
}
