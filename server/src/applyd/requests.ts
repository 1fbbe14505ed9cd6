// Strict reading of what gatewayd sends: every key known, every value of its type and within bounds, every name in
// the tables. What is returned is built anew from the parts that were checked.

import type { Artifact, Plan, Verb, VerbTable } from '../plan/artifacts.ts'
import type { Tables } from './tables.ts'

/** The message goes back to the caller as it is. */
export class Refusal extends Error {}

const artifactLimit = 1000
const textLimit = 32 * 1024 * 1024

export type ArgumentParsers = { readonly [V in Verb]: (args: unknown) => VerbTable[V]['args'] }

export const argumentParsers = (tables: Tables): ArgumentParsers => ({
  check: (args) => ({ plan: parsePlan(parseKeys(args, ['plan']).plan, tables) }),
  apply: (args) => ({ plan: parsePlan(parseKeys(args, ['plan']).plan, tables) }),
  observe: (args) => parseKeys(args, []),
  checkpoint: parseCheckpoint,
  checkpoints: (args) => parseKeys(args, []),
})

function parseCheckpoint(value: unknown): { sequence: number; hash: string } {
  const { sequence, hash } = parseKeys(value, ['sequence', 'hash'])
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) throw new Refusal('The hash is not a SHA-256 in hex.')
  return { sequence: parseCount(sequence, 'sequence'), hash }
}

function parsePlan(value: unknown, tables: Tables): Plan {
  const { revision, artifacts } = parseKeys(value, ['revision', 'artifacts'])
  if (!Array.isArray(artifacts) || artifacts.length > artifactLimit)
    throw new Refusal(`The artifacts are not a list of at most ${artifactLimit}.`)
  const parsed = artifacts.map((artifact) => parseArtifact(artifact, tables))
  const names = new Set(parsed.map((artifact) => `${artifact.kind} ${artifact.name}`))
  if (names.size !== parsed.length) throw new Refusal('The plan names an artifact twice.')
  return { revision: parseCount(revision, 'revision'), artifacts: parsed }
}

function parseArtifact(value: unknown, { nft, files, units }: Tables): Artifact {
  const kind = (value as { kind?: unknown } | null)?.kind
  if (kind === 'nft') {
    const { name, body } = parseKeys(value, ['kind', 'name', 'body'])
    return { kind, name: parseName(name, nft.tables), body: parseText(body) }
  }
  if (kind === 'file') {
    const { name, text } = parseKeys(value, ['kind', 'name', 'text'])
    return { kind, name: parseName(name, files.keys()), text: parseText(text) }
  }
  if (kind === 'unit') return { kind, name: parseName(parseKeys(value, ['kind', 'name']).name, units.keys()) }
  throw new Refusal('An artifact is of no known kind.')
}

function parseName(value: unknown, known: Iterable<string>): string {
  for (const name of known) if (name === value) return name
  throw new Refusal('The plan names an artifact that is not in the tables.')
}

function parseText(value: unknown): string {
  if (typeof value === 'string' && value.length <= textLimit && value.isWellFormed()) return value
  throw new Refusal('The content of an artifact is no text or too large.')
}

export function parseCount(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new Refusal(`The ${what} is not a number.`)
}

/** Exactly these keys, no more and no fewer. */
export function parseKeys<K extends string>(value: unknown, keys: readonly K[]): Record<K, unknown> {
  const own = typeof value === 'object' && value && !Array.isArray(value) ? Object.keys(value) : ['no object']
  if (own.length !== keys.length || !keys.every((key) => own.includes(key)))
    throw new Refusal(`Exactly these keys were expected: ${keys.join(', ') || 'none'}.`)
  return value as Record<K, unknown>
}
