// Numbers of the machine for health and charts: processor, memory, load, tracked connections, interfaces and disk, from the
// files of the kernel. Parsers are apart, so that they can be tested on recorded text.

import { readFileSync, statfsSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { InterfaceCounters, MachineLoad } from '../../../core/contract/health.ts'

/** More would make charts and metrics of a machine with very many interfaces large. */
const maxInterfaces = 128

/** First line of /proc/stat. Time of guests is part of user time already. */
export function parseCpu(text: string): MachineLoad['cpu'] {
  const line = /^cpu +(.*)$/m.exec(text)?.[1]
  if (line === undefined) return null
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stolen = 0] = line
    .split(' ')
    .map(Number)
  const busy = user + nice + system + interrupts + soft + stolen
  return Number.isFinite(busy) ? { busy, total: busy + idle + wait } : null
}

export function parseMemory(text: string): MachineLoad['memory'] {
  const sizes = new Map([...text.matchAll(/^(\w+): +(\d+) kB$/gm)].map(([, name, size]) => [name, Number(size) * 1024]))
  const [totalBytes, availableBytes] = [sizes.get('MemTotal'), sizes.get('MemAvailable')]
  if (totalBytes === undefined || availableBytes === undefined) return null
  return {
    totalBytes,
    availableBytes,
    swapTotalBytes: sizes.get('SwapTotal') ?? 0,
    swapFreeBytes: sizes.get('SwapFree') ?? 0,
  }
}

export function parseLoad(text: string): MachineLoad['load'] {
  const [one, five, fifteen] = text.split(' ', 3).map(Number)
  if (one === undefined || five === undefined || fifteen === undefined) return null
  return [one, five, fifteen].every(Number.isFinite) ? [one, five, fifteen] : null
}

/** /proc/net/dev; the loopback carries no traffic of the network. */
export function parseInterfaces(text: string): InterfaceCounters[] {
  const found: InterfaceCounters[] = []
  for (const line of text.split('\n').slice(2)) {
    const colon = line.lastIndexOf(':')
    const name = line.slice(0, colon).trim()
    const numbers = line
      .slice(colon + 1)
      .trim()
      .split(/ +/)
      .map(Number)
    const [bytesIn = 0, packetsIn = 0, , droppedIn = 0] = numbers
    const [bytesOut = 0, packetsOut = 0, , droppedOut = 0] = numbers.slice(8)
    if (colon < 1 || name === 'lo' || numbers.length < 16 || !numbers.every(Number.isFinite)) continue
    found.push({ name, bytesIn, packetsIn, droppedIn, bytesOut, packetsOut, droppedOut })
  }
  return found.slice(0, maxInterfaces)
}

export interface LoadParts {
  /** Of the state of gatewayd. */
  readonly folder: string
  /** Names of files there whose sizes are of interest. */
  readonly files: readonly string[]
  readonly isClockKept: () => boolean | null
}

export const createLoadReader =
  ({ folder, files, isClockKept }: LoadParts): (() => MachineLoad) =>
  () => {
    const number = (path: string): number => Number.parseInt(textOf(path), 10)
    const count = number('/proc/sys/net/netfilter/nf_conntrack_count')
    const limit = number('/proc/sys/net/netfilter/nf_conntrack_max')
    return {
      cpu: parseCpu(textOf('/proc/stat')),
      processors: cpus().length || 1,
      memory: parseMemory(textOf('/proc/meminfo')),
      load: parseLoad(textOf('/proc/loadavg')),
      connections: Number.isFinite(count) && limit > 0 ? { count, limit } : null,
      interfaces: parseInterfaces(textOf('/proc/net/dev')),
      disk: diskOf(folder),
      files: Object.fromEntries(files.map((name) => [name, bytesOf(folder, name)])),
      isClockKept: isClockKept(),
    }
  }

/** Empty where the kernel does not show it. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function diskOf(folder: string): MachineLoad['disk'] {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
  } catch {
    return null
  }
}

/** With what is not folded into a database yet. */
const bytesOf = (folder: string, name: string): number =>
  ['', '-wal'].reduce(
    (sum, ending) => sum + (statSync(join(folder, `${name}${ending}`), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
