// One reading of JSON: what two parsers could read differently is refused. JSON.parse decides what is JSON; this adds
// what it lets pass (repeated keys, __proto__, huge numbers, lone surrogates, deep nesting).

import { GatewayError } from '../contract/error.ts'

const maxDepth = 20
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

const malformed = (message: string): GatewayError => new GatewayError('malformed', message)

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJsonBytes(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw malformed('The body is not UTF-8 text.')
  }
  return parseJson(text)
}

export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text, (_key, inner, context?: { source?: string }) => checkLeaf(inner, context?.source))
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw malformed('The body is not valid JSON.')
  }
  checkKeys(text)
  return value
}

function checkLeaf(value: unknown, source: string | undefined): unknown {
  if (typeof value === 'number') {
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
    if (!isExact) throw malformed(`The number ${(source ?? '').slice(0, 40)} is too large to be kept exactly.`)
  }
  if (typeof value === 'string' && !value.isWellFormed()) throw malformed('A text holds half of a character.')
  return value
}

/** Walks text that is known to be valid JSON and looks only at braces and keys. */
function checkKeys(text: string): void {
  const scopes: (Set<string> | null)[] = []
  let position = 0
  while (position < text.length) {
    const character = text[position]
    if (character === '"') {
      const end = endOfString(text, position)
      const scope = scopes.at(-1)
      if (scope && isFollowedByColon(text, end)) addKey(scope, JSON.parse(text.slice(position, end)) as string)
      position = end
      continue
    }
    if (character === '{' || character === '[') {
      scopes.push(character === '{' ? new Set() : null)
      if (scopes.length > maxDepth) throw malformed(`The body is nested deeper than ${maxDepth} levels.`)
    }
    if (character === '}' || character === ']') scopes.pop()
    position++
  }
}

function endOfString(text: string, start: number): number {
  let position = start + 1
  while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1
  return position + 1
}

function isFollowedByColon(text: string, from: number): boolean {
  let position = from
  while (' \t\n\r'.includes(text[position] ?? 'x')) position++
  return text[position] === ':'
}

function addKey(scope: Set<string>, key: string): void {
  if (!key.isWellFormed()) throw malformed('A field name holds half of a character.')
  if (forbiddenKeys.has(key)) throw malformed(`A field must not be called ${key}.`)
  if (scope.has(key)) throw malformed(`The field "${key.slice(0, 80)}" stands twice.`)
  scope.add(key)
}
