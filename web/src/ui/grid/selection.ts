// Selecting rows as pure functions. An anchor is where a range began, so that Shift grows and shrinks it as everywhere else.

export interface SelectionState {
  readonly keys: ReadonlySet<string>
  readonly anchor: string | null
}

export function toggle(state: SelectionState, key: string): SelectionState {
  const keys = new Set(state.keys)
  if (!keys.delete(key)) keys.add(key)
  return { keys, anchor: key }
}

export const only = (key: string): SelectionState => ({ keys: new Set([key]), anchor: key })

export const nothing: SelectionState = { keys: new Set(), anchor: null }

/** From the anchor to the row, in the order of the list; rows selected elsewhere stay when asked for. */
export function extend(
  state: SelectionState,
  order: readonly string[],
  from: string,
  to: string,
  isAdding = false,
): SelectionState {
  const anchor = state.anchor !== null && order.includes(state.anchor) ? state.anchor : from
  const [first, last] = [order.indexOf(anchor), order.indexOf(to)].toSorted((a, b) => a - b)
  if (first === undefined || last === undefined || first < 0) return state
  const range = order.slice(first, last + 1)
  return { keys: new Set(isAdding ? [...state.keys, ...range] : range), anchor }
}

/** All of the list; when all are selected already, none. */
export function toggleAll(state: SelectionState, order: readonly string[]): SelectionState {
  const isAll = order.length > 0 && order.every((key) => state.keys.has(key))
  return isAll ? nothing : { keys: new Set(order), anchor: state.anchor }
}

/** What a drag of this row carries: the selection when it belongs to it, or else only itself. In the order of the list. */
export function draggedKeys(keys: ReadonlySet<string>, order: readonly string[], key: string): readonly string[] {
  return keys.has(key) ? order.filter((one) => keys.has(one)) : [key]
}
