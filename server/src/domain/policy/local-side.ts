// The local side of the gateway, as the stages see it that treat hosts of local networks in a special way. Data only.

import type { Ranges } from '../../shared/net/ranges.ts'

export interface LocalSide {
  /** With the address to which the kernel turns what came in there; null when it has none. */
  readonly local: readonly { readonly device: string; readonly address: number | null }[]
  /** What is not in the internet: local networks and the gateway's own addresses. */
  readonly near: Ranges
}

export const isLocalDevice = ({ local }: LocalSide, name: string | null): boolean =>
  local.some(({ device }) => device === name)

/** The address of the gateway at the device; null when it has none. */
export const addressAt = ({ local }: LocalSide, name: string | null): number | null =>
  local.find(({ device }) => device === name)?.address ?? null
