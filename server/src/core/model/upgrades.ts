// Stored values of older versions become values of this release, wherever they come from: a row, a revision, a backup.
// Pure; who reads a value knows the version it was written under.

import { resealAll } from './reseal.ts'
import type { Item, Slot, StoredFields, UpgradeStep } from './slots.ts'
import { versionOf } from './slots.ts'

/** The value (settings, or one item of a list) as version `to` of the slot has it. Null, for what is not there, stays null. */
export function upgradeValue(slot: Slot, value: unknown, from: number, to = versionOf(slot)): unknown {
  if (slot.kind === 'list' && from === to) return value
  const steps = (slot.upgrades ?? []).slice(from - 1, to - 1)
  const upgraded = isFields(value) ? steps.reduce((fields, step) => runStep(slot, step, fields), value) : value
  return slot.kind === 'single' && to === versionOf(slot) ? withNewFields(slot.initial, upgraded) : upgraded
}

function runStep(slot: Slot, step: UpgradeStep, old: StoredFields): StoredFields {
  const next = step(old)
  if (slot.kind === 'list' && next.id !== old.id) throw new Error(`${slot.key}: an upgrade step changed an id`)
  // A secret is sealed to the field it is in; elsewhere it could not be opened.
  const known = secretsOf(slot, old)
  for (const [place, sealed] of secretsOf(slot, next))
    if (known.get(place) !== sealed) throw new Error(`${slot.key}: an upgrade step moved or made the secret ${place}`)
  return next
}

function secretsOf({ key, kind }: Slot, fields: StoredFields): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const value = kind === 'single' ? fields : [fields as StoredFields & Item]
  resealAll({ [key]: value }, (secret, place) => {
    found.set(place, secret.sealed)
    return secret
  })
  return found
}

/** A field that a later release added to settings starts at its default and needs no step. */
const withNewFields = (initial: unknown, value: unknown): unknown =>
  isFields(initial) && isFields(value) ? { ...initial, ...value } : value

const isFields = (value: unknown): value is StoredFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
