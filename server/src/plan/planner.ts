// Turns a configuration and facts into the complete list of artifacts. Remembers what each area gave as long as
// nothing it looks at has changed, so that a change in one area does not render the others again. Pure otherwise.

import type { Problem } from '../contract/error.ts'
import type { Config } from '../model/slots.ts'
import type { AreaRules } from './area.ts'
import type { Artifact, NftPiece } from './artifacts.ts'
import type { Facts } from './facts.ts'

export interface Planner {
  verify(config: Config): readonly Problem[]
  render(config: Config, facts: Facts): readonly Artifact[]
}

export function createPlanner(areas: readonly AreaRules[]): Planner {
  const verifiers = areas.map((area) => remember(area, (config: Config) => area.verify?.(config) ?? []))
  const renderers = areas.map((area) =>
    remember(area, (config: Config, facts: Facts) => area.render?.(config, facts) ?? []),
  )
  return {
    verify: (config) => verifiers.flatMap((verify) => verify(config, null)),
    render: (config, facts) => renderers.flatMap((render) => render(config, facts)),
  }
}

function remember<F, R>(area: AreaRules, compute: (config: Config, facts: F) => readonly R[]) {
  const keys = [...area.slots, ...(area.reads ?? [])].map((slot) => slot.key)
  let last: { values: unknown[]; facts: F | null; result: readonly R[] } | null = null
  return (config: Config, facts: F | null): readonly R[] => {
    const values = keys.map((key) => config[key])
    if (last && last.facts === facts && values.every((value, index) => value === last?.values[index]))
      return last.result
    last = { values, facts, result: compute(config, facts as F) }
    return last.result
  }
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

/** As text that a person can read; for a table, the content of its braces. */
export const contentOf = (artifact: Artifact): string => {
  switch (artifact.kind) {
    case 'nft':
      return artifact.pieces.map((piece) => printPiece(piece).join('\n')).join('\n\n')
    case 'network':
      return artifact.links.map((link) => JSON.stringify(link)).join('\n')
    case 'file':
      return artifact.text
    case 'unit':
      return ''
  }
}

/** The lines of a piece. Few elements share one line; many get one line each. */
export function printPiece({ kind, name, head, lines }: NftPiece): string[] {
  const isShort = lines.reduce((sum, line) => sum + line.length + 2, 0) < 100
  const elements = isShort ? [`    elements = { ${lines.join(', ')} }`] : many(lines)
  const content = kind === 'chain' ? lines.map((line) => `    ${line}`) : lines.length === 0 ? [] : elements
  return [`  ${kind} ${name} {`, ...(head === '' ? [] : [`    ${head}`]), ...content, '  }']
}

const many = (lines: readonly string[]): string[] => [
  '    elements = {',
  ...lines.map((line) => `      ${line},`),
  '    }',
]
