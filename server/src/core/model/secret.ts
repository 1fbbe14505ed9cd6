// A secret as it lives in the configuration: ciphertext only. core/vault.ts seals and reveals; diffs,
// replies and logs can at worst show what is useless without the key.

import type { Static } from 'typebox'
import { Type } from '../contract/schema.ts'

export const Sealed = Type.Object(
  { sealed: Type.String({ description: 'v1.<key id>.<nonce>.<ciphertext and tag>, base64url.' }) },
  { additionalProperties: false },
)
export type Sealed = Static<typeof Sealed>

/** A secret that an earlier release stored in clear. Who reads it from the disk or from a backup seals it. */
export interface Unsealed {
  readonly unsealed: string
}

export const isUnsealed = (value: unknown): value is Unsealed =>
  typeof value === 'object' && value !== null && typeof (value as Unsealed).unsealed === 'string'

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && typeof (value as Sealed).sealed === 'string'
