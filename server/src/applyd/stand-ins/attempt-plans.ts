// Two plans that differ in tables only: the second one changes a chain, removes one with its rule, and adds an element.

import type { Plan } from '../../core/plan/artifacts.ts'
import { chain, file, nft, planOf, set, unit } from './harness.ts'
import { base, rule } from './sequence.ts'

export const attemptPlan = (revision: number, mark: 'a' | 'b', text = 'well\n'): Plan => {
  const gone = mark === 'a' ? [chain('old', [rule('r.old')])] : []
  const pieces = [
    base('jump kept', ...(mark === 'a' ? ['jump old'] : []), rule(`r.${mark}`)),
    chain('kept', [rule('r.kept', 'ip saddr @s'), ...(mark === 'b' ? [rule('r.more')] : [])]),
    ...gone,
    set('s', ['10.0.0.1', '10.0.0.2', '10.0.0.3', ...(mark === 'b' ? ['10.0.0.4'] : [])]),
  ]
  return planOf(revision, nft(pieces), file('stand.conf', text), unit('stand'))
}

/** As if packets had come while the first plan was loaded. */
export function countPackets(nftCommand: (...args: string[]) => unknown): void {
  for (const [name, line, packets] of [
    ['old', rule('r.old'), 5],
    ['kept', rule('r.kept', 'ip saddr @s'), 7],
  ] as const) {
    nftCommand('flush', 'chain', 'inet', 'portcullis', name)
    const counted = line.replace('counter', `counter packets ${packets} bytes ${packets}0`)
    nftCommand('add', 'rule', 'inet', 'portcullis', name, counted)
  }
}
