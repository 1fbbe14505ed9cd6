// The tactics matrix: one column a tactic in the order of an attack, its groups of signatures below, the largest first. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { signatureMatrix } from '@gateway/server/contract/intrusion-prevention'

export type Matrix = ReplyOf<typeof signatureMatrix>['signature_groups']

/** Of MITRE ATT&CK, in the order in which an attack uses them. */
const order = [
  'TA0043',
  'TA0042',
  'TA0001',
  'TA0002',
  'TA0003',
  'TA0004',
  'TA0005',
  'TA0006',
  'TA0007',
  'TA0008',
  'TA0009',
  'TA0011',
  'TA0010',
  'TA0040',
]

export interface TacticCell {
  readonly classtype: string
  readonly name: string
  readonly count: number
  /** 1 to 4: how much of all signatures of the largest group. */
  readonly weight: 1 | 2 | 3 | 4
}

export interface TacticColumn {
  readonly id: string
  readonly name: string
  readonly count: number
  readonly cells: readonly TacticCell[]
}

const rankOf = (id: string): number => {
  const at = order.indexOf(id)
  return at < 0 ? order.length : at
}

/** Sizes differ by orders of magnitude, so the weight is that of their logarithms. */
function weightOf(count: number, most: number): TacticCell['weight'] {
  if (most <= 1) return 1
  const share = Math.log(Math.max(count, 1)) / Math.log(most)
  return Math.min(4, 1 + Math.floor(share * 3.999)) as TacticCell['weight']
}

export function tacticColumns(matrix: Matrix, text = ''): TacticColumn[] {
  const needle = text.trim().toLowerCase()
  const most = Math.max(1, ...matrix.flatMap(({ classtypes }) => classtypes.map(({ count }) => count)))
  return matrix
    .map((tactic) => {
      const isWhole =
        needle === '' || `${tactic.mitre_tactic_id} ${tactic.mitre_tactic_name}`.toLowerCase().includes(needle)
      const cells = tactic.classtypes
        .filter(
          ({ classtype, classtype_name }) => isWhole || `${classtype} ${classtype_name}`.toLowerCase().includes(needle),
        )
        .map(({ classtype, classtype_name, count }) => ({
          classtype,
          name: classtype_name || classtype,
          count,
          weight: weightOf(count, most),
        }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      const count = cells.reduce((sum, cell) => sum + cell.count, 0)
      return { id: tactic.mitre_tactic_id, name: tactic.mitre_tactic_name || tactic.mitre_tactic_id, count, cells }
    })
    .filter(({ cells }) => cells.length > 0)
    .sort((a, b) => rankOf(a.id) - rankOf(b.id) || (a.id < b.id ? -1 : 1))
}
