// What a health check says, who can add checks, and who learns of it. Areas judge, areas/health/runs keeps what was judged.

import type { Said, SaidText } from '../../shared/said.ts'

export const healthStates = ['ok', 'warning', 'failed', 'unknown'] as const
export type HealthState = (typeof healthStates)[number]

/** One check, as it was judged now. */
export interface Finding {
  /** Lower case words with dots, such as `unit.dns`; the same for the same thing at all times. */
  readonly id: string
  readonly title: Said
  readonly state: HealthState
  /** What is so, as sentences for the administrator. */
  readonly message: Said
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: Said
}

/** Something that is looked at every few seconds. Anyone who has something to watch adds one. */
export interface HealthSource {
  readonly name: string
  /** Null when nothing can be known now: its checks become unknown, and no one is notified. */
  check(): readonly Finding[] | null | Promise<readonly Finding[] | null>
}

/** Something that waits in a line, such as records that a collector has not taken yet. */
export interface HealthQueue {
  /** Lower case words, as in `forwarding`. */
  readonly name: string
  readonly title: Said
  /** How many wait now. */
  length(): number
  /** From here on something is lost or refused; null when any number may wait. */
  readonly limit: number | null
  /** How many were lost since the start; absent: none can be. */
  lost?(): number
}

/** 0 is good, 1 a warning, 2 a failure. */
export type Level = 0 | 1 | 2

/** Null for what is unknown: it says neither that something failed nor that it recovered. */
export const levelOf = (state: HealthState): Level | null =>
  ({ ok: 0, warning: 1, failed: 2, unknown: null })[state] as Level | null

/** A level that a check settled on. */
export interface Settled {
  readonly id: string
  readonly title: SaidText
  readonly source: string
  readonly message: SaidText
  readonly advice: SaidText
  readonly level: Level
  /** Unix seconds. */
  readonly time: number
}

/** Something that a target is to learn. */
export interface Notice {
  readonly id: string
  /** Rises with every notice of this gateway. */
  readonly number: number
  readonly target: string
  readonly kind: 'failed' | 'recovered'
  readonly change: Settled
}

/** It was delivered to some of those it is for; to send it again would send it to them twice. */
export interface TakenInPart {
  /** Who did not get it, in words for the administrator. */
  readonly note: string
}

/** Null when it was delivered; otherwise why not, in words for the administrator. */
export type Deliver = (target: string, notices: readonly Notice[]) => Promise<string | TakenInPart | null>

/** Who is notified from which level on. */
export interface Target {
  readonly id: string
  readonly from: Level
}

export interface DiskRoom {
  readonly totalBytes: number
  readonly freeBytes: number
}

export interface InterfaceCounters {
  readonly name: string
  readonly bytesIn: number
  readonly packetsIn: number
  readonly droppedIn: number
  readonly bytesOut: number
  readonly packetsOut: number
  readonly droppedOut: number
}

/** Numbers of the machine at one moment; null where it does not show them. */
export interface MachineLoad {
  /** Processor time since boot, in the kernel's own ticks, over all processors. */
  readonly cpu: { readonly busy: number; readonly total: number } | null
  readonly processors: number
  readonly memory: {
    readonly totalBytes: number
    readonly availableBytes: number
    readonly swapTotalBytes: number
    readonly swapFreeBytes: number
  } | null
  /** Over 1, 5 and 15 minutes. */
  readonly load: readonly [number, number, number] | null
  /** Tracked connections and how many the kernel can track. */
  readonly connections: { readonly count: number; readonly limit: number } | null
  readonly interfaces: readonly InterfaceCounters[]
  /** Of the state folder. */
  readonly disk: DiskRoom | null
  /** Bytes of the files of the gateway, by name. */
  readonly files: Readonly<Record<string, number>>
  /** Whether something keeps the clock right; null where the kernel cannot be asked. */
  readonly isClockKept: boolean | null
}
