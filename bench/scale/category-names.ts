// Names for the bench of categories, each once.

export const nameOf = (number: number): string => `site-${number.toString(36)}.zone${number % 5_003}.example.com`
