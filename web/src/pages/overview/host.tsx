// The host page: who an address is, what it does now, what was refused, which rules touch it, and what can be done about it.
// Without an address: the devices that are seen in local networks.

import type { ReactNode } from 'react'
import type { HandPage } from '../../page.ts'
import { usePlace } from '../../place.ts'
import { isAddress } from '../../util/address.ts'
import { HostList } from './host-list.tsx'
import { HostView } from './host-view.tsx'

export function Host(): ReactNode {
  const { item } = usePlace()
  return item !== null && isAddress(item) ? <HostView key={item} address={item} /> : <HostList />
}

export const page: HandPage = { kind: 'hand', Component: Host }
