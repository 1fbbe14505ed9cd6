// Numbers in sentences.

/** `1 rule`, `2 rules`; the words may go on as far as they differ. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`
