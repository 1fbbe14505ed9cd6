// Rules in files: what is written is understood on the way back, and every fault is at its cell.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv, writeCsv } from './csv.ts'
import { bodyOfMissing, createChecker, exportCsv, exportJson, missingObjects, readRuleFile } from './exchange.ts'
import { sampleIndex, sampleRule } from './sample-rules.ts'
import { ruleTables } from './tables.ts'

const table = ruleTables.forward
const checker = createChecker(table, sampleIndex)

test('cells with separators, quotes, lines and formulas come back as they were', () => {
  const rows = [['a,b', 'say "x"', 'two\nlines', '=1+1', '-5', 'x;y']]
  assert.deepEqual(readCsv(writeCsv(['1', '2', '3', '4', '5', '6'], rows)).slice(1), rows)
  assert.ok(writeCsv(['x'], [['=cmd()']]).includes("'=cmd()"))
})

test('a spreadsheet may use semicolons, tabs and a byte order mark', () => {
  assert.deepEqual(readCsv('\uFEFFaction;comment\r\naccept;"a;b"\r\n\r\n'), [
    ['action', 'comment'],
    ['accept', 'a;b'],
  ])
  assert.deepEqual(readCsv('action\tcomment\naccept\tx'), [
    ['action', 'comment'],
    ['accept', 'x'],
  ])
})

const rules = [
  sampleRule(1, {
    source_addresses: ['subnet.id.3', 'ip.id.1'],
    destination_addresses: ['address_list.id.4'],
    protocol: 'protocol.tcp',
    destination_ports: ['port.id.5', 'port_range.id.6'],
    timetable: ['time_range.id.7'],
    incoming_interface: 'zone.id.10',
    action: 'drop',
    comment: '=danger, "quoted"',
  }),
  sampleRule(2, { enabled: false }),
]

test('exported rules are read back without a fault', () => {
  for (const [name, text] of [
    ['rules.csv', exportCsv(table, rules, sampleIndex)],
    ['rules.json', exportJson(rules)],
  ] as const) {
    const file = readRuleFile(name, text, table)
    assert.equal(file.problem, null)
    assert.deepEqual(file.ignored, [])
    const read = file.rows.map(({ line, cells }) => checker.check(line, cells))
    assert.deepEqual(
      read.flatMap(({ faults }) => [...faults.values()]),
      [],
    )
    for (const [at, row] of read.entries()) {
      const { id: _, parent_id: __, ...fields } = rules[at] as (typeof rules)[number]
      for (const [field, value] of Object.entries(row.body))
        assert.deepEqual(value, fields[field as keyof typeof fields], field)
    }
  }
})

test('a title that two objects have is written as an id', () => {
  assert.ok(exportCsv(table, rules, sampleIndex).includes('Office | ip.id.1'))
})

test('addresses and ports mean the objects that stand for them', () => {
  const row = checker.check(2, {
    action: 'Accept',
    source_addresses: '10.1.2.0/255.255.255.0, 10.0.0.2',
    protocol: 'TCP',
    destination_ports: '443',
  })
  assert.deepEqual([...row.faults], [])
  assert.deepEqual(row.body, {
    action: 'accept',
    source_addresses: ['subnet.id.3', 'ip.id.2'],
    protocol: 'protocol.tcp',
    destination_ports: ['port.id.5'],
  })
})

test('each fault is at its cell', () => {
  const row = checker.check(2, {
    enabled: 'perhaps',
    action: 'allow',
    source_addresses: '10.0.0.300',
    destination_addresses: 'Web 1',
    destination_ports: '443',
    comment: 'x'.repeat(256),
  })
  assert.deepEqual([...row.faults.keys()].toSorted(), [
    'action',
    'comment',
    'destination_addresses',
    'destination_ports',
    'enabled',
    'source_addresses',
  ])
  assert.match(row.faults.get('destination_addresses')?.message ?? '', /several objects/)
})

test('what has no object yet can be made', () => {
  const checked = [
    checker.check(2, { source_addresses: '192.0.2.0/24 | 192.0.2.7', protocol: 'udp', destination_ports: '53' }),
    checker.check(3, { source_addresses: '192.0.2.7, 192.0.2.8-192.0.2.9' }),
  ]
  const missing = missingObjects(checked)
  assert.deepEqual(
    missing.map(({ kind, text }) => `${kind} ${text}`),
    ['subnet 192.0.2.0/24', 'ip 192.0.2.7', 'port 53', 'ip_range 192.0.2.8-192.0.2.9'],
  )
  assert.deepEqual(missing.map(bodyOfMissing), [
    { title: '192.0.2.0/24', value: '192.0.2.0/24' },
    { title: '192.0.2.7', value: '192.0.2.7' },
    { title: '53', value: 53 },
    { title: '192.0.2.8-192.0.2.9', start: '192.0.2.8', end: '192.0.2.9' },
  ])
})

test('a file that is not a list of rules says so', () => {
  assert.match(readRuleFile('x.csv', '', table).problem ?? '', /no rules/)
  assert.match(readRuleFile('x.csv', 'a,b\n1,2', table).problem ?? '', /No column/)
  assert.match(readRuleFile('x.json', '[1', table).problem ?? '', /not JSON/)
  assert.match(readRuleFile('x.json', '{}', table).problem ?? '', /list of rules/)
})
