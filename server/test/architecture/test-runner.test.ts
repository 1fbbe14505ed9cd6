// The runner of our tests: nothing is run twice, files that share a process do not disturb each other, and one that costs more than
// it may fails the run.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { exceptions } from '../support/exceptions.ts'

const folderOf = new URL('../../../scripts/lib/tests/', import.meta.url)
const runner = fileURLToPath(new URL('runner.mjs', folderOf))

interface Hunted {
  readonly name: string
  readonly reason: string
  readonly until: string
}

interface Cost {
  readonly file: string
  readonly seconds: number
  readonly spent: number
  readonly least: number
}

interface CostsModule {
  describeCosts(
    costs: readonly Cost[],
    options: { readonly isNightly: boolean },
  ): { readonly text: string; readonly overBudget: readonly Cost[] }
}

interface HuntedModule {
  readonly hunted: readonly Hunted[]
  failuresThatCount(
    failures: readonly { readonly name: string }[],
    list: readonly Hunted[],
    today: Date,
  ): { readonly counted: readonly { readonly name: string }[]; readonly text: string }
}

const { hunted, failuresThatCount } = (await import(new URL('hunted.mjs', folderOf).href)) as HuntedModule
const { describeCosts } = (await import(new URL('costs.mjs', folderOf).href)) as CostsModule
const { makeEntries } = (await import(new URL('share.mjs', folderOf).href)) as {
  makeEntries(files: readonly string[], folder: string): readonly string[]
}
const { dayBudgets } = (await import(new URL('budgets.mjs', folderOf).href)) as {
  readonly dayBudgets: Readonly<Record<string, { readonly seconds: number; readonly reason: string }>>
}

describe('the test runner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-runner-'))
  after(() => rmSync(folder, { recursive: true }))

  const write = (name: string, body: string): string => {
    writeFileSync(join(folder, name), `import { after, before, beforeEach, test } from 'node:test'\n${body}\n`)
    return name
  }

  function run(files: readonly string[]): { readonly code: number | null; readonly out: string } {
    // It would take itself for a file of this run.
    const { NODE_TEST_CONTEXT: _, PORTCULLIS_TEST_COSTS: __, ...env } = process.env
    const args = [runner, '2', '60000', ...files]
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env })
    return { code: status, out: stdout }
  }

  const good = write(
    'good.test.mjs',
    "test('good', () => {}); test('later', { todo: true }, () => { throw new Error('todo') })",
  )

  it('passes when all pass, and says what it cost', () => {
    const { code, out } = run([good])
    assert.equal(code, 0, out)
    assert.match(out, /^1 files took \d+ s of processor time/m)
  })

  it('fails with what fails, whatever the fault, and runs nothing again', () => {
    const mark = join(folder, 'mark')
    const fs = "import { appendFileSync } from 'node:fs'\n"
    const bad = write(
      'bad.e2e.ts',
      `${fs}test('bad', () => { appendFileSync('${mark}', 'x'); throw new Error('bad') })`,
    )
    const ending = write('ending.e2e.ts', 'process.exit(3)')
    writeFileSync(join(folder, 'shared.mjs'), "import { test } from 'node:test'\ntest('shared', () => { throw 1 })\n")
    const helped = write('helped.test.mjs', "import './shared.mjs'")
    for (const file of [bad, ending, helped]) assert.equal(run([good, file]).code, 1, file)
    assert.equal(spawnSync('/usr/bin/wc', ['-c', mark], { encoding: 'utf8' }).stdout.trim().split(' ')[0], '1')
  })

  it('gives each of the files that share a process its own hooks, one after the other', () => {
    const each = (name: string) => `
      const seen = globalThis.seen ??= []
      before(() => seen.push('begin ${name}')); beforeEach(() => seen.push('each ${name}')); after(() => seen.push('end ${name}'))
      test('${name}', () => { seen.push('${name}') })`
    const one = write('one.test.mjs', each('one'))
    const other = write('other.test.mjs', each('other'))
    const last = write(
      'z-last.test.mjs',
      "import assert from 'node:assert'\ntest('last', () => assert.equal(String(globalThis.seen), " +
        "'begin one,each one,one,end one,begin other,each other,other,end other'))",
    )
    const { code, out } = run([one, other, last])
    assert.equal(code, 0, out)
  })

  it('fails a file that leaves something behind for the next one', () => {
    const faults = {
      environment: "process.env.LEFT = '1'",
      folder: "process.chdir('/')",
      mask: 'process.umask(0o077)',
      listener: "process.on('SIGHUP', () => {})",
    }
    for (const [name, fault] of Object.entries(faults)) {
      const { code, out } = run([write(`${name}.test.mjs`, `test('leaves', () => { ${fault} })`), good])
      assert.equal(code, 1, name)
      assert.match(out, /does not leave the process as it found it/)
    }
  })

  it('fails when a file ends the process that others share with it', () => {
    const ending = write('a-ends.test.mjs', "test('ends', () => process.exit(0))")
    const { code, out } = run([ending, write('not-reached.test.mjs', "test('is not reached', () => {})")])
    assert.equal(code, 1, out)
    assert.match(out, /The process ended before a-ends\.test\.mjs, not-reached\.test\.mjs did/)
  })

  it('keeps the files of tests in a folder that it removes, with those that killed runs left', () => {
    const told = join(folder, 'told')
    const modules = "import { writeFileSync } from 'node:fs'\nimport { tmpdir } from 'node:os'\n"
    const asks = write('asks.test.mjs', `${modules}test('asks', () => writeFileSync('${told}', tmpdir()))`)
    assert.equal(run([asks]).code, 0)
    const used = readFileSync(told, 'utf8')
    assert.equal(existsSync(used), false)
    // No process has so high a number.
    const left = join(dirname(used), 'p4999999-AbCdEf')
    mkdirSync(left)
    assert.equal(run([asks]).code, 0)
    assert.equal(existsSync(left), false)
  })

  it('starts a file that asks for it in a process of its own', () => {
    const alone = write(
      'alone.test.mjs',
      "// Own process: it ends it.\ntest('alone', () => {}); after(() => process.exit(0))",
    )
    const { code, out } = run([good, alone, write('after.test.mjs', "test('after', () => {})")])
    assert.equal(code, 0, out)
    assert.match(out, /✔ after/)
  })

  it('counts work and not waiting', () => {
    const waiting = write(
      'waiting.test.mjs',
      "test('waits', () => new Promise((resolve) => setTimeout(resolve, 1000)))",
    )
    const work = 'for (const end = process.cpuUsage().user + 5e5; process.cpuUsage().user < end; ) Math.random()'
    const { out } = run([waiting, write('working.test.mjs', `test('works', () => { ${work} })`)])
    const costOf = (file: string): number => Number(new RegExp(` ([\\d.]+) s {2}${file}$`, 'm').exec(out)?.[1])
    assert.ok(costOf('working.test.mjs') > 0.2, out)
    assert.ok(costOf('waiting.test.mjs') < costOf('working.test.mjs') / 2, out)
  })

  it('counts what a file started and still runs', () => {
    const work = 'for (const end = process.cpuUsage().user + 5e5; process.cpuUsage().user < end; ) Math.random()'
    const body = `
      import { spawn } from 'node:child_process'
      test('starts', async () => {
        const child = spawn(process.execPath, ['-e', \`${work}; console.log('done'); setTimeout(() => {}, 60_000)\`])
        process.once('exit', () => child.kill())
        await new Promise((resolve) => child.stdout.once('data', resolve))
        child.unref(); child.stdout.destroy(); child.stderr.destroy(); child.stdin.destroy()
      })`
    const { out } = run([write('starting.e2e.ts', body)])
    assert.ok(Number(/ ([\d.]+) s {2}starting\.e2e\.ts$/m.exec(out)?.[1]) > 0.4, out)
  })
})

describe('files that open the console in a browser', () => {
  it('share four processes of much the same length, but for those that start a lab', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-shared-'))
    try {
      const names = readdirSync('web/test/e2e').map((name) => `web/test/e2e/${name}`)
      const entries = makeEntries(names, folder)
      const alone = entries.filter((entry) => entry.endsWith('.e2e.ts'))
      assert.deepEqual(
        alone,
        names.filter((name) => /startGateway|startLab/.test(readFileSync(name, 'utf8'))),
      )
      const shared = entries.filter((entry) => !entry.endsWith('.e2e.ts'))
      const counts = shared.map((entry) => readFileSync(entry, 'utf8').match(/file:.*\.e2e\.ts/g)?.length ?? 0)
      assert.equal(shared.length, 4)
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        names.length - alone.length,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a test file', () => {
  const cost = (file: string, seconds: number) => ({ file, seconds, spent: seconds * 3, least: seconds })

  it('may cost 5 s of processor time, and 20 s when it sends packets', () => {
    const costs = [
      cost('wire.e2e.ts', 41),
      cost('unit.test.ts', 11),
      cost('other.e2e.ts', 39),
      cost('small.test.ts', 9),
    ]
    const { overBudget, text } = describeCosts(costs, { isNightly: false })
    assert.deepEqual(
      overBudget.map(({ file }) => file),
      ['wire.e2e.ts', 'unit.test.ts'],
    )
    assert.match(text, /Over its budget: unit\.test\.ts took 11\.0 s of processor time and may take 5 s\./)
  })

  it('may cost more where the machine was slower than for the others', () => {
    const slowed = { ...cost('unit.test.ts', 11), least: 8 }
    assert.deepEqual(describeCosts([slowed], { isNightly: false }).overBudget, [])
  })

  it('may cost more at night', () => {
    assert.deepEqual(describeCosts([cost('unit.test.ts', 60)], { isNightly: true }).overBudget, [])
  })
})

describe('a test that fails without a fault', () => {
  const one: Hunted = { name: 'suite > sometimes', reason: 'a race in the page', until: '2026-12-01' }
  const failed = [{ name: 'sometimes' }, { name: 'always' }]

  it('is excused until its last day, by name', () => {
    const { counted, text } = failuresThatCount(failed, [one], new Date('2026-12-01T12:00:00Z'))
    assert.deepEqual(counted, [{ name: 'always' }])
    assert.match(text, /hunted until 2026-12-01: sometimes \(a race in the page\)/)
  })

  it('fails the run after that', () => {
    assert.deepEqual(failuresThatCount(failed, [one], new Date('2026-12-02T00:00:00Z')).counted, failed)
  })

  it('is one of a list that only becomes shorter', () => {
    for (const { name, reason, until } of exceptions('tests whose fault is being hunted', hunted)) {
      assert.match(until, /^\d{4}-\d{2}-\d{2}$/, name)
      assert.ok(reason.length > 20, name)
    }
  })
})

describe('test files that may cost more than others', () => {
  it('are a list that only becomes shorter, each with its reason', () => {
    const dear = exceptions('test files over the usual budget', Object.entries(dayBudgets))
    for (const [file, { reason }] of dear) assert.ok(reason.length > 10, file)
  })
})
