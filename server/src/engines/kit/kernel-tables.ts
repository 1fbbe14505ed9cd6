// Which tables the kernel has, without reading what is in them.

/**
 * What nft is asked. For `list tables` nft 1.0.6 first reads all elements of all sets, which takes it seconds beside a list of
 * 100,000 networks; a listing of flowtables names the same tables and reads no element.
 */
export const listTables = ['list', 'flowtables'] as const

/** Family and name of each table; what is inside of one is indented. */
export const tablesIn = (listing: string): string[] =>
  listing.split('\n').flatMap((line) => /^table (\w+ .+) \{$/.exec(line)?.[1] ?? [])
