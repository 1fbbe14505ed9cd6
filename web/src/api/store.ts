// A value that lives outside of the views and tells them when it changes.

import { useSyncExternalStore } from 'react'

export interface Store<T> {
  get(): T
  set(value: T): void
  update(change: (value: T) => T): void
  listen(listener: () => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const store: Store<T> = {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return
      value = next
      for (const listener of listeners) listener()
    },
    update: (change) => store.set(change(value)),
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return store
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.listen, store.get)
