// The launcher for real: namespaces, mounts, accounts and signals, with stand-ins for gatewayd and applyd.

import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { expectRefusal, type LabGateway, type StartOptions, startGateway } from '../../../test/support/lab-gateway.ts'
import { unlessComplete } from '../../../test/support/requires.ts'
import { patienceMs, until } from '../../../test/support/until.ts'
import { webAddress } from '../lab/network.ts'
import { readLabStatus } from './enter-lab.ts'
import { readAbilities } from './planes.ts'
import { makeCheckout } from './stand-ins/checkout.ts'
import { runTool } from './tools.ts'

interface SelfDescription {
  readonly pid: number
  readonly uid: number
  readonly capabilities: readonly string[]
  readonly noNewPrivileges: string
  readonly environment: Readonly<Record<string, string>>
  /** What came through the descriptor for it. */
  readonly password: string
  readonly script: string
}

const noPowers = ['0000000000000000', '0000000000000000', '0000000000000000']
const nobody = 65534

describe('the launcher', { skip: reasonToSkip(), concurrency: 2 }, () => {
  let folder = ''
  let app = ''
  const start = (options: StartOptions = {}): Promise<LabGateway> => startGateway({ app, ...options })

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-checkout-'))
    chmodSync(folder, 0o755)
    app = makeCheckout(join(folder, 'app'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('two labs are side by side and the host sees neither', async () => {
    const starts = [start(), start()] as const
    await using first = await starts[0]
    await using second = await starts[1]
    assert.notEqual(first.address, second.address)
    for (const lab of [first, second]) {
      const reply = await lab.exec('client', ['curl', '-sS', `http://${webAddress}/hello`])
      assert.equal(reply.code, 0, reply.stderr)
      const { client, path } = JSON.parse(reply.stdout) as { client: string; path: string }
      assert.deepEqual([client, path], ['10.10.0.2', '/hello'])
    }
    assert.doesNotMatch(runTool('ip', ['netns', 'list']), /^(client|gateway|internet)\b/m)
    await Promise.all([first.stop(), second.stop()])
  })

  test('gatewayd runs without rights and knows only what it must', async () => {
    await using lab = await start({
      adminPassword: 'correct horse',
      env: { HOME: '/somewhere', PORTCULLIS_BRAND: 'acme', PORTCULLIS_AGENT_LISTEN: '127.0.0.1:14766' },
    })
    const self = await describeGatewayd(lab)
    const { uid, capabilities, noNewPrivileges, environment, script } = self
    assert.deepEqual({ capabilities, noNewPrivileges }, { capabilities: noPowers, noNewPrivileges: '1' })
    assert.notEqual(uid, 0)
    assert.equal(script, join(app, 'server/src/gatewayd/main.ts'))
    assert.deepEqual(Object.keys(environment).sort(), [
      'LANG',
      'MALLOC_ARENA_MAX',
      'MALLOC_MMAP_THRESHOLD_',
      'MALLOC_TRIM_THRESHOLD_',
      'NODE_COMPILE_CACHE',
      'PATH',
      'PORTCULLIS_ADMIN_PASSWORD_FD',
      'PORTCULLIS_AGENT_LISTEN',
      'PORTCULLIS_BRAND',
      'PORTCULLIS_DATAPLANE',
      'PORTCULLIS_LISTEN',
      'PORTCULLIS_LISTEN_FD',
      'PORTCULLIS_NOTIFY_FD',
      'PORTCULLIS_STATE',
    ])
    const modes = (name: string) => (statSync(join(lab.stateDir, name)).mode & 0o777).toString(8)
    assert.deepEqual(['', 'gateway', 'backups', 'applyd', 'run', 'log'].map(modes), [
      '711',
      '700',
      '700',
      '700',
      '751',
      '750',
    ])
    assert.equal(statSync(join(lab.stateDir, 'gateway/mark')).uid, uid)
    await lab.stop()
  })

  test('a killed gatewayd comes back on the same socket and is not told the password again', async () => {
    await using lab = await start({ adminPassword: 'correct horse' })
    const before = await describeGatewayd(lab)
    process.kill(lab.pids().gatewayd, 'SIGKILL')
    // Sent while no one serves: the socket stays open, so the request waits and is answered.
    const after = await describeGatewayd(lab)
    assert.notEqual(after.pid, before.pid)
    assert.deepEqual([before.password, after.password], ['correct horse', ''])
    assert.match(lab.logs()['launcher.log'] ?? '', /gatewayd ended \(SIGKILL\)/)
    await lab.stop()
  })

  test('a killed applyd comes back, traffic goes on, and orphans of it are collected', async () => {
    await using lab = await start()
    await lab.killApplyd()
    const reply = await lab.exec('client', ['curl', '-sS', 'http://198.51.100.10/'])
    assert.equal(reply.code, 0, reply.stderr)
    // Two stand-ins have left an orphan each by now; processes that ended are gone from the table, too.
    const processes = async () => (await lab.exec('gateway', ['ps', '-eo', 'stat,args'])).stdout
    await until('no process is a zombie', async () => !/^Z/m.test(await processes()))
    await lab.stop()
  })

  test('as long as applyd has no rules loaded nothing is forwarded', async () => {
    const broken = makeCheckout(join(folder, 'broken'))
    writeFileSync(join(broken, 'server/src/applyd/main.ts'), 'process.exit(3)')
    await using lab = await start({ app: broken })
    assert.match(lab.output, /^applyd ended before it was ready \(exit code 3\) and is tried again; see .*\/log\.$/m)
    const { stdout } = await lab.exec('gateway', ['cat', '/proc/sys/net/ipv4/ip_forward'])
    assert.equal(stdout, '0\n')
    const status = await readLabStatus(lab.stateDir)
    assert.equal(status?.processes.applyd?.ready, false)
    await lab.stop()
  })

  test('the status of the lab names interfaces, servers and processes', async () => {
    await using lab = await start()
    const status = await readLabStatus(lab.stateDir)
    const gateway = status?.namespaces.find(({ name }) => name === 'gateway')
    assert.deepEqual(
      gateway?.interfaces.map(({ name, mac, up, addresses }) => [name, mac, up, addresses[0]]),
      [
        ['lo', '00:00:00:00:00:00', true, '127.0.0.1/8'],
        ['lan0', '02:00:0a:0a:00:01', true, '10.10.0.1/24'],
        ['wan0', '02:00:cb:00:71:02', true, '203.0.113.2/24'],
        ['opt0', '02:00:c6:12:00:02', false, undefined],
      ],
    )
    assert.deepEqual(
      status?.servers.map(({ name, up }) => [name, up]),
      [
        ['web', true],
        ['dns', true],
      ],
    )
    await lab.stop()
    assert.equal(await readLabStatus(lab.stateDir), null)
  })

  test('a second launcher on the same state folder is refused by name', async () => {
    await using lab = await start({ dataplane: 'none' })
    const { code, text } = await expectRefusal({ app, stateDir: lab.stateDir })
    assert.equal(code, 1)
    assert.match(
      text,
      new RegExp(`^Portcullis already runs with the state folder .* \\(process ${lab.pids().launcher}\\)\\.\\n$`),
    )
    await lab.stop()
  })

  test('a launcher killed in either stage leaves nothing but a state folder that can be used again', async () => {
    await using first = await start()
    await first.crash('launcher')
    await using second = await start({ stateDir: first.stateDir })
    await second.crash('inside')
    await using third = await start({ stateDir: first.stateDir })
    await third.stop()
  })

  test('a checkout and a state folder out of reach of the service account work all the same', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const closedApp = makeCheckout(join(closed, 'app'))
    // As a clone under umask 077 would be. The runtime keeps its rights: it is another name of the real one.
    for (const name of ['', 'server', 'server/src', 'node_modules']) chmodSync(join(closedApp, name), 0o700)
    chmodSync(join(closedApp, 'server/src/gatewayd/main.ts'), 0o600)
    await using lab = await start({ app: closedApp, stateDir: join(closed, 'state') })
    const { uid, script, environment } = await describeGatewayd(lab)
    assert.notEqual(uid, 0)
    assert.equal(script, '/run/portcullis/app/server/src/gatewayd/main.ts')
    assert.equal(environment.PORTCULLIS_STATE, '/run/portcullis/state')
    assert.equal(statSync(closed).mode & 0o777, 0o700)
    assert.equal(statSync(closedApp).mode & 0o777, 0o700)
    assert.match(lab.output, new RegExp(`State +${join(closed, 'state')}\\n`))
    await lab.stop()
  })

  test('without a lab everything runs in the network of the host', async () => {
    await using lab = await start({ dataplane: 'none' })
    assert.match(lab.output, /none: everything is checked, nothing is applied/)
    assert.equal((await describeGatewayd(lab)).environment.PORTCULLIS_DATAPLANE, 'none')
    await assert.rejects(async () => lab.exec('client', ['true']), /has no lab/)
    await lab.crash()
  })

  test('an ordinary user gets a lab, too', { skip: rootlessRefusal() }, async () => {
    const home = join(folder, 'home')
    mkdirSync(home)
    chownSync(home, nobody, nobody)
    const wrapper = ['/usr/bin/setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']
    await using lab = await start({ wrapper, stateDir: join(home, 'state') })
    const { capabilities, uid } = await describeGatewayd(lab)
    assert.deepEqual([capabilities, uid], [noPowers, 0])
    const reply = await lab.exec('client', ['curl', '-sS', `http://${webAddress}/`])
    assert.equal(reply.code, 0, reply.stderr)
    await lab.stop()
    await using again = await start({ wrapper, stateDir: lab.stateDir })
    await again.crash()
  })

  test('a bad setting is one sentence and exit code 2', async () => {
    const { code, text } = await expectRefusal({ app, env: { PORTCULLIS_LISTEN: 'everywhere' } })
    assert.equal(code, 2)
    assert.match(text, /^PORTCULLIS_LISTEN must be an address and a port .*\n$/)
  })

  test('an address in use, and a folder that is not ours, are refused in one sentence', async () => {
    await using lab = await start({ dataplane: 'none' })
    const taken = await expectRefusal({ app, env: { PORTCULLIS_LISTEN: new URL(lab.address).host } })
    assert.equal(taken.code, 1)
    assert.match(taken.text, /^Something else already listens on 127\.0\.0\.1:\d+; .*\n$/)
    const foreign = await expectRefusal({ app, stateDir: app })
    assert.match(foreign.text, /contains other files/)
    assert.ok(!readdirSync(app).includes('gateway'))
    await lab.stop()
  })
})

async function describeGatewayd(lab: LabGateway): Promise<SelfDescription> {
  // One connection per request: a kept one would end with the process that is killed.
  const response = await fetch(lab.address, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(patienceMs),
  })
  return (await response.json()) as SelfDescription
}

function reasonToSkip(): string | false {
  if (process.env.PORTCULLIS_SKIP_NETNS === '1') return 'asked to leave out tests with namespaces'
  const { isRoot, missingTools, namespaceRefusal } = readAbilities()
  if (!isRoot) return 'needs root'
  if (missingTools.length > 0) return unlessComplete(`needs ${missingTools.join(', ')}`)
  return namespaceRefusal ?? false
}

function rootlessRefusal(): string | false {
  try {
    const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']
    runTool('setpriv', [
      ...asNobody,
      '/usr/bin/unshare',
      '--user',
      '--map-root-user',
      '--mount',
      '--pid',
      '--fork',
      '--mount-proc',
      '--net',
      '/usr/bin/true',
    ])
    return false
  } catch (error) {
    return `this kernel lets ordinary users make no namespaces (${String(error)})`
  }
}
