import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listTable, parseListing, runScript, type TableBodies } from './nft.ts'
import { Bench, bodyOf } from './stand-ins/harness.ts'

const bench = new Bench()
after(() => bench.remove())
const spec = bench.tables().nft
const run = (bodies: TableBodies, isCheck = false) => runScript(spec, bodies, isCheck)
const table = (body: string | null): TableBodies => new Map([['inet portcullis', body]])

test('a check loads nothing', async () => {
  assert.deepEqual(await run(table(bodyOf('a')), true), { problems: [], unchecked: null })
  assert.equal(bench.kernel(), '')
})

test('several tables are loaded or refused together', async () => {
  const bodies = new Map([
    ['inet portcullis', bodyOf('a')],
    ['inet extra', 'chain x {\njump nowhere comment "extra.1"\n}'],
  ])
  const { problems } = await run(bodies)
  assert.deepEqual(
    problems.map((problem) => problem.field),
    ['extra.1'],
  )
  assert.match(problems[0]?.message ?? '', /No such file or directory/)
  assert.equal(bench.kernel(), '')
})

test('a refusal outside of any rule names the table, and no path of ours', async () => {
  const { problems } = await run(table('set s {\ntype nonsense\n}'), true)
  assert.equal(problems[0]?.field, 'inet portcullis')
  assert.doesNotMatch(JSON.stringify(problems), /stdin/)
})

test('a refusal is short however long the line is', async () => {
  const elements = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`).join(', ')
  const { problems } = await run(
    table(`chain x {\nip saddr { ${elements} } tcp dport 99999 drop comment "long"\n}`),
    true,
  )
  assert.deepEqual(problems, [{ field: 'long', message: 'Service out of range' }])
})

test('where nft is missing, nothing is checked and the reason is told', async () => {
  const missing = { ...spec, command: ['/nowhere/nft'] as const }
  const verdict = await runScript(missing, table(''), true)
  assert.deepEqual(verdict, { problems: [], unchecked: '/nowhere/nft is not installed.' })
})

test('where nft may not look at the kernel, nothing is checked and the reason is told', async () => {
  const powerless = ['/usr/bin/setpriv', '--bounding-set=-all', '--inh-caps=-all', '--']
  const fenced = { ...spec, command: [...spec.command.slice(0, 4), ...powerless, '/usr/sbin/nft'] }
  const verdict = await runScript(fenced, table(''), true)
  assert.deepEqual(verdict.problems, [])
  assert.match(verdict.unchecked ?? '', /^nft may not look at the kernel here: .*Operation not permitted/)
})

test('a table that is not there lists as null', async () => {
  assert.equal(await listTable(spec, 'inet portcullis'), null)
})

test('a listing shows the rules with chain, comment and packets', async () => {
  await run(table(`counter named { }\n${bodyOf('a').replace(/\}$/, 'accept\ncounter name named drop comment "n"\n}')}`))
  assert.deepEqual((await listTable(spec, 'inet portcullis'))?.rules, [
    { chain: 'forward', comment: 'firewall.a', packets: 0 },
    { chain: 'forward', comment: '', packets: null },
    { chain: 'forward', comment: 'n', packets: null },
  ])
})

const listing = (...objects: object[]): string => JSON.stringify({ nftables: [{ metainfo: {} }, ...objects] })
const rule = (packets: number, handle: number, dport = 80) => ({
  rule: {
    chain: 'f',
    handle,
    expr: [{ match: { right: { set: [dport, 443] } } }, { counter: { packets, bytes: packets * 40 } }],
  },
})
const set = (elem: unknown[], extra: object = {}) => ({ set: { name: 's', handle: 1, elem, ...extra } })
const print = (...objects: object[]): string => parseListing(listing(...objects)).fingerprint

test('handles, counters, quotas, times and the order of elements are not part of the fingerprint', () => {
  assert.equal(print(rule(0, 4)), print(rule(9, 17)))
  assert.equal(print(set(['a', 'b'])), print(set(['b', 'a'])))
  assert.equal(print({ quota: { bytes: 9, used: 0 } }), print({ quota: { bytes: 9, used: 5 } }))
  assert.equal(print({ counter: { name: 'c', packets: 1 } }), print({ counter: { name: 'c', packets: 2 } }))
  const timed = { flags: ['timeout'] }
  assert.equal(print(set([], timed)), print(set([{ elem: { val: 'a', expires: 3 } }], timed)))
  const adds = { rule: { expr: [{ set: { op: 'add', set: '@s' } }] } }
  assert.equal(print(set([]), adds), print(set(['a']), adds))
})

test('everything else is part of the fingerprint', () => {
  const prints = [
    print(rule(0, 1)),
    print(rule(0, 1, 81)),
    print(rule(0, 1), rule(0, 2)),
    print(set(['a'])),
    print(set(['a', 'b'])),
    print(set(['a'], { flags: ['interval'] })),
    print({ quota: { bytes: 9 } }),
    print({ quota: { bytes: 8 } }),
    print({ chain: { policy: 'drop' } }),
    print({ chain: { policy: 'accept' } }),
  ]
  assert.equal(new Set(prints).size, prints.length)
})
