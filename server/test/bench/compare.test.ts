// `npm run bench -- --compare`: tables of any version are read, and what became slower or larger is told apart from noise.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { compareRuns, type PrintedRow, printComparison, readAmount, readTable } from '../../../bench/compare/tables.ts'
import { makeWorktree } from '../../../bench/compare/worktree.ts'
import { printTable, type Row } from '../../../bench/table.ts'

const row = (what: string, ours: string, raw = '', aim = ''): Row => ({
  what,
  ours,
  raw,
  ratio: raw === '' ? null : 2,
  aim,
  isMet: aim === '' ? null : true,
})

const table = (...rows: Row[]): PrintedRow[] => readTable(printTable(rows))

describe('the comparison of two versions', () => {
  it('reads the table that any version prints, whatever was said before it', () => {
    const text = `Installing nftables: the firewall engine\n2 cores\n\n${printTable([
      row('one durable change', '529 us', '72 us', 'at most 3 x a bare commit'),
      row('memory', '135 MB Pss (85 + 50)'),
    ])}\n\nA last word`
    assert.deepEqual(readTable(text), [
      {
        what: 'one durable change',
        ours: '529 us',
        raw: '72 us',
        ratio: '2.00',
        aim: 'at most 3 x a bare commit',
        verdict: 'met',
      },
      { what: 'memory', ours: '135 MB Pss (85 + 50)', raw: '', ratio: '', aim: '', verdict: '' },
    ])
    assert.deepEqual(readTable('There is no bench called x.'), [])
  })

  it('reads amounts', () => {
    assert.deepEqual(readAmount('1,003 MB/s'), { value: 1003, unit: 'MB/s' })
    assert.deepEqual(readAmount('21.4 ms at 100'), { value: 21.4, unit: 'ms' })
    assert.deepEqual(readAmount('491'), { value: 491, unit: '' })
    assert.equal(readAmount('none'), null)
  })

  it('marks what became slower or larger beyond the noise of rounds of the same version', () => {
    const before = [
      table(row('get', '100 us'), row('memory', '120 MB'), row('noisy', '10 ms'), row('changes a second', '500')),
      table(row('get', '104 us'), row('memory', '121 MB'), row('noisy', '19 ms'), row('changes a second', '510')),
    ]
    const now = [
      table(row('get', '170 us'), row('memory', '150 MB'), row('noisy', '17 ms'), row('changes a second', '300')),
      table(row('get', '172 us'), row('memory', '151 MB'), row('noisy', '18 ms'), row('changes a second', '310')),
    ]
    const marks = compareRuns(before, now).rows.map(({ what, mark }) => `${what}: ${mark}`)
    assert.deepEqual(marks, ['get: SLOWER', 'memory: LARGER', 'noisy: ', 'changes a second: SLOWER'])
    const back = compareRuns(now, before).rows.map(({ what, mark }) => `${what}: ${mark}`)
    assert.deepEqual(back, ['get: faster', 'memory: smaller', 'noisy: ', 'changes a second: faster'])
  })

  it('compares rows that both have, apart by what they are compared with, and names the others', () => {
    const before = [
      table(row('rule', '10.0 ms', '5.0 ms at 100'), row('rule', '10.0 ms', '3.0 ms nft'), row('old', '1 s')),
    ]
    const now = [
      table(row('rule', '20.0 ms', '6.0 ms at 100'), row('rule', '30.0 ms', '2.0 ms nft'), row('new', '1 s')),
    ]
    const { rows, onlyBefore, onlyNow } = compareRuns(before, now)
    assert.deepEqual(
      rows.map(({ what, ratio }) => [what, ratio]),
      [
        ['rule (beside at 100)', 2],
        ['rule (beside nft)', 3],
      ],
    )
    assert.deepEqual([onlyBefore, onlyNow], [['old'], ['new']])
  })

  it('takes medians, and prints one table', () => {
    const aimed = (ours: string): PrintedRow[] => table(row('get', ours, '50 us', 'at most 1.5 x'))
    const result = compareRuns([aimed('100 us'), aimed('108 us'), aimed('300 us')], [aimed('54 us'), aimed('50 us')])
    assert.equal(
      printComparison('abc', result, true),
      [
        '| measured | abc | this tree | ratio | aim |  |',
        '|---|---|---|---|---|---|',
        '| get | 108 us (2.00 x) | 52.0 us (2.00 x) | 0.48 | at most 1.5 x, met |  |',
      ].join('\n'),
    )
    assert.match(printComparison('abc', { rows: [], onlyBefore: ['old'], onlyNow: [] }, false), /Only in abc:\n {2}old/)
  })

  it('puts the other version into a folder of its own, with the same packages, and takes it away', () => {
    const root = mkdtempSync(join(tmpdir(), 'bench-compare-'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args])
    try {
      git('init', '--quiet')
      writeFileSync(join(root, 'package-lock.json'), '{}')
      writeFileSync(join(root, '.gitignore'), 'node_modules/\n.cache/\n')
      writeFileSync(join(root, 'version'), 'old')
      git('add', '.')
      git('commit', '--quiet', '--message', 'old')
      writeFileSync(join(root, 'version'), 'new')
      mkdirSync(join(root, 'node_modules/.portcullis-plain'), { recursive: true })
      writeFileSync(join(root, 'node_modules/a-package'), 'shared')
      const tree = makeWorktree(root, 'HEAD')
      assert.equal(readFileSync(join(tree.path, 'version'), 'utf8'), 'old')
      assert.equal(readFileSync(join(tree.path, 'node_modules/a-package'), 'utf8'), 'shared')
      assert.ok(!existsSync(join(tree.path, 'node_modules/.portcullis-plain')))
      tree.remove()
      assert.ok(!existsSync(tree.path))
      assert.ok(existsSync(join(root, 'node_modules/.portcullis-plain')))
      assert.doesNotMatch(String(git('worktree', 'list')), /\.cache/)
      assert.throws(() => makeWorktree(root, 'nothing'), /There is no revision nothing here/)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})
