// A gateway that leaves a machine leaves it as it was: the real applyd takes a namespace over, ends, and the program of the package
// is run after it. What the kernel shows before and after is compared as a whole.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { compileCache, ourRuntime } from '../../../test/support/started.ts'
import { until } from '../../../test/support/until.ts'
import type { Artifact, LinkPlan } from '../../core/plan/artifacts.ts'
import { planLink } from '../../core/plan/link.ts'
import { ApplydClient } from '../../gatewayd/apply/client.ts'
import { Bench, nft, piecesOf, planOf } from '../stand-ins/harness.ts'

const settings: Artifact = {
  kind: 'network',
  name: 'settings',
  settings: [
    { name: 'net.ipv4.ip_forward', value: '1' },
    { name: 'net.ipv4.conf.all.rp_filter', value: '2' },
    { name: 'net.ipv4.conf.all.accept_redirects', value: '0' },
    { name: 'net.ipv4.conf.*.send_redirects', value: '0' },
    { name: 'net.ipv6.conf.*.accept_redirects', value: '0' },
    { name: 'net.netfilter.nf_conntrack_acct', value: '1' },
    { name: 'net.netfilter.nf_conntrack_max', value: '4194304' },
  ],
}
const link = (device: string, more: Partial<LinkPlan>): LinkPlan =>
  planLink(`network.connections[${device}]`, device, more)
const links = (via: string): Artifact => ({
  kind: 'network',
  name: 'links',
  links: [
    link('wan0', { addresses: ['203.0.113.2/24'], routes: [{ to: 'default', via, metric: 100 }] }),
    link('lan0', { addresses: ['10.10.0.1/24'], mirrors: [] }),
  ],
})
const ways: readonly Artifact[] = [
  { kind: 'way', name: 'interception', entries: [] },
  { kind: 'way', name: 'inspection', entries: [{ number: 1, isFailOpen: false, isReady: false }] },
]

describe('leaving a machine', () => {
  let bench: Bench
  let applyd: ChildProcess | null = null
  let client: ApplydClient | null = null
  beforeEach(() => {
    bench = new Bench()
    inside('ip', 'link', 'add', 'wan0', 'type', 'veth', 'peer', 'name', 'lan0')
    for (const device of ['lo', 'wan0', 'lan0']) inside('ip', 'link', 'set', device, 'up')
    inside('ip', 'addr', 'add', '203.0.113.2/24', 'brd', '+', 'dev', 'wan0')
    inside('ip', 'addr', 'add', '10.10.0.1/24', 'brd', '+', 'dev', 'lan0')
    inside('ip', 'route', 'add', 'default', 'via', '203.0.113.1', 'dev', 'wan0', 'proto', 'static')
    inside('nft', 'add table inet other; add chain inet other c { type filter hook forward priority 7; }')
    inside('ip', 'rule', 'add', 'pref', '99', 'lookup', 'main')
  })
  afterEach(() => {
    client?.close()
    applyd?.kill('SIGKILL')
    bench.remove()
  })

  const run = (...words: string[]) =>
    spawnSync('/usr/sbin/ip', ['netns', 'exec', bench.namespace, ...words], { encoding: 'utf8' })
  function inside(...words: string[]): string {
    const { status, stdout, stderr } = run(...words)
    assert.equal(status, 0, `${words.join(' ')}: ${stderr}`)
    return stdout
  }

  /** Settings that change by themselves say nothing. */
  const kernel = (): string =>
    [
      inside('nft', 'list', 'ruleset'),
      inside('ip', 'rule'),
      inside('ip', '-4', 'route', 'show', 'table', 'all'),
      inside('ip', '-4', 'addr'),
      inside('tc', 'qdisc'),
      run('sysctl', '-a', '-r', '^net\\.')
        .stdout.split('\n')
        .filter((line) => !/nf_conntrack_count|\.flush|sysctl:/.test(line))
        .join('\n'),
    ].join('\n---\n')

  /** What a namespace shows of connections depends on whether any rule has tracked one; then it stays. */
  const warmUp = (): void => {
    inside('nft', 'add table inet warm; add chain inet warm c; add rule inet warm c ct state established accept')
    inside('nft', 'delete table inet warm')
  }

  async function takeOver(...artifacts: readonly Artifact[]): Promise<void> {
    const main = join(import.meta.dirname, '..', 'main.ts')
    const child = spawn('/usr/sbin/ip', ['netns', 'exec', bench.namespace, ...ourRuntime, main], {
      env: { PATH: '/usr/bin:/bin', PORTCULLIS_STATE: bench.stateDir, PORTCULLIS_DATAPLANE: 'host', ...compileCache },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    applyd = child
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await until('applyd is ready', () => said.includes('applyd is ready'))
    assert.match(inside('nft', 'list', 'tables'), /portcullis_boot/)
    assert.equal(inside('sysctl', '-n', 'net.ipv4.ip_forward'), '0\n', 'nothing is forwarded by the rules of the boot')
    client = new ApplydClient(join(bench.stateDir, 'run', 'applyd.sock'))
    const outcome = await client.apply(planOf(1, nft(piecesOf('a')), ...artifacts))
    assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
  }

  async function stop(): Promise<void> {
    applyd?.kill('SIGINT')
    await once(applyd as ChildProcess, 'exit')
  }

  /** Not every kernel can make a device of the kinds of a plan, so one is recorded that the test made. */
  function recordMade(...made: readonly string[]): void {
    const path = join(bench.stateDir, 'applyd', 'network.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), made }))
  }

  const leave = () => {
    const program = join(import.meta.dirname, 'leave.ts')
    const { status, stdout, stderr } = run('env', `PORTCULLIS_STATE=${bench.stateDir}`, ...ourRuntime, program)
    assert.equal(stderr, '')
    return { status, lines: stdout.trimEnd().split('\n') }
  }

  it('restores rules, routing, routes, devices and settings, says so, and can be run again', async () => {
    warmUp()
    const before = kernel()
    await takeOver(links('203.0.113.1'), ...ways, settings)
    assert.equal(inside('sysctl', '-n', 'net.ipv4.ip_forward'), '1\n')
    assert.match(inside('ip', 'route'), /^default via 203\.0\.113\.1 dev wan0 proto 77 metric 100/m)
    const observed = (await client?.observe())?.settings ?? []
    assert.deepEqual(observed.map(({ name, state, before: earlier }) => [name, state, earlier]).slice(0, 2), [
      ['net.ipv4.ip_forward', 'set', '0'],
      ['net.ipv4.conf.all.rp_filter', 'set', '0'],
    ])
    // The number of connections belongs to the whole machine, and no namespace but the first may write it.
    const limit = observed.find(({ name }) => name === 'net.netfilter.nf_conntrack_max')
    assert.equal(limit?.state, 'refused')
    assert.match(limit?.message ?? '', /^The kernel does not let the gateway write .*nf_conntrack_max: .*denied\.$/)
    await stop()
    assert.match(inside('nft', 'list', 'ruleset'), /table inet portcullis /, 'a stop leaves the rules')
    assert.equal(inside('sysctl', '-n', 'net.ipv4.ip_forward'), '1\n', 'and the settings')
    inside('ip', 'link', 'add', 'lb0', 'type', 'veth', 'peer', 'name', 'lb1')
    recordMade('lb0')
    const { status, lines } = leave()
    assert.equal(kernel(), before)
    assert.equal(status, 0)
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/\d+ settings/g, 'N settings')),
      [
        'N settings of the kernel are what they had been.',
        'The routing to the web proxy is removed.',
        'The way to the inspection engine is removed.',
        'The device lb0, which the gateway had made, is removed.',
        'The route to default by 203.0.113.1 stays as it had been.',
        'The rules of the gateway are removed (inet portcullis).',
      ],
    )
    assert.deepEqual(leave(), { status: 0, lines: ['Nothing of the gateway was in the kernel.'] })
  })

  it('keeps the way to the internet when the gateway had another one than the machine', async () => {
    await takeOver(links('203.0.113.9'))
    await stop()
    assert.equal(leave().status, 0)
    assert.match(inside('ip', 'route'), /^default via 203\.0\.113\.9 dev wan0 metric 100 $/m)
    assert.doesNotMatch(inside('ip', 'route'), /proto 77/)
    assert.match(inside('ip', 'addr', 'show', 'lan0'), /10\.10\.0\.1\/24/)
  })

  it('does nothing while the gateway runs', async () => {
    await takeOver(settings)
    const { status, lines } = leave()
    assert.equal(status, 1)
    assert.match(lines.join(), /^The gateway still runs \(applyd is process \d+\)\. Stop it first\.$/)
    assert.equal(inside('sysctl', '-n', 'net.ipv4.ip_forward'), '1\n')
  })

  it('goes on after a step that fails, and says so', async () => {
    await takeOver(links('203.0.113.1'), settings)
    await stop()
    rmSync(join(bench.stateDir, 'applyd', 'settings.json'))
    // The kernel does not let this device go.
    inside('ip', 'link', 'add', 'lb0', 'type', 'veth', 'peer', 'name', 'lb1')
    recordMade('lo', 'lb0')
    const { status, lines } = leave()
    assert.equal(status, 1)
    assert.match(lines.join('\n'), /^The device lo could not be removed: .*$/m)
    assert.match(lines.join('\n'), /^The device lb0, which the gateway had made, is removed\.$/m)
    assert.doesNotMatch(inside('nft', 'list', 'tables'), /portcullis/)
  })
})
