// What no signature may do, whoever wrote it: run code, use files, or take traffic out of inspection. Judged where rules come in, and
// once more where the rules of the engine are made. Pure.

import { type Option, optionsOf } from './options.ts'
import type { Rule } from './rule.ts'

const refused: ReadonlyMap<string, string> = new Map([
  ['lua', 'runs a program'],
  ['luajit', 'runs a program'],
  ['dataset', 'reads and writes files'],
  ['datarep', 'reads files'],
  ['iprep', 'reads files'],
  ['filestore', 'writes files'],
  ['nfq_set_mark', 'changes the mark that the firewall uses'],
  ['bypass', 'takes connections out of inspection'],
])

/** Names of flowbits by which the engine tells channels apart (numbering.ts). */
const ownBits = /(?:^|[\s,|])(?:c\d{1,2}|k)_[0-9a-f]{8}(?:$|[\s,|])/

/** Why the gateway does not take the rule, in the words for an administrator; null when it does. */
export function weakeningFault(rule: Rule): string | null {
  if (hasControlCharacter(rule.text)) return 'A rule must be one line without control characters.'
  const options = optionsOf(rule.text)
  for (const { name, value } of options) {
    const does = refused.get(name)
    if (does !== undefined) return `The option ${name} is not allowed, because it ${does}.`
    if (name === 'flowbits' && ownBits.test(value))
      return 'Names of flowbits such as c1_0123abcd belong to the gateway. Use another name.'
  }
  return rule.signature.action === 'pass' && isBare(rule, options)
    ? 'A pass rule must name an address or a content. Without them it would take all traffic out of inspection.'
    : null
}

/** A line break would begin another rule in the file of the engine. A tab is only a space. */
function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true
  }
  return false
}

const isBare = ({ signature }: Rule, options: readonly Option[]): boolean =>
  !isAddress(signature.source) &&
  !isAddress(signature.destination) &&
  !options.some(({ name, value }) => contentNames.has(name) && !value.startsWith('!'))

const contentNames = new Set(['content', 'uricontent', 'pcre'])

/** Variables and everything but an address mean whole networks. */
const isAddress = (text: string): boolean => /^\[?\s*[0-9a-f]/i.test(text) && !/^any$|\/0(?:\D|$)/.test(text)
