import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { Bench } from './stand-ins/harness.ts'
import { bodyLimit, commentOf, vetBody } from './vet.ts'

const bench = new Bench()
after(() => bench.remove())
const included = bench.path('included.nft')
writeFileSync(included, '\n')
const emptyChain = 'chain a {\n}'

/** Bodies that nft accepts inside the frame and that reach outside it, read files, or switch the table off. */
const dangerous: Record<string, string> = {
  'closes the frame and opens another table': '}\ntable inet other {',
  'closes the frame on the line of a chain': 'chain a {\n}\n}\ntable inet other {',
  'closes the frame after a semicolon': 'chain a {\n};}\ntable inet other {',
  'closes the frame and flushes all rules': '}\nflush ruleset\ntable inet other {',
  'closes the frame and deletes the table itself': '}\ndelete table inet portcullis\ntable inet other {',
  'closes the frame and adds a table of another family': '}\nadd table ip nat\ntable inet other {',
  'closes the frame and adds an accepting base chain':
    '}\nadd table ip x\nadd chain ip x f { type filter hook forward priority -500; policy accept; }\ntable inet other {',
  'closes the frame and lists': '}\nlist ruleset\ntable inet other {',
  'closes the frame and resets counters': '}\nreset counters\ntable inet other {',
  'closes the frame behind a comment with a brace': '# {\n}\ntable inet other {',
  'closes the frame behind a string with a brace': 'chain a {\ncomment "{"\n}\n}\ntable inet other {\ncomment "}"',
  'hides a brace behind a comment with a quote': 'chain a {\n# "\n}\n}\n# "\ntable inet other {',
  'hides the close in a string over two lines': 'comment "x\n"\n}\ntable inet other {',
  'includes a file in the table': `include "${included}"`,
  'includes a file without a space': `include"${included}"`,
  'includes a file after a tab': `\tinclude\t"${included}"`,
  'includes a file in a chain': `chain a {\ninclude "${included}"\n}`,
  'includes a file after a semicolon in a chain': `chain a {\naccept; include "${included}"\n}`,
  'includes a file in a set': `set s {\ntype ipv4_addr\ninclude "${included}"\n}`,
  'includes a file in a map': `map m {\ntype ipv4_addr : ipv4_addr\ninclude "${included}"\n}`,
  'includes a file in a counter': `counter c {\ninclude "${included}"\n}`,
  'includes all files of a directory': `include "${bench.path('included*')}"`,
  'includes on a continued line': `\\\ninclude "${included}"`,
  'defines a variable in the table': 'define x = 1',
  'defines a variable in a chain': 'chain a {\ndefine x = 1\n}',
  'defines and uses a variable': 'chain a {\ndefine x = 22; tcp dport $x accept\n}',
  'redefines a variable': 'redefine x = 1',
  'defines and undefines a variable': 'define x = 1\nundefine x',
  'makes the table dormant': 'flags dormant',
  'makes the table dormant on the line of a comment': 'comment "x"; flags dormant',
  'continues a line': 'chain a {\n\\\naccept\n}',
  'holds a carriage return in a string': 'chain a {\ncomment "x\ry"\n}',
  'holds an escape in a string': 'chain a {\ncomment "x\x1b[2J"\n}',
  'holds a letter that is not ASCII in a string': 'chain a {\ncomment "\u0430dmin"\n}',
  'holds a Unicode line end in a string': 'chain a {\ncomment "x\u2028y"\n}',
  'holds a newline in a string': 'chain a {\ncomment "x\ny"\n}',
}

test('at least thirty dangerous bodies are refused', () => assert.ok(Object.keys(dangerous).length >= 30))

for (const [what, body] of Object.entries(dangerous)) {
  test(`a body that ${what} is refused although nft accepts it`, () => {
    const path = bench.path('script.nft')
    writeFileSync(path, `table inet portcullis\ndelete table inet portcullis\ntable inet portcullis {\n${body}\n}\n`)
    assert.doesNotMatch(bench.nft('-c', '-f', path), /^failed/)
    assert.equal(vetBody(body).length, 1)
  })
}

const refusedAnyway: Record<string, string> = {
  'a brace that closes the frame in the middle of a line': 'comment "x" }\nchain a {',
  'an open brace': 'chain a {',
  'an open string': 'chain a {\naccept comment "x\n}',
  'a command in the table': 'delete chain inet portcullis a',
  'a rule in the table': 'accept',
  'a number in the table': '1chain a { }',
  'an xtables statement': 'chain a {\nxt target LOG\n}',
  'a NUL': 'chain a {\n\0\n}',
  'too much text': '#\n'.repeat(bodyLimit / 2 + 1),
  'a word nft would choke on': `chain ${'x'.repeat(2000)} {\n}`,
  'a comment nft would choke on': `# ${'x '.repeat(2000)}`,
}
for (const [what, body] of Object.entries(refusedAnyway))
  test(`${what} is refused`, () => assert.equal(vetBody(body).length, 1))

const harmless: Record<string, string> = {
  nothing: '',
  'every kind of object': [
    'comment "the table"',
    'set s { type ipv4_addr; flags interval; elements = { 10.0.0.0/8, 192.0.2.1-192.0.2.9 }; comment "x }"; }',
    'map m { type inet_service : ipv4_addr . inet_service; elements = { 8080 : 10.10.0.2 . 80 }; }',
    'counter c { comment "{" ; }',
    'quota q { over 10 mbytes; }',
    'limit l { rate 10/second; }',
    'ct helper h { type "ftp" protocol tcp; }',
    'chain f { type filter hook forward priority filter; policy drop; ct state vmap { invalid : drop, new : continue }; }',
    '# include "/etc/passwd" } flush ruleset',
    emptyChain,
  ].join('\n'),
  'forbidden words in strings': 'chain a {\nlog prefix "include define } \\ " accept comment "flush ruleset"\n}',
  'sets in rules': 'set d { type ipv4_addr; flags dynamic; size 9; }\nchain a {\nadd @d { ip saddr } comment "x"\n}',
}
for (const [what, body] of Object.entries(harmless)) {
  test(`a body with ${what} passes`, () => {
    const path = bench.path('script.nft')
    writeFileSync(path, `table inet portcullis {\n${body}\n}\n`)
    assert.doesNotMatch(bench.nft('-c', '-f', path), /^failed/)
    assert.deepEqual(vetBody(body), [])
  })
}

test('a refusal names the line', () => {
  assert.deepEqual(vetBody('chain a {\n}\n\nflags dormant'), [
    'Line 4 of the ruleset starts a statement that may not stand in a table.',
  ])
})

test('a large harmless body is vetted in reasonable time', () => {
  const rule = 'ip saddr 10.0.0.1 tcp dport 80 counter accept comment "firewall.forward.12345"\n'
  const began = performance.now()
  assert.deepEqual(vetBody(`chain a {\n${rule.repeat(50_000)}}`), [])
  assert.ok(performance.now() - began < 5000)
})

test('the comment of a rule is found, not the word in a string', () => {
  assert.equal(commentOf('ip saddr 1.2.3.4 drop comment "firewall.forward.7"'), 'firewall.forward.7')
  assert.equal(commentOf('log prefix "comment " accept comment "x"'), 'x')
  assert.equal(commentOf('accept # comment "x"'), null)
  assert.equal(commentOf('accept'), null)
})

test('the namespace of these tests is not the one of the host', () => {
  const inside = execFileSync('/usr/sbin/ip', ['netns', 'exec', bench.namespace, '/bin/readlink', '/proc/self/ns/net'])
  assert.notEqual(inside.toString(), execFileSync('/bin/readlink', ['/proc/self/ns/net']).toString())
})
