// Which columns a person wants to see, kept in this browser for each list.

import { useState } from 'react'
import type { ShownColumn } from '../columns.ts'

const keyOf = (name: string): string => `portcullis.columns.${name}`

function readKept(name: string): readonly string[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null')
    return Array.isArray(kept) ? kept.filter((id): id is string => typeof id === 'string') : null
  } catch {
    return null
  }
}

export interface ChosenColumns {
  readonly shown: readonly ShownColumn[]
  readonly isShown: (id: string) => boolean
  readonly choose: (id: string, isShown: boolean) => void
  readonly reset: () => void
}

export function useChosenColumns(name: string, columns: readonly ShownColumn[]): ChosenColumns {
  const [kept, setKept] = useState(() => readKept(name))
  const standard = columns.filter(({ isExtra }) => !isExtra).map(({ id }) => id)
  const ids = kept ?? standard
  const keep = (next: readonly string[] | null): void => {
    setKept(next)
    if (next === null) localStorage.removeItem(keyOf(name))
    else localStorage.setItem(keyOf(name), JSON.stringify(next))
  }
  return {
    shown: columns.filter(({ id }) => ids.includes(id)),
    isShown: (id) => ids.includes(id),
    choose: (id, isShown) => keep(isShown ? [...ids, id] : ids.filter((one) => one !== id)),
    reset: () => keep(null),
  }
}
