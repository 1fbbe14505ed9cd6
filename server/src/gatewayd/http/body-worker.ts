// The worker that reads large bodies: strict JSON and the schema of the endpoint, away from the event loop.

import type { TSchema } from 'typebox'
import { parseJsonBytes } from '../../core/validation/strict-json.ts'
import { checkBody } from '../../core/validation/validate.ts'
import { serveTasks } from '../../core/workers/serve.ts'

export interface BodyToRead {
  readonly bytes: Uint8Array
  /** As JSON, which a schema is. */
  readonly schema: string
}

/** By their text: a schema that comes again must be the very same value, or it would be compiled again. */
const schemas = new Map<string, TSchema>()

function schemaOf(text: string): TSchema {
  const schema = schemas.get(text) ?? (JSON.parse(text) as TSchema)
  schemas.set(text, schema)
  return schema
}

export const bodyTasks = {
  read: ({ bytes, schema }: BodyToRead): unknown => {
    const body = parseJsonBytes(bytes)
    checkBody(schemaOf(schema), body)
    return body
  },
}

serveTasks(bodyTasks)
