// Typed writer for nftables: a small tree of statements that prints itself. Names come from a fixed alphabet and text is
// quoted here, once, so nothing an administrator wrote can become syntax.

export interface NftSet {
  readonly kind: 'set'
  readonly name: string
  readonly type: string
  readonly isInterval?: boolean
  readonly elements: readonly string[]
}

export interface NftRule {
  /** Matches and statements in nft's own words, built from the helpers below. */
  readonly parts: readonly NftPart[]
  /** Path of the object the rule comes from; a refusal of the kernel is reported as a fault of it. */
  readonly origin: string
}

export interface NftChain {
  readonly kind: 'chain'
  readonly name: string
  /** Base chains only. */
  readonly hook?: {
    readonly type: 'filter' | 'nat'
    readonly at: string
    readonly priority: string
    readonly policy: 'accept' | 'drop'
  }
  readonly rules: readonly NftRule[]
}

/** A fragment that is known to be safe because only this file makes one. */
export interface NftPart {
  readonly text: string
}

const nameForm = /^[a-z][a-z0-9_]{0,60}$/
const originForm = /^[a-z0-9_.[\]-]{1,120}$/i

const safeName = (name: string): string => {
  if (!nameForm.test(name)) throw new Error(`not a name for nftables: ${JSON.stringify(name)}`)
  return name
}

/** Printable ASCII but quote, slash, backslash and the star, which nft would take as "any ending". */
export const isQuotableInterface = (name: string): boolean => /^[!#-)+-.0-[\]-~]{1,15}$/.test(name)

export function quoteInterface(name: string): string {
  if (!isQuotableInterface(name)) throw new Error(`not an interface name: ${JSON.stringify(name)}`)
  return `"${name}"`
}

/** Fixed words of nft's language; never text from outside. */
export const words = (text: string): NftPart => {
  if (!/^[a-z][a-z0-9 _,.-]*$/.test(text)) throw new Error(`not plain nft words: ${JSON.stringify(text)}`)
  return { text }
}

export const inSet = (selector: string, set: string): NftPart => ({ text: `${words(selector).text} @${safeName(set)}` })

export const rule = (origin: string, ...parts: readonly NftPart[]): NftRule => ({ parts, origin })

export function printTable(items: readonly (NftSet | NftChain)[]): string {
  return items.map((item) => (item.kind === 'set' ? printSet(item) : printChain(item))).join('\n\n')
}

function printSet(set: NftSet): string {
  const lines = [`type ${words(set.type).text}`]
  if (set.isInterval) lines.push('flags interval')
  if (set.elements.length > 0) lines.push(`elements = { ${set.elements.join(', ')} }`)
  return block(`set ${safeName(set.name)}`, lines)
}

function printChain(chain: NftChain): string {
  const { hook } = chain
  const head = hook
    ? [`type ${hook.type} hook ${safeName(hook.at)} priority ${safeName(hook.priority)}; policy ${hook.policy};`]
    : []
  return block(`chain ${safeName(chain.name)}`, [...head, ...chain.rules.map(printRule)])
}

function printRule(r: NftRule): string {
  if (!originForm.test(r.origin)) throw new Error(`not an object path: ${JSON.stringify(r.origin)}`)
  return `${r.parts.map((part) => part.text).join(' ')} comment "${r.origin}"`
}

const block = (title: string, lines: readonly string[]): string =>
  `  ${title} {\n${lines.map((line) => `    ${line}\n`).join('')}  }`
