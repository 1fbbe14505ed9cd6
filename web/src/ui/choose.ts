// What a typed text means among things to choose from, the same in every field: what is exactly that comes first, so that Enter
// never takes a neighbour. Pure.

export interface Choice {
  readonly value: string
  readonly label: string
  /** The sort of thing it is, such as "subnet", or what it stands for, such as a port; shown beside it. */
  readonly kind?: string | undefined
  /** What helps to choose it, below it in the list only. */
  readonly hint?: string | undefined
}

/** No value of the gateway begins with this character. */
export const createValue = '\u0000create'

export interface Typed {
  readonly text: string
  /** A text that no choice is exactly can be added. */
  readonly canCreate: boolean
  /** Whether the text is a whole value by itself, such as a port, and not the beginning of a name. */
  readonly isValue?: ((text: string) => boolean) | undefined
}

const ranks = { exact: 0, almost: 1, create: 2, begins: 3, contains: 4, createLast: 5 } as const

/** The choices that fit, best first; all of them where nothing is typed. */
export function offered<C extends Choice>(choices: readonly C[], typed: Typed): readonly (C | Choice)[] {
  const text = typed.text.trim()
  if (text === '') return choices
  const isValue = typed.isValue?.(text) ?? false
  const found: { readonly rank: number; readonly choice: C | Choice }[] = []
  for (const choice of choices) {
    const rank = rankOf(choice, text)
    if (rank !== null) found.push({ rank, choice })
  }
  const isThere = found.some(({ rank }) => rank === ranks.exact)
  if (typed.canCreate && !isThere)
    found.push({ rank: isValue ? ranks.create : ranks.createLast, choice: { value: createValue, label: text } })
  return found.toSorted((a, b) => a.rank - b.rank).map(({ choice }) => choice)
}

function rankOf({ label, value, kind = '', hint = '' }: Choice, text: string): number | null {
  if (label === text || value === text || kind === text) return ranks.exact
  const wanted = text.toLocaleLowerCase()
  const [name, sort] = [label.toLocaleLowerCase(), kind.toLocaleLowerCase()]
  if (name === wanted || sort === wanted) return ranks.almost
  if (name.startsWith(wanted)) return ranks.begins
  return `${name} ${sort} ${hint.toLocaleLowerCase()}`.includes(wanted) ? ranks.contains : null
}
