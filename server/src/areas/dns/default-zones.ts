// Zones that unbound answers by itself unless configured otherwise (RFC 6303, RFC 6761): names of this machine, reverse
// names of networks that exist everywhere, endings that lead nowhere.

const reverse = (...parts: readonly (number | string)[]): string => `${parts.join('.')}.in-addr.arpa.`
const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

export const defaultZones: readonly string[] = [
  'localhost.',
  'home.arpa.',
  'onion.',
  'test.',
  'invalid.',
  'resolver.arpa.',
  reverse(127),
  reverse(10),
  reverse(0),
  reverse(168, 192),
  reverse(254, 169),
  reverse(255, 255, 255, 255),
  reverse(2, 0, 192),
  reverse(100, 51, 198),
  reverse(113, 0, 203),
  ...numbers(16, 31).map((part) => reverse(part, 172)),
  ...numbers(64, 127).map((part) => reverse(part, 100)),
  ...['d.f', '8.e.f', '9.e.f', 'a.e.f', 'b.e.f', '8.b.d.0.1.0.0.2'].map((part) => `${part}.ip6.arpa.`),
  ...['0', '1'].map((first) => `${first}.${'0.'.repeat(31)}ip6.arpa.`),
]
