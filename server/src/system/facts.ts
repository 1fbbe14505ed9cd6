// Reads what render needs to know of the machine: interfaces and which of them lead to the internet. Reads only.

import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { Facts } from '../plan/facts.ts'

/** Interfaces named by default routes in the kernel's IPv4 routing table (/proc/net/route). */
export function externalInterfaces(routeTable: string): string[] {
  const names = routeTable
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .map(([name = '']) => name)
  return [...new Set(names)].filter((name) => name !== '').sort()
}

export function readFacts(): Facts {
  const interfaces = Object.entries(networkInterfaces())
    .filter(([name]) => name !== 'lo')
    .map(([name, addresses = []]) => ({
      name,
      mac: addresses[0]?.mac ?? '',
      addresses: addresses.flatMap(({ cidr }) => (cidr ? [cidr] : [])),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { interfaces, externalInterfaces: externalInterfaces(readRouteTable()) }
}

function readRouteTable(): string {
  try {
    return readFileSync('/proc/net/route', 'utf8')
  } catch {
    return ''
  }
}

/** The same value as long as nothing changed, so that renders are not repeated for nothing. */
export function createFactsReader(readNow: () => Facts = readFacts): { current(): Facts; refresh(): boolean } {
  let facts = readNow()
  return {
    current: () => facts,
    refresh: () => {
      const next = readNow()
      if (isDeepStrictEqual(next, facts)) return false
      facts = next
      return true
    },
  }
}
