// Requirement 52.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { assertGrowsWithSize } from '../../test/support/work.ts'
import type { NftPiece } from '../core/plan/artifacts.ts'
import { printTable } from '../core/plan/nft-piece.ts'
import { commentOf, vetPiece } from './loaded/vet-pieces.ts'
import { Bench, chain, forwardHead, map, set } from './stand-ins/harness.ts'

const bench = new Bench()
after(() => bench.remove())
const included = bench.path('included.nft')
writeFileSync(included, '\n')

/** What nft says to a table of this piece and a chain that gives a stray brace something to close. */
function askNft(piece: NftPiece): string {
  const path = bench.path('script.nft')
  writeFileSync(path, `table inet portcullis\ndelete table inet portcullis\n${printTable('inet portcullis', [piece])}`)
  return bench.nft('-c', '-f', path)
}

const other = 'table inet other { chain y {'

/** Pieces that nft accepts inside the frame and that reach outside it, read files, or switch the table off. */
const dangerous: Record<string, NftPiece> = {
  'closes the frame and opens another table': chain('x', [`} ; } ; ${other}`]),
  'closes the frame on two lines': chain('x', ['}', `} ; ${other}`]),
  'closes only its chain and opens another': chain('x', ['accept ; } ; chain y {']),
  'closes the frame and flushes all rules': chain('x', [`} ; } ; flush ruleset; ${other}`]),
  'closes the frame and deletes the table itself': chain('x', [`} ; } ; delete table inet portcullis; ${other}`]),
  'closes the frame and adds a table of another family': chain('x', [`} ; } ; add table ip nat; ${other}`]),
  'closes the frame and lists': chain('x', [`} ; } ; list ruleset; ${other}`]),
  'closes the frame and resets counters': chain('x', [`} ; } ; reset counters; ${other}`]),
  'closes the frame behind a comment with a brace': chain('x', ['# {', `} ; } ; ${other}`]),
  'closes the frame behind a string with a brace': chain('x', [`accept comment "{" ; } ; } ; ${other}`]),
  'closes the frame in the head': chain('x', [], `type filter hook forward priority 0; } ; } ; ${other}`),
  'makes the table dormant behind its chain': chain('x', ['} ; flags dormant ; chain y {']),
  'breaks a line in a rule': chain('x', [`accept\n}\n}\n${other}`]),
  'breaks a line in the head': chain('x', [], `type filter hook forward priority 0\n}\n}\n${other}`),
  'comments its end away': chain('x', ['accept # comment "x"']),
  'includes a file': chain('x', [`include "${included}"`]),
  'includes a file without a space': chain('x', [`include"${included}"`]),
  'includes a file after a tab': chain('x', [`\tinclude\t"${included}"`]),
  'includes a file after a semicolon': chain('x', [`accept; include "${included}"`]),
  'includes a file in its head': chain('x', [], `type filter hook forward priority 0; include "${included}"`),
  'includes a file in the head of a set': set('s', [], `type ipv4_addr; include "${included}"`),
  'includes a file in the head of a map': map('m', [], `type ipv4_addr : ipv4_addr; include "${included}"`),
  'includes all files of a directory': chain('x', [`include "${bench.path('included*')}"`]),
  'includes on a continued line': chain('x', ['\\', `include "${included}"`]),
  'defines a variable': chain('x', ['define x = 1']),
  'defines and uses a variable': chain('x', ['define x = 22; tcp dport $x accept']),
  'redefines a variable': chain('x', ['redefine x = 1']),
  'defines and undefines a variable': chain('x', ['define x = 1', 'undefine x']),
  'continues a line': chain('x', ['\\', 'accept']),
  'holds a carriage return in a string': chain('x', ['accept comment "x\ry"']),
  'holds an escape in a string': chain('x', ['accept comment "x\x1b[2J"']),
  'holds a letter that is not ASCII in a string': chain('x', ['accept comment "\u0430dmin"']),
  'holds a Unicode line end in a string': chain('x', ['accept comment "x\u2028y"']),
  'closes its elements and adds a chain': set('s', [
    '10.0.0.1 } ; } ; chain y { accept ; } ; set t { type ipv4_addr ; elements = { 10.0.0.1',
  ]),
  'closes the frame in an element': set('s', [
    `10.0.0.1 } ; } ; } ; table inet other { set t { type ipv4_addr ; elements = { 10.0.0.1`,
  ]),
  'closes the frame in an element of a map': map('m', [
    `10.0.0.1 : accept } ; } ; } ; flush ruleset ; table inet other { set t { type ipv4_addr ; elements = { 10.0.0.1`,
  ]),
  'closes the frame in the head of a set': set(
    's',
    [],
    `type ipv4_addr ; } ; } ; ${other} ; } ; set t { type ipv4_addr`,
  ),
  'fills a set from its head': set('s', [], 'type ipv4_addr ; elements = { 10.0.0.1 }'),
}

test('at least thirty dangerous pieces are refused', () => assert.ok(Object.keys(dangerous).length >= 30))

for (const [what, piece] of Object.entries(dangerous)) {
  test(`a piece that ${what} is refused although nft accepts it`, () => {
    assert.doesNotMatch(askNft(piece), /^failed/)
    assert.equal(vetPiece(piece).length, 1)
  })
}

const refusedAnyway: Record<string, NftPiece> = {
  'an open brace': chain('x', ['ip saddr { 10.0.0.1']),
  'a brace that another line opened': chain('x', ['ip saddr { 10.0.0.1', '} accept']),
  'an open string': chain('x', ['accept comment "x']),
  'a head that is no hook': chain('x', [], 'policy drop;'),
  'an xtables statement': chain('x', ['xt target LOG']),
  'a NUL': chain('x', ['\0']),
  'a semicolon in an element': set('s', ['10.0.0.1 ; comment "x"']),
  'a brace in an element': map('m', ['10.0.0.1 : { accept }']),
  'a word nft would choke on': chain('x', [`ip saddr ${'1'.repeat(2000)}`]),
  // The nft library runs inside applyd: its assertions and an overflow of its stack would end the process.
  'a set in a set': chain('x', ['ip saddr { { 10.0.0.1 } } accept']),
  'a chain in a chain': chain('x', ['jump { jump { accept } }']),
  'an expression without end': chain('x', [`meta mark set 1${' | 1'.repeat(2000)}`]),
  'an expression without end in braces': chain('x', [`meta mark { 1, 1${' | 1'.repeat(2000)} } accept`]),
  'an expression without end in an element': set('s', [`1${' | 1'.repeat(2000)}`], 'type mark'),
  'a head without end': set('s', [], `type mark; ${'comment "x"; '.repeat(400)}`),
  'statements without end': chain('x', [`${'tcp dport { 1, 2 } '.repeat(1000)}accept`]),
  'a number that ends in a forbidden word': chain('x', [`meta mark!=0x1include "${included}"`]),
}
for (const [what, piece] of Object.entries(refusedAnyway))
  test(`${what} is refused`, () => assert.equal(vetPiece(piece).length, 1))

const harmless: Record<string, NftPiece> = {
  'a base chain with its rules': chain(
    'f',
    ['ct state vmap { invalid : drop, new : continue }', 'ip saddr { 10.0.0.1, 10.0.0.2 } counter accept comment "x"'],
    forwardHead,
  ),
  'an interval set': set('s', ['10.0.0.0/8', '192.0.2.1-192.0.2.9'], 'type ipv4_addr; flags interval; comment "x }"'),
  'a map of concatenations': map('m', ['8080 : 10.10.0.2 . 80'], 'type inet_service : ipv4_addr . inet_service'),
  'times as numbers': set('t', ['1700000000-1800000000'], 'typeof meta time; flags interval'),
  'names of interfaces': set('i', ['"wan0"', '"lan0"'], 'type ifname'),
  'many values in braces': chain('v', [
    `tcp dport { ${Array.from({ length: 5000 }, (_, i) => i + 1).join(', ')} } accept`,
  ]),
  'forbidden words in strings': chain('a', ['log prefix "include define } \\ " accept comment "flush ruleset"']),
}
for (const [what, piece] of Object.entries(harmless)) {
  test(`a piece with ${what} passes`, () => {
    assert.doesNotMatch(askNft(piece), /^failed/)
    assert.deepEqual(vetPiece(piece), [])
  })
}

test('a refusal names the line', () => {
  assert.deepEqual(vetPiece(chain('a', ['accept', 'include "x"'])), ['Line 2 of chain a uses "include".'])
  assert.deepEqual(vetPiece(set('s', [], 'type $x')), ['The head of set s holds a stray $.'])
})

test('vetting a large harmless piece is work that grows with its length', () => {
  const rule = 'ip saddr 10.0.0.1 tcp dport 80 counter accept comment "firewall.forward.12345"'
  assertGrowsWithSize(50_000, (size) => () => {
    assert.deepEqual(vetPiece(chain('a', Array(size).fill(rule))), [])
  })
})

test('the comment of a rule is found, not the word in a string', () => {
  assert.equal(commentOf('ip saddr 1.2.3.4 drop comment "firewall.forward.7"'), 'firewall.forward.7')
  assert.equal(commentOf('log prefix "comment " accept comment "x"'), 'x')
  assert.equal(commentOf('accept'), null)
})

test('the namespace of these tests is not the one of the host', () => {
  const inside = execFileSync('/usr/sbin/ip', ['netns', 'exec', bench.namespace, '/bin/readlink', '/proc/self/ns/net'])
  assert.notEqual(inside.toString(), execFileSync('/bin/readlink', ['/proc/self/ns/net']).toString())
})
