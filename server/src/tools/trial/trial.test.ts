// The trial tool as applyd starts it, in a namespace that stands for the gateway.

import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { unlessComplete } from '../../../test/support/requires.ts'
import { until } from '../../../test/support/until.ts'
import type { TrialPacket } from '../../core/plan/artifacts.ts'
import type { DetailedResult } from './input.ts'
import { makeNamespace, type Namespace, run } from './programs.ts'

const tool = join(import.meta.dirname, 'main.ts')
const canMake = spawnSync('/usr/bin/unshare', ['--net', '--', '/usr/sbin/nft', 'list', 'tables']).status === 0
const canMakeAsUser =
  spawnSync('/usr/bin/unshare', ['--user', '--map-root-user', '--net', '--', '/usr/sbin/nft', 'list', 'tables'])
    .status === 0

const network = `link set lo up
link add lan0 type veth peer name cable0
link add wan0 type veth peer name cable1
link add spare0 type veth peer name cable2
address add 10.10.0.1/24 dev lan0
address add 203.0.113.2/24 dev wan0
address add 10.30.0.1/24 dev spare0
link set cable0 up
link set cable1 up
link set lan0 up
link set wan0 up
route add default via 203.0.113.1
route add 10.20.0.0/16 via 10.10.0.9
route add blackhole 192.0.2.0/24
`

const ruleset = (more: readonly string[] = []): string => `table inet portcullis {
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    ip daddr 203.0.113.2 tcp dport 8080 counter dnat ip to 10.10.0.7:80 comment "firewall.dnat[1]"
  }
  chain input {
    type filter hook input priority filter; policy accept;
    tcp dport 22 counter drop comment "firewall.input[1]"
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
    ct state established,related counter accept comment "fwd.sys.established"
    ip daddr 1.2.3.4 counter comment "firewall.log[1]"
    iifname "lan0" ip daddr 1.2.3.4 counter drop comment "firewall.forward[3]"
    ${more.join('\n    ')}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "wan0" ip saddr 10.0.0.0/8 counter masquerade comment "firewall.settings.automatic_snat_enabled"
  }
}
`

const packet = (fields: Partial<TrialPacket>): TrialPacket => ({
  device: 'lan0',
  protocol: 'tcp',
  source: '10.10.0.2',
  sourcePort: 50_000,
  destination: '198.51.100.10',
  destinationPort: 443,
  ...fields,
})

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** What only waits to be collected is gone. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))

const snat = 'firewall.settings.automatic_snat_enabled'

describe('a trial', {
  skip: canMake ? false : unlessComplete('network namespaces and nft need root'),
  concurrency: false,
}, () => {
  let gateway: Namespace
  before(async () => {
    gateway = await makeNamespace(['/usr/bin/cat'], 'ready\n')
    await run([...gateway.enter, '/sbin/ip', '-batch', '-'], network)
  })
  after(() => gateway.holder.kill('SIGKILL'))

  const begin = (enter: readonly string[], input: string): ChildProcessWithoutNullStreams => {
    const [program = '', ...args] = [...enter, process.execPath, tool]
    const child = spawn(program, args)
    child.stdin.end(input)
    return child
  }
  const finish = async (child: ChildProcessWithoutNullStreams) => {
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await closed, out, err }
  }
  const trial = async (packets: readonly TrialPacket[], script = ruleset()): Promise<readonly DetailedResult[]> => {
    const { code, out, err } = await finish(begin(gateway.enter, JSON.stringify({ script, packets })))
    assert.equal(code, 0, err)
    return JSON.parse(out) as readonly DetailedResult[]
  }

  it('reports what passed, by which rules and how it was translated', async () => {
    const results = await trial([
      packet({ protocol: 'udp', destination: '1.2.3.4', destinationPort: 53 }),
      packet({}),
      packet({ protocol: 'udp', destination: '10.10.0.1', destinationPort: 5353 }),
      packet({ destination: '10.10.0.1', destinationPort: 22 }),
      packet({ device: 'wan0', source: '198.51.100.7', destination: '203.0.113.2', destinationPort: 8080 }),
      packet({ device: 'wan0', source: '198.51.100.7', destination: '1.2.3.4' }),
    ])
    const to = { destination: '198.51.100.10', destinationPort: 443 }
    const from = { source: '198.51.100.7', sourcePort: 50_000 }
    assert.deepEqual(results, [
      { passed: false, origins: ['firewall.log[1]', 'firewall.forward[3]'], arrival: null },
      {
        passed: true,
        origins: [snat],
        arrival: { device: 'wan0', source: '203.0.113.2', sourcePort: 50_000, ...to },
      },
      {
        passed: true,
        origins: [],
        arrival: {
          device: null,
          source: '10.10.0.2',
          sourcePort: 50_000,
          destination: '10.10.0.1',
          destinationPort: 5353,
        },
      },
      { passed: false, origins: ['firewall.input[1]'], arrival: null },
      {
        passed: true,
        origins: ['firewall.dnat[1]'],
        arrival: { device: 'lan0', ...from, destination: '10.10.0.7', destinationPort: 80 },
      },
      {
        passed: true,
        origins: ['firewall.log[1]'],
        arrival: { device: 'wan0', ...from, destination: '1.2.3.4', destinationPort: 443 },
      },
    ])
  })

  it('follows the routes of the gateway and its devices that are down', async () => {
    const [known, blackhole, deleted, down, martian] = await trial([
      packet({ device: 'wan0', source: '198.51.100.7', destination: '10.20.1.1' }),
      packet({ destination: '192.0.2.9' }),
      packet({ device: 'gone0' }),
      packet({ destination: '10.30.0.5' }),
      packet({ source: '127.0.0.1' }),
    ])
    assert.equal(known?.arrival?.device, 'lan0')
    assert.deepEqual(blackhole, { passed: false, origins: [], arrival: null })
    assert.deepEqual(deleted, { passed: false, origins: [], arrival: null })
    assert.equal(down?.arrival?.device, 'wan0')
    assert.deepEqual(martian, { passed: false, origins: [], arrival: null })
  })

  it('keeps packets apart that would belong to one connection', async () => {
    const answer = { device: 'wan0', source: '198.51.100.10', sourcePort: 443 } as const
    const results = await trial([
      packet({ protocol: 'udp' }),
      packet({ protocol: 'udp' }),
      packet({ ...answer, protocol: 'udp', destination: '10.10.0.2', destinationPort: 50_000 }),
      packet({ ...answer, protocol: 'udp', destination: '203.0.113.2', destinationPort: 50_000 }),
    ])
    assert.deepEqual(
      results.map(({ origins }) => origins),
      [[snat], [snat], [], []],
    )
  })

  it('of 300 packets through 10,000 rules is right about each', async () => {
    const rules = Array.from(
      { length: 10_000 },
      (_, n) => `ip daddr 11.${n >> 8}.${n & 255}.0/24 counter drop comment "firewall.forward[${n + 100}]"`,
    )
    const numbers = Array.from({ length: 300 }, (_, n) => n * 40)
    const results = await trial(
      numbers.map((n) => packet({ destination: `11.${n >> 8}.${n & 255}.7` })),
      ruleset(rules),
    )
    assert.deepEqual(
      results.map(({ origins }) => origins),
      numbers.map((n) => [n < 10_000 ? `firewall.forward[${n + 100}]` : snat]),
    )
  })

  it('that cannot be made says why in one line', async () => {
    const faults = await Promise.all(
      ['{', JSON.stringify({ script: 'no rules', packets: [] })].map((input) => finish(begin(gateway.enter, input))),
    )
    for (const { code, out, err } of faults) {
      assert.equal(code, 1)
      assert.equal(out, '')
      assert.match(err, /^\S[^\n]+\n$/)
    }
    assert.match(faults[1]?.err ?? '', /syntax error/)
  })

  it('leaves nothing running when it is killed', async () => {
    const child = begin(gateway.enter, JSON.stringify({ script: ruleset(), packets: [packet({})] }))
    const closed = finish(child)
    await until('it has its two namespaces', () => childrenOf(child.pid ?? 0).length >= 2)
    const holders = childrenOf(child.pid ?? 0)
    child.kill('SIGKILL')
    await closed
    await until('they are gone', () => holders.every((pid) => !isRunning(pid)))
  })

  const skip = canMakeAsUser ? false : 'user namespaces are not allowed here'
  it('works as root of a user namespace', { skip }, async () => {
    const holder = spawn('/usr/bin/unshare', ['--user', '--map-root-user', '--net', '--', '/usr/bin/cat'])
    try {
      holder.stdin.write('ready\n')
      await new Promise((resolve) => holder.stdout.once('data', resolve))
      const enter = ['/usr/bin/nsenter', `--target=${holder.pid}`, '--user', '--preserve-credentials', '--net', '--']
      await run([...enter, '/sbin/ip', '-batch', '-'], network)
      const input = JSON.stringify({ script: ruleset(), packets: [packet({})] })
      const { code, out, err } = await finish(begin(enter, input))
      assert.equal(code, 0, err)
      assert.deepEqual((JSON.parse(out) as readonly DetailedResult[])[0]?.origins, [snat])
    } finally {
      holder.kill('SIGKILL')
    }
  })
})
