// What no signature may do, no matter who wrote it: run code, use files, or take traffic out of inspection. Judged where rules come in, and
// once more where the rules of the engine are made. Pure.

import { type SaidText, say } from '../../shared/said.ts'
import { type Option, optionsOf, startOfOptions } from './options.ts'

const refused: ReadonlyMap<string, string> = new Map([
  ['lua', 'runs a program'],
  ['luajit', 'runs a program'],
  ['dataset', 'reads and writes files'],
  ['datarep', 'reads files'],
  ['iprep', 'reads files'],
  ['filemd5', 'reads files'],
  ['filesha1', 'reads files'],
  ['filesha256', 'reads files'],
  ['filestore', 'writes files'],
  ['tls_store', 'writes files'],
  ['tls.store', 'writes files'],
  ['nfq_set_mark', 'changes the mark that the firewall uses'],
  ['bypass', 'takes connections out of inspection'],
  ['config', 'changes how the engine works'],
  ['replace', 'changes the content of packets'],
])

/** Names of flowbits by which the engine tells channels apart (numbering.ts). Suricata takes spaces around them. */
const ownBits = /(?:^|[\s,|])(?:@\d{1,2}|[kn]_[0-9a-f]{8})(?:$|[\s,|])/i

/**
 * Why the gateway does not take a rule, in the words for an administrator; null when it does. The options are judged as Suricata
 * reads them: names in capitals or with spaces around them are the same, and a name inside a text is not one.
 */
export function weakeningFault(rule: string | { readonly text: string }): SaidText | null {
  const text = (typeof rule === 'string' ? rule : rule.text).trim()
  if (hasControls(text)) return say`A rule must be one line without control characters.`
  if (startOfOptions(text) === 0 || !text.endsWith(')')) return say`The options in parentheses are missing.`
  const options = optionsOf(text).map((option) => ({ ...option, name: option.name.toLowerCase() }))
  for (const { name, value } of options) {
    const does = refused.get(name)
    if (does !== undefined) return say`The option ${name} is not allowed, because it ${does}.`
    if (name === 'gid' && !isFirstGroup(value))
      return say`The option gid must be 1 or left out, because the other numbers belong to rules of the gateway.`
    if (name === 'flowbits' && ownBits.test(value))
      return say`Names of flowbits such as @1 and k_0123abcd belong to the gateway. Use another name.`
  }
  return isBarePass(text, options)
    ? say`A pass rule must name an address or a content. Without them it would take all traffic out of inspection.`
    : null
}

/** What an administrator should know about a rule that is taken; null when there is nothing. */
export const noteOf = (text: string): SaidText | null =>
  optionsOf(text).some(({ name }) => name.toLowerCase() === 'tos')
    ? say`The option tos cannot see the field of the packet while it is inspected, because the gateway uses that field.`
    : null

const hasControls = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code === 0x85 || code === 0x2028 || code === 0x2029)
      return true
  }
  return false
}

const isFirstGroup = (value: string): boolean => /^0{0,9}1$/.test(value)

function isBarePass(text: string, options: readonly Option[]): boolean {
  const header = text.slice(0, startOfOptions(text) - 1).trim()
  if (header.slice(0, 5).trim().toLowerCase() !== 'pass') return false
  const isMatching = options.some(
    ({ name, value }) => contentNames.has(name) && value !== '' && !value.startsWith('!') && value !== '""',
  )
  // Everything but a list is everything.
  const isNarrowed = !/!\s*\[/.test(header) && headerParts(header).slice(2).some(isNarrow)
  return !isMatching && !isNarrowed
}

const contentNames = new Set(['content', 'uricontent', 'pcre'])

/** Split at everything that is between addresses; ports are no addresses, so they are never narrow. */
const headerParts = (header: string): string[] => header.split(/[\s,[\]]+/).filter((part) => part !== '')

/** One address, or a network that is not a large part of all there are. Variables mean whole networks, `!` everything else. */
function isNarrow(part: string): boolean {
  const isV6 = part.includes(':') && /^[0-9a-f:]+(?:\/\d{1,3})?$/i.test(part) && /:.*:/.test(part)
  if (!isV6 && !/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:\/\d{1,2})?$/.test(part)) return false
  const prefix = part.split('/')[1]
  return prefix === undefined || Number(prefix) >= (isV6 ? 16 : 8)
}
