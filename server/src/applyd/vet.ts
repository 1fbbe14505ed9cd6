// What is refused before any program sees it: files, units, and the pieces of tables, which vet-pieces.ts reads.

import type { Problem } from '../core/contract/error.ts'
import type { Artifact, EngineFile, KernelSetting, LinkPlan, NftPiece, Plan } from '../core/plan/artifacts.ts'
import { faultsIn } from '../engines/kit/forms.ts'
import { findFile, findUnit, readsFile, type Tables } from '../engines/kit/tables.ts'
import { verbatim } from '../shared/said.ts'
import { vetPieces } from './loaded/vet-pieces.ts'
import type { WayTargets } from './ways.ts'

/** The state of everything in the tables; null or no pieces means absent. What a plan does not name is removed. */
export interface Target extends WayTargets {
  readonly files: ReadonlyMap<string, Buffer | null>
  readonly tables: ReadonlyMap<string, readonly NftPiece[]>
  readonly units: ReadonlySet<string>
  /** Null: the network is left as it is. */
  readonly links: readonly LinkPlan[] | null
}

/** Names of what differs between a target and the machine. */
export type Difference = { readonly [K in Artifact['kind']]: readonly string[] }

const contents = new WeakMap<EngineFile, Buffer>()

/** The same buffer for the same artifact, so that what is known about it is not computed again. */
function contentOf(file: EngineFile, tables: Tables): Buffer {
  const content = contents.get(file) ?? Buffer.from(file.text + (findFile(tables, file.name)?.ending ?? ''))
  contents.set(file, content)
  return content
}

/** `present` are the files of templates that are on the machine. */
export function targetOf(plan: Plan, tables: Tables, present: readonly string[] = []): Target {
  const files = new Map<string, Buffer | null>([...tables.files.keys(), ...present].map((name) => [name, null]))
  const pieces = new Map<string, readonly NftPiece[]>(tables.nft.tables.map((name) => [name, []]))
  const units = new Set<string>()
  let links: readonly LinkPlan[] | null = null
  const ways: Record<string, readonly object[]> = {}
  let settings: readonly KernelSetting[] = []
  for (const artifact of plan.artifacts) {
    if (artifact.kind === 'file') files.set(artifact.name, contentOf(artifact, tables))
    if (artifact.kind === 'nft') pieces.set(artifact.name, artifact.pieces)
    if (artifact.kind === 'unit') units.add(artifact.name)
    if (artifact.kind === 'network' && artifact.name === 'links') links = artifact.links
    if (artifact.kind === 'network' && artifact.name === 'settings') settings = artifact.settings
    if (artifact.kind === 'way') ways[artifact.name] = artifact.entries
  }
  return { files, tables: pieces, units, links, ways, settings }
}

export function vetTarget(target: Target, difference: Difference, tables: Tables): Problem[] {
  const faultsOf = (name: string, messages: readonly string[]) =>
    messages.map((message) => ({ field: name, message: verbatim(message) }))
  return [
    ...difference.nft.flatMap((name) => faultsOf(name, vetPieces(target.tables.get(name) ?? []))),
    ...difference.file.flatMap((name) => faultsOf(name, vetFile(name, target, tables))),
    ...[...target.units].flatMap((name) => faultsOf(name, vetUnit(name, target, tables))),
  ]
}

function vetFile(name: string, target: Target, tables: Tables): readonly string[] {
  const whole = target.files.get(name)?.toString()
  if (whole === undefined) return []
  const text = whole.slice(0, whole.length - (findFile(tables, name)?.ending?.length ?? 0))
  if (/[\p{Cc}\u2028\u2029]/u.test(text.replaceAll(/[\n\t]/g, ''))) return ['The file contains a control character.']
  // Of a template any instance says it: what its units read does not depend on their device.
  const all = [...tables.units.values(), ...[...tables.templates.values()].map((make) => make('lan0'))]
  const readers = all.filter((unit) => readsFile(unit, name))
  return readers.flatMap((unit) => faultsIn(unit, name, text))
}

function vetUnit(name: string, target: Target, tables: Tables): readonly string[] {
  const missing = Object.keys(findUnit(tables, name)?.files ?? {}).filter((file) => target.files.get(file) === null)
  return missing.map((file) => `${name} needs ${file}, which is not part of the plan.`)
}
