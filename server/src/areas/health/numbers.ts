// Numbers of the gateway as charts keep them and as a monitoring server reads them. Pure.

import type { HealthQueue, InterfaceCounters, MachineLoad } from '../../core/contract/health.ts'
import type { ChartGroup, HealthCheck } from './contract.ts'
import { type MetricFamily, printMetrics } from './prometheus.ts'

/** How many there are of what is not a number of the machine. */
export interface Counted {
  readonly userSessions: number
  readonly portalSessions: number
  readonly administratorSessions: number
}

/** A reading with its time, in elapsed seconds. */
export interface Reading {
  readonly load: MachineLoad
  readonly at: number
}

/** Values by series, `group/name`; rates need a reading before. */
export function chartValues({ load, at }: Reading, before: Reading | null, counted: Counted): Map<string, number> {
  const values = new Map<string, number>()
  const { cpu, memory, connections, disk } = load
  const busy =
    cpu && before?.load.cpu ? share(cpu.busy - before.load.cpu.busy, cpu.total - before.load.cpu.total) : null
  if (busy !== null) values.set('cpu/busy', busy * 100)
  if (memory) {
    values.set('memory/used', memory.totalBytes - memory.availableBytes)
    values.set('memory/total', memory.totalBytes)
    values.set('memory/swap_used', memory.swapTotalBytes - memory.swapFreeBytes)
  }
  for (const [index, minutes] of [1, 5, 15].entries())
    if (load.load) values.set(`load/${minutes}_minutes`, load.load[index] ?? 0)
  if (connections) values.set('connections/tracked', connections.count)
  values.set('users/signed_in', counted.userSessions)
  values.set('users/at_the_portal', counted.portalSessions)
  values.set('sessions/administrators', counted.administratorSessions)
  if (disk) {
    values.set('disks/state/used', disk.totalBytes - disk.freeBytes)
    values.set('disks/state/total', disk.totalBytes)
  }
  const seconds = before ? at - before.at : 0
  if (before && seconds > 0) for (const [name, rate] of rates(load, before.load, seconds)) values.set(name, rate)
  return values
}

/** Null where nothing passed, or the counters began again. */
const share = (part: number, whole: number): number | null => (whole > 0 && part >= 0 ? part / whole : null)

const rateFields = {
  bytes_in: 'bytesIn',
  bytes_out: 'bytesOut',
  packets_in: 'packetsIn',
  packets_out: 'packetsOut',
} as const satisfies Readonly<Record<string, keyof InterfaceCounters>>

function* rates(now: MachineLoad, before: MachineLoad, seconds: number): Generator<readonly [string, number]> {
  const earlier = new Map(before.interfaces.map((one) => [one.name, one]))
  for (const one of now.interfaces) {
    const last = earlier.get(one.name)
    if (!last) continue
    for (const [field, counter] of Object.entries(rateFields)) {
      const passed = one[counter] - last[counter]
      // An interface that was made again counts from zero.
      if (passed >= 0) yield [`interfaces/${one.name}/${field}`, passed / seconds]
    }
  }
}

const units: Readonly<Record<ChartGroup, string>> = {
  cpu: 'percent',
  memory: 'bytes',
  load: '',
  connections: 'connections',
  users: 'users',
  sessions: 'sessions',
  interfaces: 'bytes/s',
  disks: 'bytes',
}

export const unitOf = (group: ChartGroup, name: string): string =>
  group === 'interfaces' && name.includes('/packets_') ? 'packets/s' : units[group]

export interface MetricsInput {
  readonly release: string
  readonly revision: number
  readonly load: MachineLoad | null
  readonly counted: Counted
  readonly checks: readonly HealthCheck[]
  readonly queues: readonly HealthQueue[]
  readonly auditRecords: number
}

const stateNumbers = { ok: 0, warning: 1, failed: 2, unknown: -1 } as const

export function metricsText(input: MetricsInput): string {
  const { load, counted, checks, queues } = input
  return printMetrics([
    gauge('build_info', 'Always 1; the label is the release.', 1, { release: input.release }),
    gauge('config_revision', 'Revision of the configuration.', input.revision),
    {
      name: 'portcullis_check_state',
      type: 'gauge',
      help: 'State of a health check: 0 ok, 1 warning, 2 failed, -1 unknown.',
      samples: checks.map(({ id, state }) => ({ labels: { check: id }, value: stateNumbers[state] })),
    },
    gauge('user_sessions', 'Sessions of users on the network.', counted.userSessions),
    gauge('portal_sessions', 'Sessions of users at the portal.', counted.portalSessions),
    gauge('administrator_sessions', 'Sessions of administrators.', counted.administratorSessions),
    counter('audit_records_total', 'Audit records since this gateway was set up.', input.auditRecords),
    perQueue('queue_length', 'Entries that wait.', 'gauge', queues, (queue) => queue.length()),
    perQueue('queue_limit', 'Entries that can wait.', 'gauge', queues, ({ limit }) => limit),
    perQueue('queue_lost_total', 'Entries that were lost.', 'counter', queues, (queue) => queue.lost?.() ?? 0),
    ...(load ? machineFamilies(load) : []),
  ])
}

function machineFamilies({
  memory,
  load,
  connections,
  disk,
  processors,
  cpu,
  interfaces,
  files,
  isClockKept,
}: MachineLoad) {
  return [
    gauge('processors', 'Processors of the machine.', processors),
    counter('cpu_busy_ticks_total', 'Busy processor time, in ticks of the kernel.', cpu?.busy),
    counter('cpu_ticks_total', 'Processor time, in ticks of the kernel.', cpu?.total),
    gauge('memory_total_bytes', 'Memory of the machine.', memory?.totalBytes),
    gauge('memory_available_bytes', 'Memory that can be used.', memory?.availableBytes),
    gauge('load1', 'Load over one minute.', load?.[0]),
    gauge('load5', 'Load over five minutes.', load?.[1]),
    gauge('load15', 'Load over 15 minutes.', load?.[2]),
    gauge('connections', 'Connections that the kernel tracks.', connections?.count),
    gauge('connections_limit', 'Connections that the kernel can track.', connections?.limit),
    gauge('disk_total_bytes', 'Size of the disk of the state folder.', disk?.totalBytes),
    gauge('disk_free_bytes', 'Free room on the disk of the state folder.', disk?.freeBytes),
    gauge(
      'clock_is_kept',
      '1 when something keeps the clock right.',
      isClockKept === null ? undefined : Number(isClockKept),
    ),
    {
      ...({ name: 'portcullis_file_bytes', type: 'gauge', help: 'Size of a file of the gateway.' } as const),
      samples: Object.entries(files).map(([file, value]) => ({ labels: { file }, value })),
    },
    perInterface('receive_bytes', 'Bytes received.', interfaces, ({ bytesIn }) => bytesIn),
    perInterface('transmit_bytes', 'Bytes sent.', interfaces, ({ bytesOut }) => bytesOut),
    perInterface('receive_packets', 'Packets received.', interfaces, ({ packetsIn }) => packetsIn),
    perInterface('transmit_packets', 'Packets sent.', interfaces, ({ packetsOut }) => packetsOut),
    perInterface('receive_dropped', 'Received packets that were dropped.', interfaces, ({ droppedIn }) => droppedIn),
    perInterface('transmit_dropped', 'Packets dropped before sending.', interfaces, ({ droppedOut }) => droppedOut),
  ]
}

type Labels = Readonly<Record<string, string>>

/** Without a value there is no sample, and so no family. */
const single =
  (type: MetricFamily['type']) =>
  (name: string, help: string, value: number | undefined, labels: Labels = {}): MetricFamily => ({
    name: `portcullis_${name}`,
    help,
    type,
    samples: value === undefined ? [] : [{ labels, value }],
  })
const gauge = single('gauge')
const counter = single('counter')

const perQueue = (
  name: string,
  help: string,
  type: MetricFamily['type'],
  queues: readonly HealthQueue[],
  countOf: (queue: HealthQueue) => number | null,
): MetricFamily => ({
  name: `portcullis_${name}`,
  help,
  type,
  samples: queues.flatMap((queue) => {
    const value = countOf(queue)
    return value === null ? [] : [{ labels: { queue: queue.name }, value }]
  }),
})

const perInterface = (
  name: string,
  help: string,
  interfaces: readonly InterfaceCounters[],
  countOf: (one: InterfaceCounters) => number,
): MetricFamily => ({
  name: `portcullis_interface_${name}_total`,
  help,
  type: 'counter',
  samples: interfaces.map((one) => ({ labels: { interface: one.name }, value: countOf(one) })),
})
