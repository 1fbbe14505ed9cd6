// The refusal of lists or of an archive of them.

import type { SaidText } from '../../../shared/said.ts'

/** The message is a sentence for an administrator. */
export class ListsRefused extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText) {
    super(message)
  }
}
