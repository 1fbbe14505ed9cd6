import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { compileCache, ourRuntime } from '../../test/support/started.ts'
import { until } from '../../test/support/until.ts'
import { ApplydClient } from '../gatewayd/apply/client.ts'
import { Bench, nft, piecesOf, planOf, set } from './stand-ins/harness.ts'

let bench: Bench
let child: ChildProcess | null = null
let lines: string[] = []
let client: ApplydClient | null = null
beforeEach(() => {
  bench = new Bench()
  lines = []
})
afterEach(() => {
  client?.close()
  child?.kill('SIGKILL')
  bench.remove()
})

/** The real program, inside the namespace of the bench: production tables, real nft, nothing of the host. */
function start(env: Record<string, string>): ChildProcess {
  const main = join(import.meta.dirname, 'main.ts')
  child = spawn('/usr/sbin/ip', ['netns', 'exec', bench.namespace, ...ourRuntime, main], {
    env: {
      PATH: '/usr/bin:/bin',
      PORTCULLIS_STATE: bench.stateDir,
      PORTCULLIS_DATAPLANE: 'lab',
      ...compileCache,
      ...env,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trimEnd().split('\n')))
  return child
}
const isReady = () => lines.some((line) => line.includes('applyd is ready'))

test('the service user gets the socket, applies through it, and a signal ends applyd and not the rules', async () => {
  const applyd = start({ PORTCULLIS_SERVICE_UID: '65534', PORTCULLIS_SERVICE_GID: '65533' })
  await until('it is ready', isReady)
  const socket = statSync(join(bench.stateDir, 'run', 'applyd.sock'))
  const run = statSync(join(bench.stateDir, 'run'))
  assert.deepEqual([socket.mode & 0o777, socket.uid, socket.gid], [0o600, 65534, 65533])
  assert.deepEqual([run.mode & 0o777, run.uid, run.gid], [0o751, 0, 65533])
  assert.equal(statSync(join(bench.stateDir, 'applyd')).mode & 0o777, 0o700)
  assert.match(bench.kernel(), /portcullis_boot/)
  client = new ApplydClient(join(bench.stateDir, 'run', 'applyd.sock'))
  const applying = client.apply(planOf(1, nft(piecesOf('a'))))
  await client.checkpoint(1, 'a'.repeat(64), true)
  assert.deepEqual(await applying, { status: 'applied', changed: ['nft inet portcullis'] })
  assert.equal((await client.observe()).tables[0]?.asLoaded, true)
  assert.equal((await client.checkpoints())[0]?.authentic, true)
  applyd.kill('SIGTERM')
  assert.deepEqual(await once(applyd, 'exit'), [0, null])
  assert.match(bench.kernel(), /firewall\.a/)
  for (const line of lines) assert.ok(JSON.parse(line).time)
})

test('the running verb is finished and answered before a signal ends applyd', async () => {
  const applyd = start({})
  await until('it is ready', isReady)
  client = new ApplydClient(join(bench.stateDir, 'run', 'applyd.sock'))
  await client.observe()
  const applying = client.apply(planOf(1, nft([...piecesOf('a'), set('s', addresses(3000))])))
  await until('the verb runs', () => bench.record('intent.json') !== null)
  applyd.kill('SIGINT')
  assert.equal((await applying).status, 'applied')
  assert.deepEqual(await once(applyd, 'exit'), [0, null])
})
const addresses = (count: number) => Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}`)

test('a second applyd on the same state does not start', async () => {
  start({})
  await until('it is ready', isReady)
  const first = child
  const second = start({})
  assert.deepEqual(await once(second, 'exit'), [1, null])
  await until('it says why', () =>
    lines.some((line) => /Another applyd \(process \d+\) is using this state folder/.test(line)),
  )
  first?.kill('SIGKILL')
})

const refused: Record<string, Record<string, string>> = {
  'a relative state directory': { PORTCULLIS_STATE: 'state' },
  'no state directory': { PORTCULLIS_STATE: '' },
  'an unknown data plane': { PORTCULLIS_DATAPLANE: 'everywhere' },
  'a user that is not a number': { PORTCULLIS_SERVICE_UID: 'nobody' },
}
for (const [what, env] of Object.entries(refused)) {
  test(`${what} is refused at the start`, async () => {
    assert.deepEqual(await once(start(env), 'exit'), [1, null])
    assert.equal(bench.kernel(), '')
  })
}

test('a directory of records that belongs to another user is refused', async () => {
  mkdirSync(join(bench.stateDir, 'applyd'), { recursive: true })
  chownSync(join(bench.stateDir, 'applyd'), 65534, 65534)
  assert.deepEqual(await once(start({}), 'exit'), [1, null])
})
