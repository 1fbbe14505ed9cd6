// Turns a configuration and facts into the complete list of artifacts. Remembers what each area gave as long as
// nothing it looks at has changed, so that a change in one area does not render the others again. Pure otherwise.

import type { Problem } from '../contract/error.ts'
import type { Config } from '../model/slots.ts'
import type { AreaRules } from './area.ts'
import type { Artifact, NftPiece } from './artifacts.ts'
import type { Facts } from './facts.ts'
import { printPieces } from './nft-piece.ts'

/** What the areas give: those that are applied in the background each for itself, the others together. */
export interface Rendered {
  readonly foreground: readonly Artifact[]
  readonly background: ReadonlyMap<string, readonly Artifact[]>
}

export interface Planner {
  verify(config: Config): readonly Problem[]
  /** Everything, as it should be on the machine in the end. */
  render(config: Config, facts: Facts): readonly Artifact[]
  renderParts(config: Config, facts: Facts): Rendered
  /** What one area gives, such as for a configuration that is no longer in force. */
  renderArea(area: string, config: Config, facts: Facts): readonly Artifact[]
}

export function createPlanner(areas: readonly AreaRules[]): Planner {
  const verifiers = areas.map((area) => remember(area, (config: Config) => area.verify?.(config) ?? []))
  const renderers = areas.map(
    (area) => [area, remember(area, (config: Config, facts: Facts) => area.render?.(config, facts) ?? [])] as const,
  )
  const foreground = renderers.filter(([area]) => area.apply === undefined)
  const background = renderers.filter(([area]) => area.apply === 'background')
  return {
    verify: (config) => verifiers.flatMap((verify) => verify(config, null)),
    render: (config, facts) => renderers.flatMap(([, render]) => render(config, facts)),
    renderParts: (config, facts) => ({
      foreground: foreground.flatMap(([, render]) => render(config, facts)),
      background: new Map(background.map(([{ name }, render]) => [name, render(config, facts)])),
    }),
    renderArea: (name, config, facts) => areas.find((area) => area.name === name)?.render?.(config, facts) ?? [],
  }
}

/** All of it, in one fixed order. */
export const allOf = ({ foreground, background }: Rendered): readonly Artifact[] =>
  background.size === 0 ? foreground : [...foreground, ...[...background.values()].flat()]

/** The background areas that do not give the same in both. */
export const changedAreas = (before: Rendered, after: Rendered): string[] =>
  [...after.background].flatMap(([name, artifacts]) =>
    sameArtifacts(artifacts, before.background.get(name) ?? []) ? [] : [name],
  )

/** What of the machine a change reaches: nothing, tables of the kernel only, or more than those. */
export type Reach = 'nothing' | 'tables' | 'more'

export function reachOf(before: Rendered, after: Rendered): Reach {
  if (changedAreas(before, after).length > 0) return 'more'
  if (sameArtifacts(before.foreground, after.foreground)) return 'nothing'
  return sameArtifacts(besideTables(before.foreground), besideTables(after.foreground)) ? 'tables' : 'more'
}

export const besideTables = (artifacts: readonly Artifact[]): readonly Artifact[] =>
  artifacts.filter(({ kind }) => kind !== 'nft')

function remember<F, R>(area: AreaRules, compute: (config: Config, facts: F) => readonly R[]) {
  const keys = [...area.slots, ...(area.reads ?? [])].map((slot) => slot.key)
  let last: { values: readonly unknown[]; facts: F | null; result: readonly R[] } | null = null
  return (config: Config, facts: F | null): readonly R[] => {
    if (last?.facts === facts && hasValues(config, keys, last.values)) return last.result
    last = { values: keys.map((key) => config[key]), facts, result: compute(config, facts as F) }
    return last.result
  }
}

/** In a plain loop: every change asks this of each area, for all that the area reads. */
function hasValues(config: Config, keys: readonly string[], values: readonly unknown[]): boolean {
  for (let index = 0; index < keys.length; index++) if (config[keys[index] as string] !== values[index]) return false
  return true
}

/** What an earlier version stored, and this one would refuse, does not keep administrators from changing the rest. */
export function newProblems(planner: Pick<Planner, 'verify'>, before: Config, after: Config): readonly Problem[] {
  const problems = planner.verify(after)
  if (problems.length === 0) return []
  const known = new Set(planner.verify(before).map(({ field, message }) => `${field} ${message}`))
  return problems.filter(({ field, message }) => !known.has(`${field} ${message}`))
}

export const artifactName = (artifact: Artifact): string => `${artifact.kind} ${artifact.name}`

/** Same artifacts in the same order; areas give them in a fixed order, so order is content. */
export function sameArtifacts(a: readonly Artifact[], b: readonly Artifact[]): boolean {
  return a.length === b.length && a.every((artifact, index) => sameArtifact(artifact, b[index]))
}

function sameArtifact(a: Artifact, b: Artifact | undefined): boolean {
  if (a === b || b === undefined) return a === b
  if (a.name !== b.name || a.kind !== b.kind) return false
  return a.kind === 'nft' && b.kind === 'nft' ? samePieces(a.pieces, b.pieces) : contentOf(a) === contentOf(b)
}

/** By hash, for the text of ten thousand rules takes long to compare. */
const samePieces = (a: readonly NftPiece[], b: readonly NftPiece[]): boolean =>
  a === b || (a.length === b.length && a.every((piece, index) => piece.hash === b[index]?.hash))

/** As text that a person can read; that of a table is what is loaded between its braces. */
export const contentOf = (artifact: Artifact): string => {
  switch (artifact.kind) {
    case 'nft':
      return printPieces(artifact.pieces).join('\n')
    case 'network':
      return artifact.name === 'settings'
        ? artifact.settings.map(({ name, value }) => `${name} = ${value}`).join('\n')
        : artifact.links.map((one) => JSON.stringify(one)).join('\n')
    case 'way':
      return artifact.entries.map((one) => JSON.stringify(one)).join('\n')
    case 'file':
      return artifact.text
    case 'unit':
      return ''
  }
}
