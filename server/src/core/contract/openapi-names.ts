// Names of schemas in the OpenAPI document. A path gives the noun, the method what is said about it: NewFirewallRule,
// FirewallRulePatch. Generated clients use these names, so they must not depend on words that may be rewritten.

import type { Endpoint } from './endpoint.ts'
import type { JsonSchema } from './examples.ts'

/** /firewall/rules/:rule_id: Firewall, Rule. A word that the next part begins with again is left out. */
export function nounsOf(path: string): readonly string[] {
  const nouns = path
    .split('/')
    .filter((part) => part !== '' && part !== 'api' && !part.startsWith(':'))
    .map((part) => singular(pascal(part.replace('_backend', ''))))
  return nouns.filter((noun, i) => !nouns[i + 1]?.startsWith(noun))
}

export const nounOf = (path: string): string => nounsOf(path).join('')

/** What the name of a reply adds to the noun. */
export function replyForm({ method, path, reply }: Endpoint): (noun: string) => string {
  if (method !== 'GET') return (noun) => `${noun}Result`
  const isOfItem = /:[a-z_]+$/.test(path) && (reply as JsonSchema | null)?.type === 'object'
  return isOfItem ? (noun) => `${noun}Details` : (noun) => noun
}

/** What the name of a body adds to the noun. */
export function bodyForm({ method, body, reply }: Endpoint): (noun: string) => string {
  const namesItem = (body as JsonSchema | null)?.required?.includes('id')
  if (method === 'PATCH') return (noun) => (namesItem ? `${noun}PatchWithId` : `${noun}Patch`)
  if (method === 'PUT') return (noun) => `${noun}Replacement`
  if (method === 'DELETE') return (noun) => `${noun}Removal`
  const isCreation = (reply as JsonSchema | null)?.properties?.id !== undefined
  return (noun) => (isCreation ? `New${noun}` : `${noun}Request`)
}

export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** Words in s that are not a plural. */
const isSingular = /(?:ss|us|is|ias|[Dd]ns|[Ss]ettings|Ips|Klms|Statistics)$/

export function singular(text: string): string {
  if (isSingular.test(text)) return text
  if (text.endsWith('ies')) return `${text.slice(0, -3)}y`
  return /(?:ss|sh|ch|x|ias)es$/.test(text) ? text.slice(0, -2) : text.replace(/s$/, '')
}

export const itemName = (list: string): string => (singular(list) === list ? `${list}Item` : singular(list))

/** What several paths have in common, at their beginning and in their last part, when that says enough. */
export function commonNoun(paths: readonly string[]): string | null {
  const [first = [], ...others] = paths.map(nounsOf)
  const end = first.findIndex((noun, i) => others.some((nouns) => nouns[i] !== noun))
  const last = first.at(-1)
  const isLastShared = end >= 0 && others.every((nouns) => nouns.at(-1) === last)
  const common = end < 0 ? first : [...first.slice(0, end), ...(isLastShared && last ? [last] : [])]
  return common.length > 1 ? common.join('') : null
}
