// A throw-away area as three releases would have it: its settings and the items of its list change their shape twice, with a
// long list that revisions keep only in part and a secret among the fields.

import type { TObject, TSchema } from 'typebox'
import { type Area, defineArea } from '../../src/core/area/handle.ts'
import { nullable, strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { Sealed } from '../../src/core/model/secret.ts'
import { list, type StoredFields, single, type UpgradeStep } from '../../src/core/model/slots.ts'

const text = Type.String()

const settingsSchemas: readonly TSchema[] = [
  strictObject({ limit: text }),
  strictObject({ limit: Type.Integer() }),
  strictObject({ limits: strictObject({ soft: Type.Integer(), hard: Type.Integer() }) }),
]

export const settingsSteps: readonly UpgradeStep[] = [
  ({ limit }) => ({ limit: Number(limit) }),
  ({ limit }) => ({ limits: { soft: limit, hard: Number(limit) * 2 } }),
]

const initialSettings: readonly StoredFields[] = [{ limit: '10' }, { limit: 10 }, { limits: { soft: 10, hard: 20 } }]

const common = { id: Type.Integer(), password: nullable(Sealed) }
const itemSchemas: readonly TObject[] = [
  strictObject({ ...common, name: text, urls: Type.Array(text) }),
  strictObject({ ...common, title: text, urls: Type.Array(text) }),
  strictObject({ ...common, title: text, links: Type.Array(strictObject({ url: text })) }),
]

export const itemSteps: readonly UpgradeStep[] = [
  ({ name, ...rest }) => ({ ...rest, title: name }),
  ({ urls, ...rest }) => ({ ...rest, links: (urls as string[]).map((url) => ({ url })) }),
]

export const settingsKey = 'versioned.settings'
export const itemsKey = 'versioned.items'

/** The area with its slots at `version`. */
export function versionedArea(version: 1 | 2 | 3): Area {
  const at = version - 1
  const upTo = <T>(all: readonly T[]): T => all[at] ?? (all[0] as T)
  return defineArea({
    name: 'versioned',
    slots: [
      single(settingsKey, upTo(settingsSchemas), upTo(initialSettings), { upgrades: settingsSteps.slice(0, at) }),
      list(itemsKey, upTo(itemSchemas), { upgrades: itemSteps.slice(0, at) }),
    ],
    routes: [],
  })
}
