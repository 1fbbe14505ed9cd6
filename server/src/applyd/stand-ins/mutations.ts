// Makes hostile requests of valid ones: one value in them is replaced, removed, repeated, nested or exchanged.

import type { Random } from '../../../test/security/random.ts'

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  4_294_967_296,
  65_536,
  '',
  '.',
  '..',
  '../../etc/passwd',
  '/etc/passwd',
  '-s',
  '--conf-file=/etc/shadow',
  'a\0b',
  'a\nb',
  ' ',
  '\ud800',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'x'.repeat(70_000),
  '$(id)',
  '{dns.conf}',
  '"; flush ruleset; #',
  'inet filter',
  'ip nat',
  'inet portcullis_boot',
  'include "/etc/shadow"',
  '}',
  '\\',
  '10.0.0.0/0',
  '::/0',
  '::1',
  [],
  {},
  [[]],
  [0, 1],
  [1, 0],
  { length: 5 },
  { kind: 'file', name: '/etc/shadow', text: '' },
]
const keys = ['__proto__', 'constructor', 'id', 'path', 'base', 'change', 'plan', 'program', 'user', 'then', 'toJSON']

/** A copy, because later faults change it. */
const anyOf = (random: Random): unknown => structuredClone(random.pick(values))

type Parent = Record<string, unknown> | unknown[]

/** Every place of a value: what it is in, and under which key. */
function placesIn(value: unknown): [Parent, string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    [value as Parent, key] as [Parent, string],
    ...placesIn(inner),
  ])
}

/** Also as an own key what JSON has as one and an assignment does not make. */
const put = (parent: Parent, key: string, value: unknown): void => {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

function mutateText(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  const piece = random.pick([
    '-',
    '.',
    '/',
    '\0',
    '\n',
    '"',
    '{',
    '}',
    ';',
    '#',
    '\\',
    'é',
    ' ',
    '0',
    'Z',
    '%',
    '@',
    '..',
  ])
  return random.pick([text.slice(0, at), text + piece, text.slice(0, at) + piece + text.slice(at), text.repeat(50)])
}

/** The request with so many faults; `other` is where subtrees come from. */
export function mutated(random: Random, request: unknown, other: unknown, faults: number): unknown {
  const whole = { request: structuredClone(request) }
  for (let fault = 0; fault < faults; fault++) {
    const [parent, key] = random.pick(placesIn(whole))
    const value = (parent as Record<string, unknown>)[key]
    const kind = random.below(9)
    if (kind === 0 && Array.isArray(parent)) parent.splice(Number(key), 1)
    else if (kind === 0 && (parent as unknown) !== whole) delete (parent as Record<string, unknown>)[key]
    else if (kind === 1) put(parent, Array.isArray(parent) ? key : random.pick(keys), anyOf(random))
    else if (kind === 2 && Array.isArray(parent))
      parent.push(...Array.from({ length: 1 + random.below(40) }, () => structuredClone(value)))
    else if (kind === 3) put(parent, key, random.chance(0.5) ? [value] : { [random.pick(keys)]: value })
    else if (kind === 4) {
      const [from, name] = random.pick(placesIn({ other }))
      put(parent, key, structuredClone((from as Record<string, unknown>)[name]))
    } else if (typeof value === 'string' && kind < 8) put(parent, key, mutateText(random, value))
    else if (typeof value === 'number' && kind < 8)
      put(parent, key, random.pick([-value, value + 1, value - 1, value * 2 ** 32, value + 0.5, String(value)]))
    else put(parent, key, anyOf(random))
  }
  return whole.request
}
