// One reading of JSON: what two parsers could read differently is refused. JSON.parse decides what is JSON; this adds
// what it lets pass (repeated keys, __proto__, huge numbers, lone surrogates, deep nesting).

import { type SaidText, say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'

const maxDepth = 20
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

const malformed = (message: SaidText): GatewayError => new GatewayError('malformed', message)

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJsonBytes(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw malformed(say`The body is not UTF-8 text.`)
  }
  return parseJson(text)
}

export function parseJson(text: string): unknown {
  // First: JSON.parse takes seconds for millions of brackets.
  const keys = countKeys(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed(say`The body is not valid JSON.`)
  }
  // A field that is there twice is once in the value. Which one it is costs more to find, and is only asked then.
  if (keys !== checkInside(value, text)) refuseRepeatedKey(text)
  return value
}

/**
 * How many fields there are, in all depths. The depth is known to be small. A reviver would see the same, at ten times the
 * price of the parsing.
 */
function checkInside(value: unknown, text: string): number {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw malformed(say`A text contains an unpaired surrogate.`)
  } else if (typeof value === 'number') {
    if (!isExact(value))
      throw malformed(say`The number ${inexactNumber(text).slice(0, 40)} is too large to be stored exactly.`)
  } else if (Array.isArray(value)) {
    let count = 0
    for (const inner of value) count += checkInside(inner, text)
    return count
  } else if (typeof value === 'object' && value !== null) {
    let count = 0
    for (const name in value) {
      if (!name.isWellFormed()) throw malformed(say`A field name contains an unpaired surrogate.`)
      if (forbiddenKeys.has(name)) throw malformed(say`The field name ${name} is not allowed.`)
      count += 1 + checkInside((value as Readonly<Record<string, unknown>>)[name], text)
    }
    return count
  }
  return 0
}

const isExact = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)

/** As it was written; only asked when there is one. */
function inexactNumber(text: string): string {
  let found = ''
  JSON.parse(text, (_key, inner: unknown, context?: { source?: string }) => {
    if (found === '' && typeof inner === 'number' && !isExact(inner)) found = context?.source ?? ''
  })
  return found
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, colon] = [34, 92, 123, 125, 91, 93, 58]
const space = new Set([32, 9, 10, 13])

/** Looks only at braces and keys. Of text that is not JSON the number means nothing. */
function countKeys(text: string): number {
  let count = 0
  let depth = 0
  let position = 0
  while (position < text.length) {
    const character = text.charCodeAt(position)
    if (character === quote) {
      position = endOfString(text, position)
      if (isFollowedByColon(text, position)) count++
      continue
    }
    if (character === openBrace || character === openBracket) {
      if (++depth > maxDepth) throw malformed(say`The body is nested deeper than ${maxDepth} levels.`)
    } else if (character === closeBrace || character === closeBracket) depth--
    position++
  }
  return count
}

/** Only for text that has one. */
function refuseRepeatedKey(text: string): never {
  const scopes: (Set<string> | null)[] = []
  let position = 0
  while (position < text.length) {
    const character = text.charCodeAt(position)
    if (character === quote) {
      const end = endOfString(text, position)
      const scope = scopes.at(-1)
      if (scope && isFollowedByColon(text, end)) addKey(scope, JSON.parse(text.slice(position, end)) as string)
      position = end
      continue
    }
    if (character === openBrace || character === openBracket) scopes.push(character === openBrace ? new Set() : null)
    if (character === closeBrace || character === closeBracket) scopes.pop()
    position++
  }
  throw new Error('a field was counted that is not there')
}

/** A quote ends the text unless an odd number of backslashes precedes it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) throw malformed(say`The body is not valid JSON.`)
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end + 1
  }
}

function isFollowedByColon(text: string, from: number): boolean {
  let position = from
  while (space.has(text.charCodeAt(position))) position++
  return text.charCodeAt(position) === colon
}

function addKey(scope: Set<string>, key: string): void {
  if (scope.has(key)) throw malformed(say`Duplicate field "${key.slice(0, 80)}".`)
  scope.add(key)
}
