// Numbers in sentences.

import { sayText } from '../../shared/said-texts.ts'

/** `1 rule`, `2 rules`; the words may go on as far as they differ. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  sayText(`{0} ${number === 1 ? one : many}`, { 0: number })
