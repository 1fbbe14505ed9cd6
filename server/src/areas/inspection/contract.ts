// Deep inspection as a whole: what profiles do while the engine does not run, and what the engine does now (docs/behaviour/inspection.md).

import type { Static } from 'typebox'
import { oneOf, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

export const failureActions = ['pass', 'block'] as const

/** Stored: `id` is that of the profile. */
export const ProfileFailure = strictObject({ id: Type.String(), on_failure: oneOf(failureActions) })
export type ProfileFailure = Static<typeof ProfileFailure>
