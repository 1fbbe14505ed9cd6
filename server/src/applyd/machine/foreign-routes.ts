// The ways to the internet that the machine had from other programs before the gateway took its devices over. They are recorded
// before they are removed, so that a gateway that leaves the machine leaves it its way out.

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../engines/kit/text.ts'
import { readJson, removeDurable, writeDurable } from '../../shared/files/durable.ts'
import { type KernelRoute, routeProtocol } from '../network-operations.ts'

/** As ip(8) shows it; what is not named here is not restored. */
export interface ForeignRoute extends KernelRoute {
  readonly prefsrc?: string
  readonly flags?: readonly string[]
}

/** Devices of another kernel or namespace mean nothing here. */
interface RoutesRecord {
  readonly kernel: string
  readonly routes: readonly ForeignRoute[]
}

/** A program that sets ever new routes must not fill the disk. */
const most = 256

export interface RoutesContext {
  readonly directory: string
  readonly kernel: string
  readonly log: Log
}

export function createForeignRoutes({ directory, kernel, log }: RoutesContext) {
  const path = join(directory, 'routes.json')
  let known: readonly ForeignRoute[] | null = null

  function read(): readonly ForeignRoute[] {
    const record = known ? null : readJson<RoutesRecord>(path, log)
    known ??= record?.kernel === kernel ? record.routes : []
    return known
  }

  /** Default routes of these devices that are not ours; a later one of the same program and metric takes the place of the earlier. */
  function keep(routes: readonly ForeignRoute[], devices: readonly string[]): void {
    const found = routes.filter(
      ({ dst, dev = '', protocol }) => dst === 'default' && protocol !== routeProtocol && devices.includes(dev),
    )
    if (found.length === 0) return
    const next = [...read().filter((one) => !found.some((other) => isSamePlace(one, other))), ...found].slice(-most)
    if (isDeepStrictEqual(next, read())) return
    known = next
    writeDurable(path, JSON.stringify({ kernel, routes: next } satisfies RoutesRecord))
  }

  function forget(): void {
    known = []
    removeDurable(path)
  }

  return { read, keep, forget }
}

const isSamePlace = (one: ForeignRoute, other: ForeignRoute): boolean =>
  one.dev === other.dev && one.protocol === other.protocol && (one.metric ?? 0) === (other.metric ?? 0)
