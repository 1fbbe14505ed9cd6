// Applications by group, and the entries of a profile that a choice leads to. Pure.

export interface KnownApplication {
  readonly id: string
  readonly name: string
  readonly group: string
  readonly recognised: boolean
}

export interface ListedProtocol {
  readonly id: string
  readonly action: string
}

export interface ApplicationGroup<T> {
  readonly group: string
  /** Those that fit the search. */
  readonly own: readonly T[]
  readonly all: readonly T[]
}

/** Groups by their names, and in each those whose name fits; all of a group whose own name fits. */
export function groupApplications<T extends KnownApplication>(
  known: readonly T[],
  query: string,
  wordOf: (group: string) => string,
): ApplicationGroup<T>[] {
  const needle = query.trim().toLowerCase()
  const groups = Map.groupBy(known, ({ group }) => group)
  return [...groups]
    .map(([group, all]) => {
      const isWhole = `${group} ${wordOf(group)}`.toLowerCase().includes(needle)
      const own = isWhole ? all : all.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(needle))
      return { group, own, all }
    })
    .filter(({ own }) => own.length > 0)
    .sort((a, b) => wordOf(a.group).localeCompare(wordOf(b.group)))
}

/** What is not denied any more is not listed, which allows it; entries that were not touched stay as they are. */
export function setDenied(listed: readonly ListedProtocol[], ids: readonly string[], isOn: boolean): ListedProtocol[] {
  const touched = new Set(ids)
  const rest = listed.filter(({ id }) => !touched.has(id))
  return isOn ? [...rest, ...ids.map((id) => ({ id, action: 'deny' }))] : rest
}
