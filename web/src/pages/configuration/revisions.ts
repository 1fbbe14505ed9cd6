// Revisions as rows: narrowed by person, time and words. Pure.

export interface Revision {
  readonly revision: number
  readonly time: string
  readonly author: string
  readonly address: string
  readonly reason: string
}

export interface Narrowing {
  readonly text: string
  readonly who: string
  /** Unix seconds; null: open. */
  readonly from: number | null
  readonly until: number | null
  /** Only these, where an object was asked for. */
  readonly only: ReadonlySet<number> | null
}

const number = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) : null

export const readNarrowing = (
  search: Readonly<Record<string, string>>,
  only: ReadonlySet<number> | null,
): Narrowing => ({
  text: search.q ?? '',
  who: search.who ?? '',
  from: number(search.from),
  until: number(search.until),
  only,
})

/** `wordsOf` says what a revision changed, where that is known. */
export function narrow<R extends Revision>(
  revisions: readonly R[],
  { text, who, from, until, only }: Narrowing,
  wordsOf: (revision: number) => string,
): R[] {
  const needle = text.trim().toLowerCase()
  return revisions.filter(({ revision, time, author, address, reason }) => {
    const unix = Date.parse(time) / 1_000
    if (only && !only.has(revision)) return false
    if (who !== '' && author !== who) return false
    if ((from !== null && unix < from) || (until !== null && unix >= until)) return false
    if (needle === '') return true
    return [String(revision), author, address, reason, wordsOf(revision)].some((one) =>
      one.toLowerCase().includes(needle),
    )
  })
}
