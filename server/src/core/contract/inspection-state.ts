// What is known of the inspection engine now, for status, health and lists. Pure.

import { type SaidText, say } from '../../shared/said.ts'

export const inspectionStates = ['off', 'waiting', 'compiling', 'loading', 'active', 'failed'] as const

/** A rule that the engine did not take, or that was left out before. */
export interface FailedRule {
  readonly sid: number
  /** What the signature is called; empty where it does not say. */
  readonly name: string
  readonly reason: string
}

export interface ChannelState {
  readonly number: number
  /** Ids of its profiles; '' without one. */
  readonly prevention: string
  readonly applications: string
  /** Rule of the older application control, from which on its rules are asked. */
  readonly older: number | null
  /** Without the engine its connections pass; otherwise they are blocked. */
  readonly isFailOpen: boolean
  /** The engine was seen to inspect it; since then its packets are queued. */
  readonly ready: boolean
  /** Unix seconds of the last test; null before the first. */
  readonly lastTestAt: number | null
  /** The generation that the last test found in force; null when it found none. */
  readonly inForce: string | null
  /** Why the last test found none; empty otherwise. */
  readonly message: SaidText
}

export interface InspectionState {
  /**
   * `off`: no channel is in use. `waiting`: something else must come first, as `message` says. `compiling`: the first rules are made.
   * `loading`: the engine does not work with the newest rules yet. `active`: it was seen to, in every channel. `failed`: see `message`.
   */
  readonly state: (typeof inspectionStates)[number]
  readonly message: SaidText
  /** Of the rules that should be in force; null before the first. */
  readonly generation: string | null
  /** Signatures in these rules; null before the first. */
  readonly signatures: number | null
  /** Rules that the engine says it has, copies included; null when it does not answer. */
  readonly rules: number | null
  /** The first of them. */
  readonly failed: readonly FailedRule[]
  readonly failedCount: number
  /** Of them, those that the engine refused. One is enough for `failed`. */
  readonly refusedCount: number
  readonly channels: readonly ChannelState[]
  /** Of the engine since its start, by name, such as `decoder.pkts`; empty when it does not answer. */
  readonly counters: Readonly<Record<string, number>>
  /** Of the program; null when it does not answer. */
  readonly version: string | null
}

export const inspectionOff: InspectionState = {
  state: 'off',
  message: '',
  generation: null,
  signatures: null,
  rules: null,
  failed: [],
  failedCount: 0,
  refusedCount: 0,
  channels: [],
  counters: {},
  version: null,
}

/** The engine as the machine shows it. */
export interface EngineSeen {
  /** Since when it holds its queues, in seconds since boot; null while it does not run. */
  readonly heldSince: number | null
  /** Its settings change, for which it starts again. */
  readonly isChanging: boolean
  /** Numbers of channels of which the kernel drops every packet. */
  readonly blocked: readonly number[]
}

/**
 * What the tests found, held against what the machine does: an engine that does not run inspects nothing, and from a test that succeeds
 * until the rules are changed, packets of a channel that must not pass uninspected are still dropped.
 */
export function inspectionSeen(tested: InspectionState, engine: EngineSeen | null): InspectionState {
  const isBlocked = ({ number }: ChannelState): boolean => engine?.blocked.includes(number) === true
  const isOut = (channel: ChannelState): boolean => engine?.heldSince === null || isBlocked(channel)
  if (engine?.isChanging !== true && !tested.channels.some(isOut)) return tested
  const channels = tested.channels.map((channel) =>
    isOut(channel) ? { ...channel, ready: channel.ready && !isBlocked(channel), inForce: null } : channel,
  )
  if (tested.state !== 'active') return { ...tested, channels }
  return { ...tested, channels, state: 'loading', message: say`The newest rules are not in force yet.` }
}

/** Of channels that may pass without the engine, which do so in the meantime. */
export const overrunSays = say`More packets come than the engine takes. It is tried again within a minute.`
