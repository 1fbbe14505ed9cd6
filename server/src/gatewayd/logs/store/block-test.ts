// A condition as it is asked of blocks; conditions.ts makes it.

import type { Block } from './block.ts'

/** All records, no record, or a 1 for each that is meant. */
export type Selection = boolean | Uint8Array

export interface BlockTest {
  select(block: Block): Selection
  count(block: Block): number
}
