import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printChanges, printDryRun } from './changes.ts'
import { printReply } from './reply.ts'
import type { Terminal } from './terminal.ts'

function recorder(hasColour = false) {
  const said = { out: '', note: '' }
  const terminal: Terminal = {
    isTerminal: hasColour,
    columns: null,
    hasColour,
    out: (text) => {
      said.out += text
    },
    note: (text) => {
      said.note += text
    },
  }
  return { terminal, said }
}

test('a change shows each field before and after', () => {
  const { terminal, said } = recorder()
  printChanges(
    [
      {
        object: 'firewall.settings',
        action: 'changed',
        fields: [{ field: 'log_mode', before: 'all', after: 'nothing' }],
      },
      { object: 'x[1]', action: 'added', fields: [{ field: 'list', before: null, after: [1, 'a\u001b'] }] },
    ],
    terminal,
  )
  assert.equal(
    said.out,
    'firewall.settings changed\n  log_mode: "all" -> "nothing"\nx[1] added\n  list: (none) -> [1,"a\\u001b"]\n',
  )
})

test('a dry run shows the lines that would leave and enter, and that nothing changed', () => {
  const { terminal, said } = recorder()
  printDryRun(
    {
      dry_run: true,
      changes: [{ object: 'a', action: 'changed', fields: [] }],
      artifacts: [{ artifact: 'nft portcullis', action: 'changed', removed_lines: ['old'], added_lines: ['\tnew'] }],
      unchecked: ['nft portcullis: no nft here'],
    },
    terminal,
  )
  assert.equal(said.out, 'a changed\n\nnft portcullis changed\n- old\n+ \\tnew\n')
  assert.match(said.note, /Not checked: nft portcullis: no nft here\nNothing was changed/)
})

test('a dry run shows the connections that would be cut, how many are left out, and what is not covered', () => {
  const { terminal, said } = recorder()
  const ends = { protocol: 'tcp', source: '10.10.0.5', source_port: 40000, destination: '198.51.100.10' }
  printDryRun(
    {
      dry_run: true,
      changes: [{ object: 'a', action: 'changed', fields: [] }],
      artifacts: [],
      unchecked: [],
      connections: [
        { ...ends, destination_port: 80, rule: 'firewall.forward[7]', user: 'user.id.5' },
        { ...ends, destination_port: 443, rule: null, user: null },
      ],
      connections_total: 12,
      connections_note: 'More connections are tracked than could be judged.',
    },
    terminal,
  )
  assert.match(said.out, /tcp +10\.10\.0\.5:40000 +198\.51\.100\.10:80 +firewall\.forward\[7\] +user\.id\.5\n/)
  assert.match(said.out, /198\.51\.100\.10:443 *\n/)
  assert.match(said.note, /10 more connections are not listed\.\nConnections: More connections/)
})

test('a dry run without an effect says so', () => {
  const { terminal, said } = recorder()
  printDryRun({ dry_run: true, changes: [], artifacts: [], unchecked: [] }, terminal)
  assert.equal(said.out, 'Nothing would change.\n')
})

test('replies print as a table, as names with values, or as they are', () => {
  const cases: [unknown, string][] = [
    [[{ id: 1, tags: ['a', 'b'], at: null }], 'ID  TAGS  AT\n1   a, b  -\n'],
    [{ a: { b: true, c: [] }, d: [{ e: 1 }] }, 'a.b  true\na.c\nd    [{"e":1}]\n'],
    [{ meta: [], data: [{ id: 1, message: 'x' }], rows: 1, rows_before_limit_at_least: 9 }, 'ID  MESSAGE\n1   x\n'],
    [['x', 'y\u0007'], 'x\ny\\x07\n'],
    ['text', 'text\n'],
    [undefined, ''],
  ]
  for (const [value, expected] of cases) {
    const { terminal, said } = recorder()
    printReply(value, terminal)
    assert.equal(said.out, expected)
  }
})
