// The rows that the store reads and writes, how a damaged one is detected, and how one of an older version is read. No SQL.

import { hash as digest } from 'node:crypto'
import { pathOf } from '../model/paths.ts'
import { type ItemId, type Slot, versionOf } from '../model/slots.ts'
import { upgradeValue } from '../model/upgrades.ts'
import type { StoredChange } from './history.ts'
import type { RevisionInfo } from './revision.ts'

export interface ItemRow {
  slot: string
  id: string
  position: number
  body: string
  checksum: Uint8Array
  version: number
}

/** An item whose row is of an older version, as it has to be written. */
export interface Outdated {
  readonly row: ItemRow
  readonly value: unknown
}

/** `version`: the newest that a revision of the slot was written under. */
export interface SlotRow {
  slot: string
  revision: number
  version: number
}

export interface RevisionRow extends RevisionInfo {
  changes: string
  hash: Uint8Array
}

export const idText = (id: ItemId | null): string => (id === null ? '' : JSON.stringify(id))

export const itemIdOf = (text: string): ItemId | null => (text === '' ? null : (JSON.parse(text) as ItemId))

/** Rows of version 1 have the checksum that they had before there were versions. */
export const itemChecksum = ({ slot, id, position, body, version }: Omit<ItemRow, 'checksum'>): Buffer =>
  digest('sha256', JSON.stringify([slot, id, position, body, ...(version === 1 ? [] : [version])]), 'buffer').subarray(
    0,
    16,
  )

export const revisionHash = (parent: Uint8Array, r: RevisionInfo, changes: string): Buffer => {
  const text = JSON.stringify([r.revision, r.time, r.author, r.address, r.reason, changes])
  return digest('sha256', Buffer.concat([parent, Buffer.from(text)]), 'buffer')
}

/** The versions of items that this release does not know. */
export type Versions = Map<string, number>

export const placeOf = (slot: string, id: string): string => `${slot} ${id}`

/** Only changes of unknown slots still have their version. */
export function noteVersions(versions: Versions, changes: readonly StoredChange[]): void {
  for (const { slot, id, version } of changes)
    if (version !== undefined) versions.set(placeOf(slot, idText(id)), version)
}

export function upgradeRow(slot: Slot, row: ItemRow, value: unknown): unknown {
  try {
    return upgradeValue(slot, value, row.version)
  } catch (cause) {
    const object = slot.kind === 'single' ? slot.key : pathOf(slot, row.id)
    throw new Error(
      `The stored ${object} cannot be upgraded from version ${row.version} to ${versionOf(slot)}: ${(cause as Error).message}.`,
      { cause },
    )
  }
}
