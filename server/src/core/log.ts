// The service log: one JSON object a line, so that no text in it can start a new line.

import { secretMask } from './contract/fields.ts'

export type Level = 'debug' | 'info' | 'warning' | 'error'
export type Log = (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void

const secretNames = /^(password|psw|secret|token|cookie|authorization|private_key|key)$/i

export const createLog =
  (write: (line: string) => void, now: () => Date = () => new Date()): Log =>
  (level, message, fields = {}) => {
    const line = JSON.stringify({ time: now().toISOString(), level, message, ...fields }, printable)
    write(`${line.replaceAll(beyondJson, escaped)}\n`)
  }

/** What JSON leaves as it is but a terminal or a reader of lines may act on: DEL, C1 controls, line separators. */
const beyondJson = /[\u007f-\u009f\u2028\u2029]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Secrets by name print as the mask; errors print with their causes, which JSON would drop. */
function printable(name: string, value: unknown): unknown {
  if (secretNames.test(name) && value !== undefined && value !== null) return secretMask
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack, cause: value.cause }
  return value
}
