import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createCatalogue, groupByClasstype, groupByTactic, withRules } from './catalogue.ts'
import { classtypeNames, parseClassification, tacticNames } from './names.ts'
import { decide } from './profile.ts'
import type { Rule, Source } from './rule.ts'
import { readRules } from './rule-file.ts'

const rulesIn = (text: string, source: Source = 'standard'): Rule[] =>
  [...readRules(text, source)].map((entry) => {
    assert.ok('rule' in entry, JSON.stringify(entry))
    return entry.rule
  })

const line = (sid: number, classtype: string, tactic: string, more = ''): string =>
  `alert tcp any any -> any any (msg:"${sid}"; ${more} sid:${sid}; classtype:${classtype}; metadata:mitre_tactic_id ${tactic};)`

describe('a rule file', () => {
  it('has comments, empty lines, rules that are off, and rules over several lines', () => {
    const text = [
      '# comment',
      '',
      `# ${line(1, 'misc-attack', 'TA0001')}`,
      `${line(2, 'misc-attack', 'TA0001')}\r`,
      'alert tcp any any -> any any \\',
      '  (msg:"over lines"; \\',
      '  sid:3;)',
      'nonsense',
      '   ',
      line(4, 'misc-attack', 'TA0001'),
    ].join('\n')
    const entries = [...readRules(text, 'advanced')]
    assert.deepEqual(
      entries.map((entry) => [entry.line, 'rule' in entry ? entry.rule.signature.sid : 'fault']),
      [
        [4, 2],
        [5, 3],
        [8, 'fault'],
        [10, 4],
      ],
    )
  })

  it('that ends inside a rule says so', () => {
    assert.match(JSON.stringify([...readRules('alert tcp \\\n any \\', 'advanced')]), /ends inside a rule/)
  })
})

describe('a catalogue', () => {
  const catalogue = createCatalogue(
    rulesIn(
      [
        line(30, 'misc-attack', 'TA0040'),
        line(10, 'misc-attack', 'TA0001'),
        line(20, 'trojan-activity', 'TA0011'),
        line(20, 'misc-activity', 'TA0011', 'rev:7;'),
        line(40, 'own-class', 'TA9999'),
        'alert tcp any any -> any any (sid:50;)',
      ].join('\n'),
    ),
  )

  it('is in the order of the sids, and of two revisions has the newer one', () => {
    assert.deepEqual(
      catalogue.signatures.map(({ sid, classtype }) => `${sid} ${classtype}`),
      ['10 misc-attack', '20 misc-activity', '30 misc-attack', '40 own-class', '50 -'],
    )
    assert.equal(catalogue.find(20)?.rev, 7)
    assert.equal(catalogue.find(21), undefined)
  })

  it('groups by classtype with the tactics in the order of the matrix', () => {
    assert.deepEqual(
      groupByClasstype(catalogue).find(({ classtype }) => classtype === 'misc-attack'),
      {
        classtype: 'misc-attack',
        classtype_name: 'Attacks',
        mitre_tactics: [
          { mitre_tactic_id: 'TA0001', mitre_tactic_name: 'Initial Access' },
          { mitre_tactic_id: 'TA0040', mitre_tactic_name: 'Impact' },
        ],
        count: 2,
      },
    )
    assert.deepEqual(
      groupByClasstype(catalogue).map(({ classtype_name, count }) => [classtype_name, count]),
      [
        ['Attacks', 2],
        ['Suspicious network activity', 1],
        ['Without a class', 1],
        ['own-class', 1],
      ],
    )
  })

  it('groups by tactic, and the counts of both views are the same', () => {
    const matrix = groupByTactic(catalogue)
    assert.deepEqual(
      matrix.map(({ mitre_tactic_id }) => mitre_tactic_id),
      ['TA0001', 'TA0011', 'TA0040', 'TA9999', '-'],
    )
    const counts = matrix.flatMap(({ classtypes }) => classtypes.map(({ count }) => count))
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      catalogue.signatures.length,
    )
  })

  it('with rules of administrators has theirs, whatever else has the sid', () => {
    const own = rulesIn('drop tcp any any -> any any (msg:"own"; sid:20;)', 'custom')
    const both = withRules(catalogue, own)
    assert.equal(both.signatures.length, catalogue.signatures.length)
    assert.equal(both.signatures.find(({ sid }) => sid === 20)?.signature_source, 'custom')
    assert.equal(both.find(20)?.signature.msg, 'own')
    assert.equal(both.find(10)?.signature.msg, '10')
    assert.equal(withRules(catalogue, []), catalogue)
  })

  it('takes names of groups from a classification.config', () => {
    const names = parseClassification('# x\nconfig classification: own-class,Own class here, 2\nconfig nonsense\r\n')
    assert.deepEqual([...names], [['own-class', 'Own class here']])
  })
})

describe('a profile', () => {
  const { signatures } = createCatalogue(rulesIn([1, 2, 3, 4, 5, 6].map((sid) => line(sid, 'c', 'TA0001')).join('\n')))
  const sids = (...values: number[]) => [{ key: 'sid' as const, values }]

  it('lets the topmost rule decide, and counts what each one decides', () => {
    const decided = decide(signatures, [
      { id: 7, filters: sids(1, 2), action: 'drop' },
      { id: 3, filters: sids(1, 2, 3, 4, 5), action: 'alert' },
      { id: 9, filters: sids(1), action: 'pass' },
    ])
    assert.deepEqual(
      decided.signatures.map(({ sid, action }) => `${sid} ${action}`),
      ['1 drop', '2 drop', '3 alert', '4 alert', '5 alert'],
    )
    assert.equal(decided.counts.drop, 2)
    assert.equal(decided.counts.alert, 3)
    assert.equal(decided.countsByRule.get(7)?.drop, 2)
    assert.equal(decided.countsByRule.get(3)?.alert, 3)
    assert.equal(decided.countsByRule.get(9)?.pass, 0)
  })

  it('keeps the own action of a signature with default', () => {
    const own = createCatalogue(rulesIn('rejectboth tcp any any -> any any (sid:1;)')).signatures
    assert.deepEqual(decide(own, [{ id: 1, filters: sids(1), action: 'default' }]).counts.rejectboth, 1)
  })

  it('selects what fits all filters, and any value of each', () => {
    const filters = [
      { key: 'classtype' as const, values: ['c', 'd'] },
      { key: 'sid' as const, values: [2, 99] },
    ]
    const decided = decide(signatures, [{ id: 1, filters, action: 'pass' }])
    assert.deepEqual(
      decided.signatures.map(({ sid }) => sid),
      [2],
    )
  })
})

describe('the starter set', () => {
  const text = readFileSync(join(import.meta.dirname, 'starter.rules'), 'utf8')
  const rules = rulesIn(text)

  it('has at least 150 rules with sids of their own, 15 known groups and 10 known tactics', () => {
    const { signatures } = createCatalogue(rules)
    assert.equal(signatures.length, rules.length)
    assert.ok(signatures.length >= 150)
    const classtypes = new Set(signatures.map(({ classtype }) => classtype))
    const tactics = new Set(signatures.map(({ mitre_tactic_id }) => mitre_tactic_id))
    assert.ok(classtypes.size >= 15 && [...classtypes].every((name) => classtypeNames.has(name)))
    assert.ok(tactics.size >= 10 && [...tactics].every((id) => tacticNames.has(id)))
    for (const { sid, msg, signature_severity, updated_at } of signatures) {
      assert.ok(sid > 1_900_000 && msg !== '' && signature_severity !== '-' && updated_at !== '-', String(sid))
    }
  })

  it('has its own name for every rule', () => {
    const names = rules.map(({ signature }) => signature.msg)
    assert.equal(new Set(names).size, names.length)
  })
})
