// What `block` and `pass` mean, with the real engine under the real applyd in a namespace: while it is stopped, hangs or is too slow, an attack never
// passes in a channel that blocks, and ordinary packets pass in one that may. What it does without memory is read from its own words.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { unlessComplete } from '../../../../test/support/requires.ts'
import { compileCache, ourRuntime } from '../../../../test/support/started.ts'
import { until } from '../../../../test/support/until.ts'
import { Bench, chain, file, nft, planOf, unit } from '../../../applyd/stand-ins/harness.ts'
import { ApplydClient } from '../../../gatewayd/apply/client.ts'
import { inspectionPaths } from '../index.ts'
import { leadToInspection, queuesIn } from '../observed.ts'
import { suricataSettings } from '../suricata-yaml.ts'
import { fixedSettings } from './settings.ts'

const service = { uid: 70_032, gid: 70_032 }
const programs = ['/usr/bin/suricata', '/usr/sbin/iptables-nft-restore']
const skip =
  process.getuid?.() === 0 && programs.every((path) => existsSync(path))
    ? false
    : unlessComplete('only root can run the engine in a namespace, and its programs must be there')
const execute = promisify(execFile)

/** Connections to port 5000 + N are of channel N, and a flood to port 6000 + N is too. */
const marks = chain(
  'output',
  [1, 2].map((number) => `udp dport { ${5000 + number}, ${6000 + number} } ct mark set ${number * 256}`),
  'type filter hook output priority filter; policy accept;',
)
const [open, closed] = [1, 2]
/** As those of the gateway: what a signature looks for is only found in a connection that the engine knows. */
const rules = [
  'alert udp any any -> any any (msg:"known"; flowbits:set,x; noalert; sid:1;)',
  'drop udp any any -> any any (msg:"EVIL"; flowbits:isset,x; content:"EVIL"; sid:2;)',
  '',
].join('\n')

/** Datagrams to a port, each from another one, as fast as they go, for at most a minute. */
const flood = `use Socket; my $to = sockaddr_in($ARGV[0], inet_aton('127.0.0.1')); my $end = time + 60;
for (my $n = 0; time < $end && $n < $ARGV[1]; $n++) { socket(my $s, PF_INET, SOCK_DGRAM, 0) or next; send($s, 'flood', 0, $to); close $s }`
/** Lets a process run for a small part of the time, for at most a minute. */
const slowing = `my $end = time + 60; while (time < $end && kill(STOP => $ARGV[0])) { select(undef, undef, undef, 0.3); kill CONT => $ARGV[0]; select(undef, undef, undef, 0.03) }`

describe('an engine that fails', { skip }, () => {
  const bench = new Bench()
  const { stateDir } = bench
  let applyd: ChildProcess
  let client: ApplydClient
  let revision = 0
  const started: ChildProcess[] = []
  const datagram = join(import.meta.dirname, '..', '..', '..', 'applyd', 'stand-ins', 'datagram.pl')
  const inside = ['netns', 'exec', bench.namespace]
  const send = async (channel: number, text: string, seconds = '1'): Promise<string> => {
    const args = [...inside, '/usr/bin/perl', datagram, '127.0.0.1', String(5000 + channel), text, seconds]
    return (await execute('/usr/sbin/ip', args)).stdout.trim()
  }
  const perl = (script: string, ...args: string[]): ChildProcess => {
    const child = spawn('/usr/sbin/ip', [...inside, '/usr/bin/perl', '-e', script, ...args], { stdio: 'ignore' })
    started.push(child)
    return child
  }
  const apply = async (isBlocking: boolean): Promise<void> => {
    revision += 1
    const name = createHash('sha256').update(rules).digest('hex')
    const path = join(stateDir, inspectionPaths.compiled, `${name}.rules`)
    writeFileSync(path, rules)
    chmodSync(path, 0o644)
    const channels = [
      { number: open, isFailOpen: true, isReady: true },
      { number: closed, isFailOpen: false, isReady: true },
    ]
    const inspection = leadToInspection(channels)
    const settings = file('suricata.yaml', suricataSettings({ homeNetworks: [], isBlocking }))
    const named = file('inspection-rules.json', `{"rules":"${name}"}\n`)
    const outcome = await client.apply(planOf(revision, nft([marks]), inspection, settings, named, unit('inspection')))
    assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
    await works()
  }
  const state = async () => (await client.observe()).units.find(({ name }) => name === 'inspection') ?? assert.fail()
  const queues = async () => queuesIn(await client.observe()) ?? assert.fail()
  /** It runs, holds its queues, and does in both channels what it should. */
  const works = () =>
    until('the engine works', async () => {
      if ((await state()).state !== 'active' || (await queues()).heldSince === null) return false
      if ((await queues()).isOverrun) return false
      const found = async (channel: number) => `${await send(channel, 'plain')} ${await send(channel, 'EVIL')}`
      return (await Promise.all([open, closed].map(found))).every((both) => both === 'arrived lost')
    })
  const pidOf = async () => (await state()).pid ?? assert.fail()
  /** Attacks, one after the other, in the channel that blocks. */
  const attacks = async (count = 10): Promise<void> => {
    for (let round = 0; round < count; round++) assert.equal(await send(closed, 'EVIL', '0.2'), 'lost')
  }

  before(async () => {
    spawnSync('/usr/sbin/ip', ['-n', bench.namespace, 'link', 'set', 'lo', 'up'])
    const env = {
      PORTCULLIS_STATE: stateDir,
      PORTCULLIS_DATAPLANE: 'lab',
      PORTCULLIS_ACCOUNT_BLOCK: String(service.uid),
      PORTCULLIS_SERVICE_UID: String(service.uid),
      PORTCULLIS_SERVICE_GID: String(service.gid),
      ...compileCache,
    }
    mkdirSync(stateDir, { recursive: true })
    spawnSync('/usr/bin/chmod', ['711', bench.root, stateDir])
    const main = join(import.meta.dirname, '..', '..', '..', 'applyd', 'main.ts')
    applyd = spawn('/usr/sbin/ip', [...inside, ...ourRuntime, main], { env, stdio: 'ignore' })
    client = new ApplydClient(join(stateDir, 'run', 'applyd.sock'), { connectMs: 60_000 })
    await client.observe()
    await apply(true)
  })
  after(async () => {
    for (const child of started) child.kill('SIGKILL')
    client.close()
    applyd.kill('SIGINT')
    await once(applyd, 'exit')
    bench.remove()
  })

  it('stopped: blocks and passes, and counts what passed', async () => {
    const { passed } = await queues()
    const first = await pidOf()
    await Promise.all([
      attacks(),
      // It comes back at once, and later each time.
      until('packets pass', async () => {
        const { pid } = await state()
        if (pid !== null) process.kill(pid, 'SIGKILL')
        await send(open, 'plain', '0.2')
        return (await queues()).passed > passed
      }),
    ])
    await works()
    assert.notEqual(await pidOf(), first)
  })

  it('hung: blocks, and passes as soon as it is ended', async () => {
    const pid = await pidOf()
    process.kill(pid, 'SIGSTOP')
    await attacks()
    // There is none for a moment, longer each time.
    await until('another process', async () => ![null, pid].includes((await state()).pid))
    await works()
  })

  it('too slow: loses what it cannot inspect where it blocks, and counts it', async () => {
    const before = (await queues()).lost.closed
    const slowed = perl(slowing, String(await pidOf()))
    const flooding = perl(flood, String(6000 + closed), '3000000')
    await until('packets are lost', async () => (await queues()).lost.closed > before)
    await attacks(30)
    assert.equal((await queues()).isOverrun, false, 'the other channels have queues of their own')
    for (const child of [flooding, slowed]) child.kill('SIGKILL')
    process.kill(await pidOf(), 'SIGCONT')
    await works()
  })

  it('too slow: lets pass what may pass, counts it, and inspects again', async () => {
    const { passed } = await queues()
    const slowed = perl(slowing, String(await pidOf()))
    const flooding = perl(flood, String(6000 + open), '3000000')
    await until('it is overrun', async () => (await queues()).isOverrun)
    assert.equal(await send(open, 'plain', '5'), 'arrived')
    await attacks()
    await until('what passed is counted', async () => (await queues()).passed > passed + 100)
    for (const child of [flooding, slowed]) child.kill('SIGKILL')
    process.kill(await pidOf(), 'SIGCONT')
    await works()
  })
})

describe('an engine without memory', { skip }, () => {
  const bench = new Bench()
  after(() => bench.remove())

  /** What a real engine on a queue says that it does where it has no memory, by the name of the setting. */
  async function policies(isBlocking: boolean): Promise<ReadonlyMap<string, string>> {
    const { root } = bench
    const places = { work: root, rulesFile: join(root, 'x.rules'), captures: root, commandSocket: join(root, 'x.sock') }
    bench.write('x.rules', rules)
    const settings = bench.write('x.yaml', suricataSettings({ homeNetworks: [], isBlocking }) + fixedSettings(places))
    const args = [
      'netns',
      'exec',
      bench.namespace,
      programs[0] ?? '',
      '-vvvv',
      '-c',
      settings,
      '-q',
      '7000',
      '-l',
      root,
    ]
    const engine = spawn('/usr/sbin/ip', args, { stdio: ['ignore', 'pipe', 'pipe', 'ignore'] })
    let said = ''
    for (const stream of [engine.stdout, engine.stderr])
      stream?.on('data', (bytes: Buffer) => {
        said += bytes.toString()
      })
    const exit = once(engine, 'exit')
    await until('it said what it does', () => /stream\.reassembly\.memcap-policy: /.test(said))
    engine.kill('SIGKILL')
    await exit
    return new Map(
      [...said.matchAll(/exception-policy: ([a-z.-]+-policy): ([a-z-]+)/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
  }
  const ofMemory = ['defrag', 'flow', 'stream', 'stream.reassembly'].map((name) => `${name}.memcap-policy`)

  for (const [isBlocking, policy] of [
    [true, 'drop-packet'],
    [false, 'ignore'],
  ] as const)
    it(`does ${policy} where ${isBlocking ? 'a profile' : 'none'} blocks, and never for what it cannot parse`, async () => {
      const found = await policies(isBlocking)
      assert.deepEqual(
        ofMemory.map((name) => found.get(name)),
        ofMemory.map(() => policy),
      )
      assert.equal(found.get('app-layer.error-policy'), 'ignore')
    })
})
