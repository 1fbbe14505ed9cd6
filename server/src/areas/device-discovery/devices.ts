// The devices of local networks as administrators see them: neighbours and leases in one list, with what is known of each. Pure.

import { parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { localAddresses } from '../network/public.ts'
import type { Device } from './contract.ts'
import { ownerOf } from './known-hosts.ts'
import type { Surroundings } from './resolve.ts'
import { vendorOf } from './vendors.ts'

const mostDevices = 4_096

/** A device before its maker is known. */
export interface SeenDevice extends Omit<Device, 'vendor'> {
  readonly address: number
}

export function seenDevices({ config, facts, neighbours, leases }: Surroundings, seconds: number): SeenDevice[] {
  const local = localAddresses(config, facts)
  const networks = [...local].flatMap(([device, texts]) =>
    texts.map((text) => ({ device, network: parseNetwork(text) })),
  )
  const deviceAt = (address: number): string =>
    networks.find(({ network }) => network && network.low <= address && address <= network.high)?.device ?? ''
  const seen = new Map<string, SeenDevice>()
  const add = (address: number, mac: string, more: Pick<SeenDevice, 'hostname' | 'device' | 'last_seen'>): void => {
    const ip = printAddress(address)
    seen.set(`${address} ${mac}`, { ip, address, mac, ...more, user_id: ownerOf(config, { ip, address, mac }) })
  }
  for (const { address, mac, hostname } of leases)
    add(address, mac, { hostname, device: deviceAt(address), last_seen: null })
  for (const { address, mac, device, isReachable, confirmedAgo } of neighbours) {
    if (!local.has(device)) continue
    const last_seen = isReachable ? seconds : confirmedAgo === null ? null : seconds - confirmedAgo
    add(address, mac, { hostname: seen.get(`${address} ${mac}`)?.hostname ?? '', device, last_seen })
  }
  return [...seen.values()].toSorted((a, b) => a.address - b.address).slice(0, mostDevices)
}

export const showDevice = ({ address: _, ...device }: SeenDevice, names: ReadonlyMap<string, string>): Device => ({
  ...device,
  vendor: vendorOf(names, device.mac),
})
