// Turns a configuration and facts into the complete list of artifacts. Remembers what each area gave as long as
// nothing it looks at has changed, so that a change in one area does not render the others again. Pure otherwise.

import type { Problem } from '../contract/error.ts'
import { slotsTouched } from '../model/origins.ts'
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

const none: readonly Problem[] = []

export function createPlanner(areas: readonly AreaRules[]): Planner {
  const verified = new Remembered(areas, ({ verify }, config: Config) => verify?.(config) ?? [])
  const rendered = new Remembered(areas, ({ render }, config: Config, facts: Facts) => render?.(config, facts) ?? [])
  const problemsOf = new WeakMap<Config, readonly Problem[]>()
  let sound: Config | null = null
  let lastParts: { readonly of: readonly (readonly Artifact[])[]; readonly parts: Rendered } | null = null
  return {
    verify: (config) => {
      // After a refusal, and with problems that are stored, the one before a change is asked for again.
      if (config === sound) return none
      const known = problemsOf.get(config)
      if (known) return known
      const found = verified.of(config, null)
      if (found.every(({ length }) => length === 0)) {
        sound = config
        return none
      }
      const problems = found.flat()
      problemsOf.set(config, problems)
      return problems
    },
    render: (config, facts) => rendered.of(config, facts).flat(),
    renderParts: (config, facts) => {
      const given = rendered.of(config, facts)
      // The very same while no area gives something else: it is compared with what is in force several times for each change.
      if (lastParts?.of !== given) lastParts = { of: given, parts: partsOf(areas, given) }
      return lastParts.parts
    },
    renderArea: (name, config, facts) => areas.find((area) => area.name === name)?.render?.(config, facts) ?? [],
  }
}

/** `given` has what each area gives, in their order. */
const partsOf = (areas: readonly AreaRules[], given: readonly (readonly Artifact[])[]): Rendered => ({
  foreground: given.filter((_, index) => areas[index]?.apply === undefined).flat(),
  background: new Map(
    areas.flatMap(({ name, apply }, index) => (apply === 'background' ? [[name, given[index] ?? []] as const] : [])),
  ),
})

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

interface Given<F, R> {
  readonly config: Config
  readonly facts: F
  /** Of each area, in their order. */
  readonly results: readonly (readonly R[])[]
}

/** What all areas give for a configuration. After a change only those are asked that look at what changed. */
class Remembered<F, R> {
  readonly #areas: readonly AreaRules[]
  readonly #compute: (area: AreaRules, config: Config, facts: F) => readonly R[]
  /** By the slot that they look at. */
  readonly #readers = new Map<string, number[]>()
  #last: Given<F, R> | null = null

  constructor(areas: readonly AreaRules[], compute: (area: AreaRules, config: Config, facts: F) => readonly R[]) {
    this.#areas = areas
    this.#compute = compute
    for (const [index, { slots, reads = [] }] of areas.entries()) {
      for (const { key } of [...slots, ...reads]) {
        const readers = this.#readers.get(key) ?? []
        this.#readers.set(key, readers)
        readers.push(index)
      }
    }
  }

  /** The very same value while it has the same results. */
  of(config: Config, facts: F): readonly (readonly R[])[] {
    const last = this.#last
    if (!last || last.facts !== facts) {
      const results = this.#areas.map((area) => this.#compute(area, config, facts))
      this.#last = { config, facts, results }
      return results
    }
    if (last.config === config) return last.results
    const touched = this.#readersOfChanged(last.config, config)
    const results = touched.size === 0 ? last.results : this.#again(last, config, touched)
    this.#last = { config, facts, results }
    return results
  }

  #readersOfChanged(before: Config, after: Config): ReadonlySet<number> {
    const touched = new Set<number>()
    for (const key of slotsTouched(before, after) ?? this.#readers.keys()) {
      if (before[key] === after[key]) continue
      for (const reader of this.#readers.get(key) ?? []) touched.add(reader)
    }
    return touched
  }

  #again({ results, facts }: Given<F, R>, config: Config, touched: ReadonlySet<number>): Given<F, R>['results'] {
    let next: (readonly R[])[] | null = null
    for (const index of touched) {
      const [area, before] = [this.#areas[index], results[index]]
      const made = area ? this.#compute(area, config, facts) : []
      // An empty list is the same as the empty list before it.
      if (made === before || (made.length === 0 && before?.length === 0)) continue
      next ??= [...results]
      next[index] = made
    }
    return next ?? results
  }
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
