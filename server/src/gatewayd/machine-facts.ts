// The facts that plans are made from: what the kernel and applyd show of the machine, and what services know of it.

import { usedAddressesService } from '../areas/dhcp/service.ts'
import { inspectionService } from '../areas/inspection/service.ts'
import { createFactsReader, readFacts } from '../areas/network/runs/facts.ts'
import { addressBookService } from '../areas/objects/service.ts'
import { webProxyService } from '../areas/web-proxy/service.ts'
import type { Services } from '../core/area/handle.ts'
import type { Applier } from '../core/plan/artifacts.ts'
import { type Facts, noFacts } from '../core/plan/facts.ts'
import type { Clock } from '../shared/time/clock.ts'
import type { Settings } from './settings.ts'

export function createMachineFacts(settings: Settings, applier: Pick<Applier, 'devices'>, clock: Clock) {
  let devices: string | null = null
  let services: Services | null = null
  let tell = (): void => {}
  const facts = createFactsReader(() =>
    readFacts({
      stateDir: settings.stateDir,
      addressBook: () => services?.of(addressBookService).current() ?? noFacts.addressBook,
      devices: () => devices,
      agentPort: reachablePort(settings.agentListen),
      webProxy: () => services?.of(webProxyService)?.state() ?? null,
      inspection: () => services?.of(inspectionService).facts() ?? null,
      usedAddresses: () => services?.of(usedAddressesService)?.current() ?? [],
      clock,
    }),
  )
  const read = async (): Promise<void> => {
    // A service that does not answer must not make interfaces vanish: what left the facts is switched off.
    devices = await applier.devices().catch(() => devices)
    facts.refresh()
  }
  return {
    current: facts.current,
    read,
    /** applyd starts at the same time; what it knows of the interfaces is waited for when there is nothing else to do. */
    first: read(),
    /** From now on they include what these know. */
    follow: (from: Services): void => {
      services = from
      facts.refresh()
    },
    changed: (): void => {
      facts.refresh()
      tell()
    },
    onChanged: (listener: () => void): void => {
      tell = listener
    },
  }
}

export const ownAddresses = ({ interfaces }: Facts): string[] => interfaces.flatMap(({ addresses }) => addresses)

/** Null when only this machine itself can connect there. */
const reachablePort = (listen: Settings['agentListen']): number | null =>
  listen === null || listen.port === 0 || /^(?:127\.|\[?::1|localhost$)/.test(listen.host) ? null : listen.port
