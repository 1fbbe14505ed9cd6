import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeOf, composeScript } from '../nft-script.ts'
import type { TableTargets } from '../pieces.ts'
import { Bench, chain, piecesOf, set } from '../stand-ins/harness.ts'
import { createProgramKernel } from './program.ts'

const bench = new Bench()
after(() => bench.remove())
const spec = bench.tables().nft
const scriptOf = (targets: TableTargets) => {
  const changes = [...targets].map(([table, pieces]) => changeOf(table, null, pieces))
  return composeScript(spec, changes, new Map())
}
const kernel = createProgramKernel(spec)
const run = (targets: TableTargets, isCheck = false) => kernel[isCheck ? 'check' : 'load'](scriptOf(targets))
const table = (...pieces: ReturnType<typeof piecesOf>): TableTargets => new Map([['inet portcullis', pieces]])

test('a check loads nothing', async () => {
  assert.deepEqual(await run(table(...piecesOf('a')), true), { problems: [], unchecked: null })
  assert.equal(bench.kernel(), '')
})

test('several tables are loaded or refused together', async () => {
  const targets = new Map([
    ['inet portcullis', piecesOf('a')],
    ['inet extra', [chain('x', ['jump nowhere comment "extra.1"'])]],
  ])
  const { problems } = await run(targets)
  assert.deepEqual(
    problems.map((problem) => problem.field),
    ['extra.1'],
  )
  assert.match(problems[0]?.message ?? '', /No such file or directory/)
  assert.equal(bench.kernel(), '')
})

test('a refusal of a set names its origin, or the set, and no internal path', async () => {
  const wrong = [set('s', [], 'type nonsense', 'objects.networks[7]'), set('t', ['10.0.0.1', '10.0.0.300'])]
  const { problems } = await run(table(...wrong), true)
  assert.deepEqual(new Set(problems.map((problem) => problem.field)), new Set(['objects.networks[7]', 't']))
  assert.doesNotMatch(JSON.stringify(problems), /stdin/)
})

test('a refusal is short however long the line is', async () => {
  const elements = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`).join(', ')
  const { problems } = await run(
    table(chain('x', [`ip saddr { ${elements} } tcp dport 99999 drop comment "long"`])),
    true,
  )
  assert.deepEqual(problems, [{ field: 'long', message: 'Service out of range' }])
})

test('where nft is missing, nothing is checked and the reason is reported', async () => {
  const missing = { ...spec, command: ['/nowhere/nft'] as const }
  const verdict = await createProgramKernel(missing).check(scriptOf(table()))
  assert.deepEqual(verdict, { problems: [], unchecked: '/nowhere/nft is not installed.' })
})

test('where nft has no access to the kernel, nothing is checked and the reason is reported', async () => {
  const powerless = ['/usr/bin/setpriv', '--bounding-set=-all', '--inh-caps=-all', '--']
  const fenced = { ...spec, command: [...spec.command.slice(0, 4), ...powerless, '/usr/sbin/nft'] }
  const verdict = await createProgramKernel(fenced).check(scriptOf(table()))
  assert.deepEqual(verdict.problems, [])
  assert.match(verdict.unchecked ?? '', /^nft has no access to the kernel here: .*Operation not permitted/)
})

test('a table that is not there lists as null and is not present', async () => {
  assert.equal(await kernel.list('inet portcullis'), null)
  assert.equal(await kernel.isPresent('inet portcullis'), false)
})

test('looking for a table makes nothing', async () => {
  await run(table(...piecesOf('a')))
  const before = bench.kernel()
  assert.equal(await kernel.isPresent('inet portcullis'), true)
  assert.equal(bench.kernel(), before)
})
