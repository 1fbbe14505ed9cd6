// Maps what nft writes about a script to the objects that its lines came from. Pure.

import type { Problem } from '../../contract/error.ts'
import type { ScriptLine } from '../nft-script.ts'
import { oneLine } from '../text.ts'
import type { ElementChange } from './address-set.ts'
import type { Verdict } from './kernel.ts'

export const accepted: Verdict = { problems: [], unchecked: null }

/** `place` is what nft calls the script. `fallback` is the object of a refusal that names no line. */
export function verdictOf(stderr: string, place: string, script: readonly ScriptLine[], fallback: string): Verdict {
  const problems = parseErrors(stderr, place, script)
  if (problems.length > 0) return { problems, unchecked: null }
  const words = oneLine(stderr.split('\n')[0] ?? '')
  if (/Operation not permitted|Unable to initialize Netlink/.test(words))
    return { problems, unchecked: `nft has no access to the kernel here: ${words}` }
  return { problems: [{ field: fallback, message: words || 'nft refused the script.' }], unchecked: null }
}

/** nft writes `file:line:columns: Error: words`, then repeats the line and points at the place. */
function parseErrors(stderr: string, place: string, script: readonly ScriptLine[]): Problem[] {
  const found = new Map<string, Problem>()
  for (const [, file, number, words = ''] of stderr.matchAll(/^([\w/]+):(\d+):[\d-]+: Error: (.*)$/gm)) {
    if (file !== place) continue
    const field = script[Number(number) - 1]?.field ?? 'nft'
    found.set(`${field} ${words}`, { field, message: oneLine(words) })
  }
  return [...found.values()]
}

/** What is removed is first, as in every script: an element may be part of a network that is added. */
export function elementScript(changes: readonly ElementChange[]): ScriptLine[] {
  const inOrder = (['delete', 'add'] as const).flatMap((verb) => changes.filter((change) => change.verb === verb))
  return inOrder
    .filter(({ elements }) => elements.length > 0)
    .flatMap(({ verb, table, set, elements, field }) =>
      [`${verb} element ${table} ${set} {`, ...elements.map((element) => `${element},`), '}'].map((text) => ({
        text,
        field,
      })),
    )
}
