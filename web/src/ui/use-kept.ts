// What was known stays on screen while a read with another address is under way.

import { useRef } from 'react'

export function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef(value)
  if (value !== undefined) kept.current = value
  return value ?? kept.current
}
