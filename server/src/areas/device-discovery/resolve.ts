// What a host is that tried to reach an external network: in the segment of the gateway, behind a router, or not to be
// believed. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { LiveElement } from '../../core/plan/artifacts.ts'
import type { Facts, GivenLease } from '../../core/plan/facts.ts'
import { type Network, parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import type { Neighbour } from '../../shared/net/neighbours.ts'
import { localAddresses, ownAddresses } from '../network/public.ts'
import { slot } from './config.ts'
import { type HostAddresses, isKnown } from './known-hosts.ts'

export interface Surroundings {
  readonly config: Config
  readonly facts: Facts
  readonly neighbours: readonly Neighbour[]
  readonly leases: readonly GivenLease[]
}

/** `later`: nothing but the packet itself speaks for the host yet. */
export type Verdict = HostAddresses | 'passed over' | 'later'

/** For many hosts at one moment. */
export function createJudge(around: Surroundings): (element: LiveElement) => Verdict {
  const { config, facts } = around
  const local = localAddresses(config, facts)
  const allLocal = [...local.values()].flat().map(parseNetwork)
  const own = new Set(ownAddresses(config, facts))
  const confirm = confirmation(around)
  const senders = new Set(around.neighbours.map(({ mac, device }) => `${mac} ${device}`))
  const wanted = read(config, slot).networks.map(parseNetwork)

  return ({ address: ip, mac: card, device }) => {
    const address = parseAddress(ip)
    const networks = device === null ? undefined : local.get(device)?.map(parseNetwork)
    if (address === null || card === null || device === null || !networks || own.has(address)) return 'passed over'
    if (wanted.length > 0 && !isInOne(wanted, address)) return 'passed over'
    const mac = card.toLowerCase()
    const isHere = isInOne(networks, address)
    const host = { ip, address, mac: isHere ? mac : null }
    if (isKnown(config, host)) return 'passed over'
    if (isHere) return confirm(address, mac, device) ?? host
    // Public addresses behind a router must be named in the settings: as a source, any address can be made up.
    const mayBeRouted = wanted.length > 0 || isInOne(privateNetworks, address)
    if (isInOne(allLocal, address) || !mayBeRouted) return 'passed over'
    // The router itself is a neighbour, because answers to the host go there.
    return senders.has(`${mac} ${device}`) ? host : 'later'
  }
}

const isInOne = (networks: readonly (Network | null)[], address: number): boolean =>
  networks.some((network) => network !== null && network.low <= address && address <= network.high)

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(parseNetwork)

/** Null when the neighbour table or a lease says that this card has the address; any host can write both into a packet. */
function confirmation({ neighbours, leases }: Surroundings) {
  const holders = Map.groupBy(neighbours, ({ address, device }) => `${address} ${device}`)
  const leased = new Set(leases.map(({ address, mac }) => `${address} ${mac}`))
  return (address: number, mac: string, device: string): 'passed over' | 'later' | null => {
    const known = holders.get(`${address} ${device}`)
    if (known) return known.some((one) => one.mac === mac) ? null : 'passed over'
    return leased.has(`${address} ${mac}`) ? null : 'later'
  }
}
