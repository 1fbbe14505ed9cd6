// What a backup holds and how a configuration is made of it again. Pure: entries of an archive in, configuration out.
// Secrets travel in clear inside the sealed archive, beside the slots, because the vault that sealed them stays behind.

import { GatewayError, type Problem } from '../../core/contract/error.ts'
import { pathOf, under } from '../../core/model/paths.ts'
import { resealAll, sealFields } from '../../core/model/reseal.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, type Item, read, type Slot, versionOf, write } from '../../core/model/slots.ts'
import { upgradeValue } from '../../core/model/upgrades.ts'
import { say } from '../../shared/said.ts'
import { hasAdministrator } from '../administrators/public.ts'
import { licence } from '../licence/public.ts'
import { connections } from '../network/public.ts'

export interface BackupContent {
  /** The installation it was made on. */
  readonly installation: string
  /** The last number given in each list, so that none comes back. */
  readonly sequences: Readonly<Record<string, number>>
  readonly slots: Readonly<Record<string, unknown>>
  /** The versions of the slots; one that is not named has version 1. */
  readonly versions: Readonly<Record<string, number>>
  /** Clear text by place; the slots contain an empty seal instead of each. */
  readonly secrets: Readonly<Record<string, string>>
}

export interface SecretTools {
  reveal(secret: Sealed, place: string): string
  seal(value: string, place: string): Sealed
}

/** The licence belongs to the machine and is never restored (docs/behaviour/backup.md 4). */
const isLeftOut = (slot: Pick<Slot, 'key'>): boolean => slot.key === licence.key

const absent: Sealed = { sealed: '' }

/** The slots a backup takes along. */
export const keptSlots = (slots: readonly Slot[]): Slot[] => slots.filter((slot) => !isLeftOut(slot))

/** A value of a slot, or some items of it, without its secrets; those are put into `secrets` by their places. */
export const bared = (
  slot: Pick<Slot, 'key'>,
  value: unknown,
  tools: Pick<SecretTools, 'reveal'>,
  secrets: Record<string, string>,
): unknown =>
  resealAll({ [slot.key]: value }, (secret, place) => {
    secrets[place] = tools.reveal(secret, place)
    return absent
  })[slot.key]

export interface Restore {
  readonly current: Config
  readonly installation: string
  readonly tools: SecretTools
}

export interface Release {
  readonly slots: readonly Slot[]
  readonly faultsOf: (schema: Slot['schema'], value: unknown) => readonly Problem[]
}

export interface RestoredValues {
  readonly values: Config
  /** By their places. */
  readonly secrets: Readonly<Record<string, string>>
}

/** What a backup holds in the form of this release, without its secrets. In slices: every schema is asked for the first time. */
export async function restoredValues(
  content: BackupContent,
  { slots, faultsOf }: Release,
  slices: () => Promise<void> | undefined,
): Promise<RestoredValues> {
  const known = new Set(slots.map((slot) => slot.key))
  const strangers = Object.keys(content.slots).filter((key) => !known.has(key))
  if (strangers.length > 0)
    refuse(strangers.map((field) => ({ field, message: say`This version does not have these settings.` })))
  const restored = keptSlots(slots)
  refuse(restored.flatMap((slot) => versionProblems(slot, versionIn(content, slot))))
  const values: Record<string, unknown> = {}
  const secrets = { ...content.secrets }
  const problems: Problem[] = []
  for (const slot of restored) {
    // Secrets of an earlier release that were none join the others.
    values[slot.key] = bareUnsealed(slot.key, storedValue(slot, content), secrets)
    await slices()
    for (const some of slotProblems(slot, values[slot.key], faultsOf)) {
      problems.push(...some)
      await slices()
    }
  }
  refuse(problems)
  return { values, secrets }
}

/** The configuration to be, of these values; the caller's change holds it against the rules of all areas. */
export function restoredConfig(content: BackupContent, { values, secrets }: RestoredValues, restore: Restore): Config {
  const { current, tools } = restore
  const next = { ...current, ...sealAll(values, secrets, current, tools) }
  if (!hasAdministrator(next)) {
    throw new GatewayError(
      'conflict',
      say`The backup contains no administrator, so no one could sign in after restoring it.`,
    )
  }
  return content.installation === restore.installation ? next : withoutCards(next)
}

/** What a backup says of the versions of these slots: only those that are not 1. */
export const versionsOf = (slots: readonly Slot[]): Record<string, number> =>
  Object.fromEntries(slots.filter((slot) => versionOf(slot) > 1).map((slot) => [slot.key, versionOf(slot)]))

const versionIn = ({ versions }: BackupContent, { key }: Slot): number =>
  Object.hasOwn(versions, key) ? (versions[key] ?? 1) : 1

const versionProblems = (slot: Slot, version: number): Problem[] =>
  version <= versionOf(slot)
    ? []
    : [
        {
          field: slot.key,
          message: say`The backup has version ${version} of these settings; this release knows versions up to ${versionOf(slot)}. Restore it with the release that made it, or a newer one.`,
        },
      ]

/** Slots and fields that came with a later release start at their defaults; values of older versions are upgraded. */
function storedValue(slot: Slot, content: BackupContent): unknown {
  if (!Object.hasOwn(content.slots, slot.key)) return slot.initial
  const value = content.slots[slot.key]
  const upgrade = (one: unknown): unknown => upgradeStored(slot, one, versionIn(content, slot))
  return slot.kind === 'list' && Array.isArray(value) ? value.map(upgrade) : upgrade(value)
}

/** An archive is authentic, but what it holds may still be other than what a step was written for. */
function upgradeStored(slot: Slot, value: unknown, version: number): unknown {
  try {
    return upgradeValue(slot, value, version)
  } catch (cause) {
    const message = say`These settings cannot be upgraded from version ${version}.`
    throw new GatewayError('invalid', unrestorable, { problems: [{ field: slot.key, message }], cause })
  }
}

function bareUnsealed(slot: string, value: unknown, secrets: Record<string, string>): unknown {
  const take = (clear: string, place: string): Sealed => {
    secrets[place] = clear
    return absent
  }
  return Array.isArray(value)
    ? value.map((item: Item) => sealFields(slot, item?.id ?? '', item, take))
    : sealFields(slot, '', value, take)
}

/** A secret that is the same as now keeps its seal, so that only what differs is a change. */
function sealAll(
  values: Config,
  secrets: Readonly<Record<string, string>>,
  current: Config,
  tools: SecretTools,
): Config {
  const now = new Map<string, Sealed>()
  resealAll(current, (secret, place) => {
    now.set(place, secret)
    return secret
  })
  return resealAll(values, (_absent, place) => {
    const value = Object.hasOwn(secrets, place) ? secrets[place] : undefined
    if (value === undefined) throw new GatewayError('invalid', say`The backup lacks a secret that its settings need.`)
    const held = now.get(place)
    return held && tools.reveal(held, place) === value ? held : tools.seal(value, place)
  })
}

function* slotProblems(slot: Slot, value: unknown, faultsOf: Release['faultsOf']): Generator<readonly Problem[]> {
  if (slot.kind === 'single') return yield under(slot.key, faultsOf(slot.schema, value))
  if (!Array.isArray(value)) return yield [{ field: slot.key, message: say`Must be a list.` }]
  for (const [index, item] of value.entries()) yield under(pathOf(slot, index), faultsOf(slot.schema, item))
  const isRepeated = new Set(value.map((item: Item | null) => item?.id)).size !== value.length
  if (isRepeated) yield [{ field: slot.key, message: say`Duplicate id.` }]
}

const maxProblems = 100
const unrestorable = say`The backup holds settings that cannot be restored.`

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  throw new GatewayError('invalid', unrestorable, { problems: problems.slice(0, maxProblems) })
}

/** Cards differ from machine to machine: connections come back switched off, to be bound again here. */
const withoutCards = (config: Config): Config =>
  write(
    config,
    connections,
    read(config, connections).map((one) => (one.type === 'loopback' ? one : { ...one, enabled: false })),
  )
