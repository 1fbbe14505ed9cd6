// Engines with many files, which reload exactly those that changed.
// Requirement 60.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { until } from '../../test/support/until.ts'
import type { Reload, UnitSpec } from '../engines/kit/tables.ts'
import { Refusal } from '../engines/kit/values.ts'
import { argumentParsers } from './requests.ts'
import { createScenarios, file, planOf, type Scene, unit } from './stand-ins/harness.ts'

const { scenario, run } = createScenarios('reloads')

const anyText = { lines: [/^/] }

/** Each reload copies every changed file to `reloaded`, which shows what the engine was given. */
function startReloading(scene: Scene, more: Partial<UnitSpec> = {}): Promise<void> {
  const reloaded = (name: string) => scene.bench.path(`reloaded-${name}`)
  const reload = (changed: readonly string[] | null): Reload =>
    changed?.includes('stand.conf') === false
      ? { commands: changed.map((name) => ({ program: '/bin/cp', args: [`{${name}}`, reloaded(name)] })) }
      : 'restart'
  return scene.start({
    tables: scene.bench.tables({ files: { 'stand.conf': anyText, 'part.*': anyText }, reload, ...more }),
  })
}

const parts = (revision: number, texts: Readonly<Record<string, string>>, mode = 'well') =>
  planOf(
    revision,
    file('stand.conf', `${mode}\n`),
    ...Object.entries(texts).map(([name, text]) => file(`part.${name}`, text)),
    unit('stand'),
  )
const partsOf = (scene: Scene) => readdirSync(scene.bench.path('etc/parts')).toSorted()
const reloadedOf = (scene: Scene, name: string) =>
  existsSync(scene.bench.path(`reloaded-part.${name}`))
    ? readFileSync(scene.bench.path(`reloaded-part.${name}`), 'utf8')
    : null

scenario('a file of a template is written, changed and removed, and the engine reloads that one', async (scene) => {
  await startReloading(scene)
  await scene.apply(parts(1, { a: 'one', b: 'two' }))
  const pid = scene.bench.unitPid('stand')
  assert.deepEqual(partsOf(scene), ['a', 'b'])
  const outcome = await scene.apply(parts(2, { a: 'one', b: 'three' }))
  assert.deepEqual(outcome, { status: 'applied', changed: ['file part.b', 'unit stand'] })
  assert.deepEqual([reloadedOf(scene, 'a'), reloadedOf(scene, 'b')], [null, 'three'])
  assert.equal(scene.bench.unitPid('stand'), pid)
  await scene.apply(parts(3, { b: 'three' }, 'better'))
  assert.deepEqual(partsOf(scene), ['b'])
  assert.notEqual(scene.bench.unitPid('stand'), pid, 'another configuration needs another process here')
})

scenario('the kind of a reload may depend on what a file held before', async (scene) => {
  const seen: (string | null)[] = []
  const reload: UnitSpec['reload'] = (_, before) => {
    seen.push(before('part.a'), before('part.b'))
    return 'restart'
  }
  await startReloading(scene, { reload })
  await scene.apply(parts(1, { a: 'one' }))
  await scene.apply(parts(2, { a: 'two', b: 'new' }))
  assert.deepEqual(seen, ['one', null])
})

scenario('a checker may be made from the staged files', async (scene) => {
  const check: UnitSpec['check'] = (staged) => ({
    program: '/bin/grep',
    args: ['-q', 'good', staged.get('part.a') ?? ''],
  })
  await startReloading(scene, { check })
  assert.equal((await scene.apply(parts(1, { a: 'good' }))).status, 'applied')
  assert.equal((await scene.apply(parts(2, { a: 'bad' }))).status, 'put_back')
  assert.equal(readFileSync(scene.bench.path('etc/parts/a'), 'utf8'), 'good')
})

scenario('a file that is not in the plan is removed, also after a restart of applyd', async (scene) => {
  await startReloading(scene)
  await scene.apply(parts(1, { a: 'one' }))
  writeFileSync(scene.bench.path('etc/parts/stray'), 'x')
  writeFileSync(scene.bench.path('etc/parts/.a.portcullis-new'), 'x')
  await startReloading(scene)
  assert.deepEqual(partsOf(scene), ['a', 'stray'])
  await scene.apply(parts(1, { a: 'one' }))
  assert.deepEqual(partsOf(scene), ['a'])
})

scenario('a change the engine does not accept is reverted, and its message is reported', async (scene) => {
  await startReloading(scene)
  await scene.apply(parts(1, { a: 'one' }))
  const refuse: UnitSpec['reload'] = { commands: [{ program: '/bin/cp', args: ['{part.a}', '/nowhere/at/all'] }] }
  await startReloading(scene, { reload: refuse })
  const outcome = await scene.apply(parts(2, { a: 'two' }))
  assert.equal(outcome.status, 'put_back')
  assert.match(JSON.stringify(outcome), /"stand".*stand did not accept the change.*No such file or directory/)
  assert.equal(readFileSync(scene.bench.path('etc/parts/a'), 'utf8'), 'one')
  assert.equal((await scene.unitNow())?.state, 'active')
})

scenario('an engine that is asked over its socket decides whether a change is applied', async (scene) => {
  const path = scene.bench.path('control.sock')
  let answer = 'ok 1'
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (line) => {
      asked.push(`${line}: ${readFileSync(scene.bench.path('etc/parts/a'), 'utf8')}`)
      socket.end(`${answer}\n`)
    })
  }).listen(path)
  await once(server, 'listening')
  try {
    await startReloading(scene, { reload: { ask: path } })
    await scene.apply(parts(1, { a: 'one' }))
    const pid = scene.bench.unitPid('stand')
    assert.equal((await scene.apply(parts(2, { a: 'two' }))).status, 'applied')
    assert.deepEqual(asked, ['reload\n: two'], 'it is asked when the files are there')
    assert.equal(scene.bench.unitPid('stand'), pid)
    answer = 'fault The rules are not valid.'
    const outcome = await scene.apply(parts(3, { a: 'three' }))
    assert.equal(outcome.status, 'put_back')
    assert.match(JSON.stringify(outcome), /stand did not accept the change. The rules are not valid\./)
    assert.equal(readFileSync(scene.bench.path('etc/parts/a'), 'utf8'), 'two')
  } finally {
    server.close()
  }
})

scenario('an optional engine is restarted instead', async (scene) => {
  const reload: UnitSpec['reload'] = { commands: [{ program: '/bin/false', args: [] }] }
  await startReloading(scene, { reload, isOptional: true })
  await scene.apply(parts(1, { a: 'one' }))
  const pid = scene.bench.unitPid('stand')
  assert.equal((await scene.apply(parts(2, { a: 'two' }))).status, 'applied')
  assert.match((await scene.unitNow())?.message ?? '', /did not accept the change/)
  assert.deepEqual(await scene.apply(parts(2, { a: 'two' })), { status: 'applied', changed: ['unit stand'] })
  assert.notEqual(scene.bench.unitPid('stand'), pid)
})

for (const [name, way, isSlow] of [
  ['by a signal', { signal: 'SIGHUP' }, false],
  ['by a start', 'restart', false],
  ['in the background', { signal: 'SIGHUP' }, true],
] as const satisfies readonly (readonly [string, Reload, boolean])[])
  scenario(`an engine that runs with an altered file is given ours again: ${name}`, async (scene) => {
    await startReloading(scene, { reload: way, isSlow })
    const plan = parts(1, { a: 'one' })
    await scene.apply(plan)
    await until('it runs', async () => (await scene.unitNow())?.state === 'active')
    const pid = scene.bench.unitPid('stand') ?? assert.fail('it does not run')
    const words = (): readonly string[] =>
      readFileSync(scene.bench.path('state/log/stand.log'), 'utf8').trim().split('\n')
    writeFileSync(scene.bench.path('etc/stand.conf'), 'strange\n')
    process.kill(pid, 'SIGHUP')
    await until('it runs with the altered file', () => words().at(-1) === 'now strange')
    assert.deepEqual(await scene.apply(plan), { status: 'applied', changed: ['file stand.conf', 'unit stand'] })
    await until('it runs with ours', () => /^(?:now|started as) well$/.test(words().at(-1) ?? ''))
    await until('it is well', async () => (await scene.unitNow())?.state === 'active')
    assert.equal(scene.bench.unitPid('stand') === pid, way !== 'restart')
    assert.deepEqual(await scene.apply(plan), { status: 'applied', changed: [] }, 'once is enough')
  })

scenario('what applyd adds to a file is at its end and is not vetted', async (scene) => {
  const tables = scene.bench.tables({
    files: { 'stand.conf': { lines: ['', 'well'] } },
  })
  const stand = tables.files.get('stand.conf') ?? assert.fail()
  const files = new Map([...tables.files, ['stand.conf', { ...stand, ending: 'secret\n' }]])
  await scene.start({ tables: { ...tables, files } })
  assert.equal((await scene.apply(parts(1, {}))).status, 'applied')
  assert.equal(scene.bench.file('stand.conf'), 'well\nsecret\n')
  assert.equal((await scene.apply(parts(2, {}, 'well\nsecret'))).status, 'put_back')
})

scenario('names of files that are not ids are refused', async (scene) => {
  const { apply } = argumentParsers(scene.bench.tables())
  assert.doesNotThrow(() => apply({ plan: parts(1, { 'a-1': 'x' }) }))
  for (const name of ['../x', '.hidden', '', 'a/b', 'A'])
    assert.throws(() => apply({ plan: parts(1, { [name]: 'x' }) }), Refusal, name)
})

run()
