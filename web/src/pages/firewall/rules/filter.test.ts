// The filter line of the rules.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressesOf, filterRows, parseFilter, splitFilter, takeChips } from './filter.ts'
import { createRowMaker } from './rows.ts'
import { sampleIndex, sampleRule } from './sample-rules.ts'

const rows = createRowMaker()(
  [
    sampleRule(11, { source_addresses: ['subnet.id.3'], action: 'drop', comment: 'Old app' }),
    sampleRule(12, {
      destination_addresses: ['address_list.id.4'],
      protocol: 'protocol.tcp',
      destination_ports: ['port.id.5'],
    }),
    sampleRule(13, { enabled: false, comment: 'Ticket 1234', incoming_interface: 'zone.id.10' }),
  ],
  sampleIndex,
)

const find = (text: string, rest: { touching?: ReadonlyMap<string, ReadonlySet<number>> } = {}): number[] =>
  filterRows(rows, parseFilter(text), {
    index: sampleIndex,
    touching: rest.touching ?? new Map(),
    marks: new Map([[13, { severity: 'high', kinds: ['shadowed'], words: '', findings: [] }]]),
    hitsOf: (id) => (id === 11 ? 5 : 0),
  }).map(({ rule }) => rule.id)

test('words are looked for in names, values, ids and comments', () => {
  assert.deepEqual(find('office'), [11, 13])
  assert.deepEqual(find('10.1.2.0'), [11])
  assert.deepEqual(find('ticket 1234'), [13])
  assert.deepEqual(find('443'), [12])
  assert.deepEqual(find('nothing of this'), [])
})

test('terms name a field, and a dash excludes', () => {
  assert.deepEqual(find('action:drop'), [11])
  assert.deepEqual(find('-action:drop'), [12, 13])
  assert.deepEqual(find('dst:"web servers"'), [12])
  assert.deepEqual(find('service:https'), [12])
  assert.deepEqual(find('service:tcp'), [12])
  assert.deepEqual(find('is:off'), [13])
  assert.deepEqual(find('is:shadowed'), [13])
  assert.deepEqual(find('is:unhit'), [12, 13])
  assert.deepEqual(find('rule:12-13 is:on'), [12])
  assert.deepEqual(find('in:office'), [13])
  assert.deepEqual(find('object:subnet.id.3'), [11])
})

test('touches is answered by the gateway', () => {
  assert.deepEqual(addressesOf(parseFilter('touches:10.1.2.40 x touches:10.0.0.0/8 touches:nonsense')), [
    '10.1.2.40',
    '10.0.0.0/8',
  ])
  assert.deepEqual(find('touches:10.1.2.40'), [])
  assert.deepEqual(find('touches:10.1.2.40', { touching: new Map([['10.1.2.40', new Set([11, 12])]]) }), [11, 12])
  assert.deepEqual(find('-touches:10.1.2.40', { touching: new Map([['10.1.2.40', new Set([11, 12])]]) }), [13])
})

test('terms become chips, words stay in the line', () => {
  assert.deepEqual(splitFilter('touches:10.1.2.40 old app -is:off'), {
    chips: ['touches:10.1.2.40', '-is:off'],
    words: 'old app',
  })
  assert.deepEqual(takeChips('action:dr'), { chips: [], line: 'action:dr' })
  assert.deepEqual(takeChips('action:drop '), { chips: ['action:drop'], line: '' })
  assert.deepEqual(takeChips('old action:drop n'), { chips: ['action:drop'], line: 'old n' })
  assert.deepEqual(takeChips('http://x '), { chips: [], line: 'http://x ' })
})

test('a row stays the same object while its rule and position do', () => {
  const make = createRowMaker()
  const rules = [sampleRule(1), sampleRule(2), sampleRule(3)]
  const before = make(rules, sampleIndex)
  const [one, two, three] = rules
  assert.ok(one && two && three)
  const after = make([one, three, two], sampleIndex)
  assert.equal(after[0], before[0])
  assert.deepEqual(
    after.map(({ key, position }) => [key, position]),
    [
      ['1', 1],
      ['3', 2],
      ['2', 3],
    ],
  )
})

test('words that every object has are no names of fields', () => {
  for (const word of ['constructor', 'toString', 'valueOf'])
    assert.deepEqual(parseFilter(`${word}:x`), [
      { field: null, value: `${word}:x`.toLowerCase(), isNot: false, raw: `${word}:x` },
    ])
})
