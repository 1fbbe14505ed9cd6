// The option --limit of the lists that are read page by page, with the limits the contract sets.

import type { Endpoint } from '../../core/contract/endpoint.ts'
import { type Invocation, readNumber } from './command.ts'
import { asSchema, findField } from './contract/schema.ts'

export function readLimit(invocation: Invocation, endpoint: Endpoint): Record<string, string> {
  const text = invocation.value('limit')
  if (text === undefined) return {}
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = findField(asSchema(endpoint.query), 'limit') ?? {}
  return { limit: String(readNumber(text, '--limit', minimum, maximum)) }
}
