// Makes users of unknown hosts as they try to reach external networks: a few at a time, in one change, and not more than the
// limits allow. What is noted here is lost at a restart; the kernel notes a host again when it tries again.

import { randomUUID } from 'node:crypto'
import type { Services } from '../../core/area/handle.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { read } from '../../core/model/slots.ts'
import type { LiveElement } from '../../core/plan/artifacts.ts'
import { isRandomMac, parseNeighbours } from '../../shared/net/neighbours.ts'
import { say } from '../../shared/said.ts'
import { dhcpLeasesService } from '../dhcp/service.ts'
import { slot } from './config.ts'
import { addDevices, type FoundHost, mostDevices } from './edits.ts'
import { isKnown, userIndex } from './known-hosts.ts'
import { createJudge, type Surroundings } from './resolve.ts'
import type { DiscoveryState } from './service.ts'
import { cardVendorsService } from './service.ts'
import { vendorOf } from './vendors.ts'

/** New users in a minute. */
export const mostPerMinute = 100
/** In one change, so that it holds up no one. */
const mostAtOnce = 20
/** Hosts that wait; of more, the oldest are not looked at again until they try again. */
const mostWaiting = 4_096
/** How often a host is looked at of which the neighbour table does not know anything yet. */
const mostLooks = 30

/** After a failure it takes so much longer until the next look. */
const faultFactor = 10

interface Waiting {
  readonly element: LiveElement
  looks: number
}

export interface Discovery {
  /** Hosts that nothing authorizes and that tried to reach an external network. */
  readonly note: (hosts: readonly LiveElement[]) => void
  readonly state: () => DiscoveryState
  readonly stop: () => void
}

/** `againMilliseconds`: after that, hosts that had to wait are looked at again. */
export function startDiscovery(
  services: Services,
  onFault: (error: unknown) => void,
  againMilliseconds = 1_000,
): Discovery {
  const { engine, clock } = services
  const waiting = new Map<string, Waiting>()
  let made: number[] = []
  let isHeldBack = false
  let fault: string | null = null
  let isBusy = false
  let timer: NodeJS.Timeout | null = null

  const isEnabled = (): boolean => read(engine.config, slot).enabled
  const isFull = (): boolean => userIndex(engine.config).devices >= mostDevices
  const roomNow = (): number => {
    made = made.filter((at) => clock.elapsed() - at < 60)
    return Math.min(mostPerMinute - made.length, mostDevices - userIndex(engine.config).devices)
  }

  const note = (hosts: readonly LiveElement[]): void => {
    if (!isEnabled()) return
    for (const element of hosts) {
      const key = `${element.address} ${element.mac} ${element.device}`
      if (waiting.has(key)) continue
      waiting.set(key, { element, looks: 0 })
      const [oldest = ''] = waiting.keys()
      if (waiting.size > mostWaiting) waiting.delete(oldest)
    }
    void work()
  }

  async function work(): Promise<void> {
    if (isBusy || waiting.size === 0) return
    isBusy = true
    try {
      await look()
      fault = null
    } catch (error) {
      // Such as a change on probation, a full disk, or applyd that starts again: a later look tries again.
      if (fault !== (error as Error).message) onFault(error)
      fault = (error as Error).message
    }
    isBusy = false
    if (waiting.size > 0 && timer === null) {
      timer = setTimeout(
        () => {
          timer = null
          void work()
        },
        againMilliseconds * (fault === null ? 1 : faultFactor),
      )
      timer.unref()
    }
  }

  async function look(): Promise<void> {
    const room = roomNow()
    if (!isEnabled() || isFull()) waiting.clear()
    isHeldBack = waiting.size > 0 && room <= 0
    if (waiting.size === 0 || isHeldBack) return
    const around = await readSurroundings(services)
    const judge = createJudge(around)
    const found = new Map<string, FoundHost>()
    for (const [key, one] of waiting) {
      const verdict = judge(one.element)
      if (verdict === 'passed over' || (verdict === 'later' && ++one.looks > mostLooks)) waiting.delete(key)
      if (typeof verdict === 'string') continue
      isHeldBack = found.size >= room
      if (isHeldBack || found.size >= mostAtOnce) break
      const lease = around.leases.find(({ address, mac }) => address === verdict.address && mac === verdict.mac)
      found.set(key, { ...verdict, hostname: lease?.hostname ?? '', vendor: '', ruleId: randomUUID() })
    }
    if (found.size === 0) return
    const hosts = await withVendors(services, [...found.values()])
    try {
      await services.changeAsGateway((config, tools) => addDevices(config, tools, hosts), {
        reason: say`Devices found in local networks`,
      })
    } catch (error) {
      // What is refused now will be refused again.
      if (error instanceof GatewayError && error.code === 'invalid') forget(found)
      throw error
    }
    forget(found)
    made.push(...hosts.filter((host) => isKnown(engine.config, host)).map(() => clock.elapsed()))
  }

  function forget(hosts: ReadonlyMap<string, FoundHost>): void {
    for (const key of hosts.keys()) waiting.delete(key)
  }

  return {
    note,
    state: () => ({ waiting: waiting.size, isHeldBack, isFull: isFull(), fault }),
    stop: () => {
      if (timer !== null) clearTimeout(timer)
      timer = null
      waiting.clear()
    },
  }
}

export async function readSurroundings(services: Services): Promise<Surroundings> {
  const seconds = Math.floor(services.clock.now().getTime() / 1000)
  const [neighbours, leases] = await Promise.all([
    services.applier.neighbours().then(parseNeighbours),
    services.of(dhcpLeasesService)?.list(seconds) ?? [],
  ])
  return { config: services.engine.config, facts: services.facts(), neighbours, leases }
}

async function withVendors(services: Services, hosts: readonly FoundHost[]): Promise<FoundHost[]> {
  const cardVendors = services.of(cardVendorsService)
  const macs = hosts.flatMap(({ mac }) => (mac === null || isRandomMac(mac) ? [] : [mac]))
  const names = (await cardVendors?.lookUp(macs)) ?? new Map<string, string>()
  return hosts.map((host) => ({ ...host, vendor: host.mac === null ? '' : vendorOf(names, host.mac) }))
}
