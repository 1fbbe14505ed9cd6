// The time zone of the gateway, set once by the shell, read by every time that is shown.

import { useSyncExternalStore } from 'react'

let zone: string | undefined
const listeners = new Set<() => void>()

/** An unknown name leaves the zone of the browser. */
export function setGatewayZone(name: string | undefined): void {
  zone = name !== undefined && isZone(name) ? name : undefined
  for (const listener of listeners) listener()
}

export const gatewayZone = (): string | undefined => zone

export const useGatewayZone = (): string | undefined =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, gatewayZone)

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
