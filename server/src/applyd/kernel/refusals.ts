// Maps what nft writes about a script to the objects that its lines came from. Pure.

import type { Problem } from '../../core/contract/error.ts'
import { oneLine } from '../../engines/kit/text.ts'
import { say, verbatim } from '../../shared/said.ts'
import type { ScriptLine } from '../nft-script.ts'
import type { ElementChange } from './address-set.ts'
import type { Verdict } from './nft-kernel.ts'

export const accepted: Verdict = { problems: [], unchecked: null }

/** How nft was asked, and what it wrote. */
export interface Refused {
  readonly stderr: string
  /** What nft calls the script. */
  readonly place: string
  readonly script: readonly ScriptLine[]
  /** The object of a refusal that names no line. */
  readonly fallback: string
}

/**
 * nft 1.1 takes a rule that the kernel refuses for one of another table, wherever its own table is not loaded yet: it points at
 * the first line of the block and guesses what was meant. With every rule as a command it points at the rule, so `checkAgain`,
 * which changes nothing, is asked with that form (docs/decisions/0089-nftables-1-1.md).
 */
export async function explain(
  refused: Refused,
  checkAgain: (script: readonly ScriptLine[]) => Promise<Refused | null>,
): Promise<Verdict> {
  const verdict = verdictOf(refused)
  if (!isGuess(refused.stderr)) return verdict
  const again = await checkAgain(separateRules(refused.script))
  const second = again && verdictOf(again)
  return second && second.problems.length > 0 ? second : verdict
}

const isGuess = (stderr: string): boolean => stderr.includes('; did you mean table ')

function verdictOf({ stderr, place, script, fallback }: Refused): Verdict {
  const problems = parseErrors(stderr, place, script)
  if (problems.length > 0) return { problems, unchecked: null }
  const words = oneLine(stderr.split('\n')[0] ?? '')
  if (/Operation not permitted|Unable to initialize Netlink/.test(words))
    return { problems, unchecked: `nft has no access to the kernel here: ${words}` }
  return { problems: [{ field: fallback, message: verbatim(words) || say`nft refused the script.` }], unchecked: null }
}

/** nft writes `file:line:columns: Error: words`, then repeats the line and points at the place. */
function parseErrors(stderr: string, place: string, script: readonly ScriptLine[]): Problem[] {
  const found = new Map<string, Problem>()
  for (const [, file, number, words = ''] of stderr.matchAll(/^([\w/]+):(\d+):[\d-]+: Error: (.*)$/gm)) {
    if (file !== place) continue
    const field = script[Number(number) - 1]?.field ?? 'nft'
    const message = verbatim(plainWords(oneLine(words)))
    found.set(`${field} ${message}`, { field, message })
  }
  return [...found.values()]
}

/** Without the guess, which names tables and chains of other programs: then both releases say the same. */
function plainWords(words: string): string {
  const [fact = '', guess] = words.split('; did you mean ', 2)
  return guess === undefined ? words : `Could not process rule: ${fact}`
}

/** The same script with the rules of every block as commands behind it; each line keeps its object. */
export function separateRules(script: readonly ScriptLine[]): ScriptLine[] {
  const lines: ScriptLine[] = []
  let rules: ScriptLine[] = []
  let [table, chain] = ['', '']
  for (const line of script) {
    const { text, field } = line
    table = /^table (\S+ \S+) \{$/.exec(text)?.[1] ?? table
    const isRule = chain !== '' && text !== '  }' && !text.startsWith('    type ')
    chain = isRule ? chain : text === '  }' ? '' : (/^ {2}chain (\S+) \{$/.exec(text)?.[1] ?? chain)
    if (isRule) rules.push({ text: `add rule ${table} ${chain} ${text.trim()}`, field })
    else lines.push(line)
    if (text !== '}') continue
    for (const rule of rules) lines.push(rule)
    rules = []
  }
  return lines
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
