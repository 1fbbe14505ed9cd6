// A small line diff for dry runs: what would leave a rendered artifact and what would come in. Pure.

import type { Artifact } from './artifacts.ts'
import { artifactName, contentOf } from './planner.ts'

export interface ArtifactChange {
  readonly artifact: string
  readonly action: 'added' | 'changed' | 'removed'
  readonly removed_lines: readonly string[]
  readonly added_lines: readonly string[]
}

export function diffArtifacts(before: readonly Artifact[], after: readonly Artifact[]): ArtifactChange[] {
  const old = new Map(before.map((artifact) => [artifactName(artifact), artifact]))
  const changes: ArtifactChange[] = []
  for (const artifact of after) {
    const name = artifactName(artifact)
    const previous = old.get(name)
    old.delete(name)
    if (previous && contentOf(previous) === contentOf(artifact)) continue
    changes.push(change(name, previous ? 'changed' : 'added', previous, artifact))
  }
  for (const [name, artifact] of old) changes.push(change(name, 'removed', artifact, undefined))
  return changes
}

function change(
  artifact: string,
  action: ArtifactChange['action'],
  before: Artifact | undefined,
  after: Artifact | undefined,
): ArtifactChange {
  const lines = diffLines(before ? contentOf(before) : '', after ? contentOf(after) : '')
  return { artifact, action, removed_lines: lines.removed, added_lines: lines.added }
}

/** Lines of the part that differs, between the common head and the common tail. */
export function diffLines(before: string, after: string): { removed: string[]; added: string[] } {
  const a = before === '' ? [] : before.split('\n')
  const b = after === '' ? [] : after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return { removed: a.slice(start, a.length - tail), added: b.slice(start, b.length - tail) }
}
