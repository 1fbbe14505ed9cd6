// Requirement 60.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { until } from '../../test/support/until.ts'
import { readKernelIdentity } from '../engines/kit/processes.ts'
import type { Tables } from '../engines/kit/tables.ts'
import { type Bench, createScenarios, dnsText, file, longAlive, planOf, problemsOf, unit } from './stand-ins/harness.ts'

const { scenario, run } = createScenarios('the supervisor')
const standPlan = (revision: number, text: string) => planOf(revision, file('stand.conf', `${text}\n`), unit('stand'))
const kill = (pid: number | null | undefined, signal: NodeJS.Signals) => process.kill(pid ?? assert.fail(), signal)

scenario('a unit that dies is restarted after a growing pause', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  writeFileSync(scene.bench.path('etc/stand.conf'), 'die\n')
  kill(pid, 'SIGKILL')
  await until('four failures', () => scene.unitLog().split('cannot bind').length > 4)
  const seen = await scene.unitNow()
  assert.equal(seen?.state === 'failed' || seen?.state === 'activating', true)
  const pauses = () => scene.bench.log.flatMap((line) => JSON.parse(line).retryMs ?? [])
  await until('five ends are logged', () => pauses().length >= 5)
  assert.deepEqual(pauses().slice(0, 5), [20, 40, 80, 160, 160])
  await until('its own message is shown', async () => /cannot bind/.test((await scene.unitNow())?.message ?? ''))
  writeFileSync(scene.bench.path('etc/stand.conf'), 'well\n')
  await until('it is active again', async () => (await scene.unitNow())?.state === 'active')
  assert.notEqual((await scene.unitNow())?.pid, pid)
})

for (const host of ['127.0.0.1', '0.0.0.0'])
  scenario(`a program that holds the port on ${host} does not answer for a unit, and is named`, async (scene) => {
    const foreign = createServer().listen(0, host)
    await once(foreign, 'listening')
    const { port } = foreign.address() as AddressInfo
    const probe = { kind: 'tcp', host: '127.0.0.1', port, timeoutMs: 200 } as const
    await scene.start({ tables: scene.bench.tables({ probe, isOptional: true }) })
    await scene.apply(standPlan(1, 'well'))
    const seen = (await scene.unitNow()) ?? assert.fail()
    assert.equal(seen.state, 'failed')
    assert.ok(seen.message.startsWith('stand does not answer.'), seen.message)
    assert.ok(seen.message.includes(`Port ${port} (tcp) is held by `), seen.message)
    assert.ok(seen.message.includes(`(process ${process.pid}) on ${host}`), seen.message)
    foreign.close()
  })

scenario('an engine that cannot have its port names who holds it', async (scene) => {
  const foreign = createSocket('udp4').bind(scene.bench.dnsPort, '127.0.0.1')
  await once(foreign, 'listening')
  const outcome = await scene.apply(planOf(1, file('dns.conf', dnsText(scene.bench.dnsPort)), unit('dns')))
  const [problem] = problemsOf(outcome)
  foreign.close()
  assert.ok(problem?.message.includes(`Port ${scene.bench.dnsPort} (udp) is held by `), JSON.stringify(outcome))
  const again = await scene.apply(planOf(2, file('dns.conf', dnsText(scene.bench.dnsPort)), unit('dns')))
  assert.deepEqual(problemsOf(again), [])
})

scenario('a killed unit shows at once, and so does a suspended one', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  kill(pid, 'SIGSTOP')
  await until('it shows as suspended', async () => (await scene.unitNow())?.state === 'failed')
  assert.deepEqual(await scene.unitNow(), { name: 'stand', state: 'failed', message: 'stand is suspended.', pid })
  kill(pid, 'SIGCONT')
  await until('it shows as active', async () => (await scene.unitNow())?.state === 'active')
  kill(pid, 'SIGKILL')
  await until('it shows as dead or replaced', async () => (await scene.unitNow())?.pid !== pid)
  await until('the log shows how', () => /stand ended with signal SIGKILL/.test(scene.bench.log.join('')))
})

scenario('a restart of applyd adopts its units, same process, and still notices when they die', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  await scene.start()
  assert.deepEqual(await scene.unitNow(), { name: 'stand', state: 'active', message: '', pid })
  kill(pid, 'SIGKILL')
  await until('another process runs', async () => {
    const seen = await scene.unitNow()
    return seen?.state === 'active' && seen.pid !== pid
  })
})

scenario('a unit that died while applyd did not run is started again', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  await scene.applyd?.close()
  kill(pid, 'SIGKILL')
  await until('it is gone', () => pid === null || !scene.bench.processes().includes(pid))
  await scene.start()
  await until('another process runs', async () => (await scene.unitNow())?.state === 'active')
})

scenario('a number that now belongs to another process is not adopted', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  await scene.applyd?.close()
  const path = join(scene.bench.stateDir, 'applyd', 'units.json')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(`"pid":${pid}`, `"pid":${process.pid}`))
  await scene.start()
  await until('the old process is ended as a stray', () => pid !== null && !scene.bench.processes().includes(pid))
  await until('a new one runs', async () => (await scene.unitNow())?.state === 'active')
  assert.notEqual((await scene.unitNow())?.pid, process.pid)
})

scenario('a unit that is no longer in the plan is stopped with all its children', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  await until('it has its child', () => scene.bench.processes().length === 2)
  await scene.apply(planOf(2))
  await until('no process is left', () => scene.bench.processes().length === 0)
  assert.equal((await scene.unitNow())?.state, 'inactive')
})

scenario('children that outlive their killed parent are ended before the next start', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  await until('it has its child', () => scene.bench.processes().length === 2)
  const children = scene.bench.processes().filter((pid) => pid !== scene.bench.unitPid('stand'))
  kill(scene.bench.unitPid('stand'), 'SIGKILL')
  await until('the child is gone', () => children.every((pid) => !scene.bench.processes().includes(pid)))
  await until('it runs again', async () => (await scene.unitNow())?.state === 'active')
})

scenario('a unit that ignores the request to end is killed', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'deaf'))
  await until('it is deaf', () => /started as deaf/.test(scene.unitLog()))
  assert.deepEqual(await scene.apply(planOf(2)), { status: 'applied', changed: ['file stand.conf', 'unit stand'] })
  await until('no process is left', () => scene.bench.processes().length === 0)
  assert.match(scene.bench.log.join(''), /did not stop in time and was killed/)
})

scenario('children that ignore the request to end are killed with their parent', async (scene) => {
  await scene.apply(standPlan(1, 'brood'))
  await until('the child is there', () => scene.bench.processes().length === 3)
  await scene.apply(planOf(2))
  await until('all are gone', () => scene.bench.processes().length === 0)
})

scenario('a changed file reloads by signal, the same process', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  await until('it listens to signals', () => /started as well/.test(scene.unitLog()))
  await scene.apply(standPlan(2, 'better'))
  await until('it has read the file', () => /now better/.test(scene.unitLog()))
  assert.equal(scene.bench.unitPid('stand'), pid)
})

scenario('only units whose inputs changed are touched', async (scene) => {
  await scene.start({ tables: scene.bench.tables({ reload: 'restart' }) })
  const dns = [file('dns.conf', dnsText(scene.bench.dnsPort)), unit('dns')]
  await scene.apply(planOf(1, ...dns, file('stand.conf', 'well\n'), unit('stand')))
  const [dnsPid, standPid] = [scene.bench.unitPid('dns'), scene.bench.unitPid('stand')]
  const outcome = await scene.apply(planOf(2, ...dns, file('stand.conf', 'better\n'), unit('stand')))
  assert.deepEqual(outcome, { status: 'applied', changed: ['file stand.conf', 'unit stand'] })
  assert.equal(scene.bench.unitPid('dns'), dnsPid)
  assert.notEqual(scene.bench.unitPid('stand'), standPid)
})

scenario('a new command line in the table restarts the unit at the next apply', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  await scene.start({
    tables: scene.bench.tables({ args: [...(scene.bench.tables().units.get('stand')?.args ?? []), 'more'] }),
  })
  assert.deepEqual(await scene.apply(standPlan(1, 'well')), { status: 'applied', changed: ['unit stand'] })
  assert.notEqual(scene.bench.unitPid('stand'), pid)
})

scenario(
  'a unit runs with its user, without new privileges, with its limits, and with nothing of our environment',
  async (scene) => {
    await scene.start({
      tables: scene.bench.tables({
        user: { uid: 65534, gid: 65534 },
        limits: { nofile: 77, data: 256 * 1024 * 1024 },
        files: {},
        args: ['-c', 'exec sleep 1000'],
      }),
    })
    process.env.PORTCULLIS_SECRET_CANARY = 'x'
    await scene.apply(planOf(1, unit('stand')))
    const pid = scene.bench.unitPid('stand')
    await until('it runs', () => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    assert.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m)
    assert.match(status, /^Groups:\t ?$/m)
    assert.match(status, /^NoNewPrivs:\t1$/m)
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    assert.match(limits, /^Max open files +77 +77/m)
    assert.match(limits, /^Max core file size +0 +0/m)
    assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /CANARY/)
    delete process.env.PORTCULLIS_SECRET_CANARY
  },
)

scenario('closing with units ends them, closing without leaves them', async (scene) => {
  await scene.start()
  await scene.apply(standPlan(1, 'well'))
  await until('it has its child', () => scene.bench.processes().length === 2)
  await scene.applyd?.close()
  assert.equal(scene.bench.processes().length, 2)
  await scene.start()
  await scene.applyd?.close(true)
  await until('no process is left', () => scene.bench.processes().length === 0)
  await scene.start()
  assert.equal((await scene.unitNow())?.state, 'inactive')
})

/** The tables of a release that calls the stand-in `service`. */
function renamedTables(bench: Bench): Tables {
  const tables = bench.tables()
  const { stand, ...units } = Object.fromEntries(tables.units)
  return {
    ...tables,
    units: new Map(Object.entries({ ...units, service: stand ?? assert.fail() })),
    formerUnits: new Map([['stand', 'service']]),
  }
}

scenario('a unit with another name in this release keeps its process and its log', async (scene) => {
  await scene.apply(standPlan(1, 'well'))
  await until('it has started', () => /started as well/.test(scene.unitLog()))
  const pid = scene.bench.unitPid('stand')
  await scene.start({ tables: renamedTables(scene.bench) })
  assert.deepEqual(await scene.unitNow('service'), { name: 'service', state: 'active', message: '', pid })
  assert.equal(await scene.unitNow('stand'), undefined)
  assert.equal(existsSync(join(scene.bench.stateDir, 'log', 'stand.log')), false)
  assert.match(scene.unitLog('service'), /started as well/)
  const plan = planOf(2, file('stand.conf', 'well\n'), unit('service'))
  assert.deepEqual(await scene.apply(plan), { status: 'applied', changed: [] })
  assert.equal(scene.bench.unitPid('service'), pid)
  assert.equal(scene.bench.unitPid('stand'), null)
  assert.equal(scene.bench.processes().length, 2)
})

scenario('an apply that an earlier release left unfinished is undone under the new name', async (scene) => {
  await scene.apply(standPlan(1, 'well'))
  const pid = scene.bench.unitPid('stand')
  await scene.applyd?.close()
  const intent = { id: 'unfinished', kernel: readKernelIdentity(), files: [], tables: [], units: ['stand'] }
  writeFileSync(join(scene.bench.stateDir, 'applyd', 'intent.json'), JSON.stringify(intent))
  await scene.start({ tables: renamedTables(scene.bench) })
  assert.equal(scene.bench.unitPid('service'), pid)
  assert.equal((await scene.unitNow('service'))?.state, 'active')
  assert.equal(scene.bench.record('intent.json'), null)
})

scenario('a unit that this release does not know is ended', async (scene) => {
  await scene.apply(standPlan(1, 'well'))
  const { units, ...tables } = renamedTables(scene.bench)
  const dns = units.get('dns') ?? assert.fail()
  await scene.start({ tables: { ...tables, units: new Map([['dns', dns]]), formerUnits: new Map() } })
  await until('no process is left', () => scene.bench.processes().length === 0)
  assert.equal(scene.bench.unitPid('stand'), null)
})

scenario('a missing kernel feature is reported, whatever the process does', async (scene) => {
  const needs = [{ name: 'packet logging (nowhere)', path: '/proc/nowhere' }]
  await scene.start({ tables: scene.bench.tables({ needs, probe: longAlive }) })
  const lacking = 'The running kernel does not support packet logging (nowhere).'
  const [problem] = problemsOf(await scene.apply(standPlan(1, 'die')))
  assert.equal(problem?.message, `stand ended right after its start: ${lacking}`)
  await scene.apply(standPlan(2, 'well'))
  const seen = await scene.unitNow()
  assert.deepEqual([seen?.state, seen?.message], ['failed', lacking])
})

run()
