// What tables of other programs do to packets that our rules accept. A packet must pass every base chain of a hook: what one of
// them drops is lost, whatever ours say. Pure: reads what `nft -j` lists.

export type Hook = 'forward' | 'input'

/** What becomes of a packet that no condition names, and whether some packets are dropped before that. */
export interface Effect {
  readonly hook: Hook
  readonly family: string
  readonly drops: 'all' | 'some'
}

export interface ForeignTable {
  readonly family: string
  readonly name: string
  readonly chains: readonly string[]
  readonly effects: readonly Effect[]
  /** False when there is more of it than is read. */
  readonly isRead: boolean
}

interface Rule {
  readonly isConditional: boolean
  readonly verdict: 'accept' | 'drop' | 'return' | null
  readonly target: string | null
  readonly isJump: boolean
}

interface Chain {
  readonly hook: string | null
  readonly policy: string
  readonly rules: Rule[]
}

type Walk = { readonly end: 'accept' | 'drop' | 'return'; readonly dropsSome: boolean }

/** A table with more than this is not walked. */
const maxRules = 20_000
/** Statements that match every packet. */
const plainStatements = new Set(['counter', 'log', 'mangle', 'notrack'])

export function readTable(family: string, name: string, listed: unknown): ForeignTable {
  const chains = chainsOf(listed)
  if (chains === null) return { family, name, chains: [], effects: [], isRead: false }
  const walked = new Map<string, Walk>()
  const effects = [...chains].flatMap(([own, chain]): Effect[] => {
    if (chain.hook !== 'forward' && chain.hook !== 'input') return []
    // Blocks addresses that attacked this machine, and nothing else.
    if (name.startsWith('f2b')) return []
    const { end, dropsSome } = walk(own, chains, walked)
    const isDropped = end === 'drop' || (end === 'return' && chain.policy === 'drop')
    if (!isDropped && !dropsSome) return []
    return [{ hook: chain.hook, family, drops: isDropped ? ('all' as const) : ('some' as const) }]
  })
  return { family, name, chains: [...chains.keys()], effects, isRead: true }
}

function chainsOf(listed: unknown): Map<string, Chain> | null {
  const entries = fieldOf(listed, 'nftables')
  if (!Array.isArray(entries) || entries.length > maxRules) return null
  const chains = new Map<string, Chain>()
  for (const entry of entries) {
    const chain = fieldOf(entry, 'chain')
    if (chain !== undefined)
      chains.set(textOf(chain, 'name'), {
        hook: textOf(chain, 'hook') || null,
        policy: textOf(chain, 'policy') || 'accept',
        rules: [],
      })
    const rule = fieldOf(entry, 'rule')
    if (rule !== undefined) chains.get(textOf(rule, 'chain'))?.rules.push(ruleOf(fieldOf(rule, 'expr')))
  }
  return chains
}

function ruleOf(statements: unknown): Rule {
  let isConditional = false
  let verdict: Rule['verdict'] = null
  let [target, isJump]: [string | null, boolean] = [null, false]
  for (const statement of Array.isArray(statements) ? statements : []) {
    const [kind = ''] = Object.keys(statement ?? {})
    if (kind === 'accept' || kind === 'drop' || kind === 'return') verdict = kind
    else if (kind === 'reject') verdict = 'drop'
    else if (kind === 'jump' || kind === 'goto') {
      target = textOf(fieldOf(statement, kind), 'target')
      isJump = kind === 'jump'
    } else if (kind === 'xt') {
      // What iptables has and nft has not.
      const [type, extension] = [textOf(fieldOf(statement, kind), 'type'), textOf(fieldOf(statement, kind), 'name')]
      if (type === 'target') verdict = extension === 'REJECT' ? 'drop' : verdict
      else if (extension !== 'comment') isConditional = true
    } else if (!plainStatements.has(kind)) isConditional = true
  }
  return { isConditional, verdict, target, isJump }
}

/** Each chain once, however often it is called. The kernel refuses chains that call each other in a circle. */
function walk(name: string, chains: ReadonlyMap<string, Chain>, walked: Map<string, Walk>): Walk {
  const known = walked.get(name)
  if (known) return known
  walked.set(name, { end: 'return', dropsSome: false })
  const found = walkRules(name, chains, walked)
  walked.set(name, found)
  return found
}

function walkRules(name: string, chains: ReadonlyMap<string, Chain>, walked: Map<string, Walk>): Walk {
  let dropsSome = false
  // The chains of fail2ban refuse single addresses.
  if (name.startsWith('f2b-')) return { end: 'return', dropsSome }
  for (const { isConditional, verdict, target, isJump } of chains.get(name)?.rules ?? []) {
    const called = target === null ? null : walk(target, chains, walked)
    const end = called ? called.end : verdict
    dropsSome ||= (called?.dropsSome ?? false) || (isConditional && end === 'drop')
    if (isConditional || end === null) continue
    if (end !== 'return' || !isJump) return { end, dropsSome }
  }
  return { end: 'return', dropsSome }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function textOf(value: unknown, name: string): string {
  const found = fieldOf(value, name)
  return typeof found === 'string' ? found : ''
}
