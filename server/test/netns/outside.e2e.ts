// What the internet of the lab can reach, over IPv4 and IPv6: nothing by default, and then what a rule accepts, a DNAT rule
// translates or a service is switched on for. And what a rejected connection looks like to the one who tries it.
// Requirement 18.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { client, type FirewallLab, gatewayInside, server, startFirewallLab } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'

const port = 8001
const outside = '203.0.113.1'
const gateway = '203.0.113.2'
/** Over IPv6 the same places. */
const six = {
  client: 'fd00:10::2',
  gatewayInside: 'fd00:10::1',
  gateway: '2001:db8:71::2',
  outside: '2001:db8:71::1',
}
const fromInternet = { from: 'internet', source: outside, port }
const fromInternet6 = { from: 'internet', source: six.outside, port }
const toGateway = [
  { ...fromInternet, destination: gateway },
  { ...fromInternet6, destination: six.gateway },
] as const
const toClient = [
  { ...fromInternet, destination: client },
  { ...fromInternet6, destination: six.client },
] as const
const external = { incoming_interface: 'interface.external_any' }
const agentPort = 14_765
const agentState = '/agent_backend/agent-server/state'

describe('the gateway towards the internet', () => {
  let lab: FirewallLab
  before(async () => {
    lab = await startFirewallLab()
    const add = (namespace: string, device: string, address: string) =>
      ip(namespace, 'address', 'add', `${address}/64`, 'dev', device, 'nodad')
    await add('client', 'lan0', six.client)
    await add('gateway', 'lan0', six.gatewayInside)
    await add('gateway', 'wan0', six.gateway)
    await add('internet', 'gw1', six.outside)
    await ip('client', '-6', 'route', 'add', 'default', 'via', six.gatewayInside)
    await ip('internet', '-6', 'route', 'add', 'fd00:10::/64', 'via', six.gateway)
    await run('gateway', '/usr/sbin/sysctl', '-q', '-w', 'net.ipv6.conf.all.forwarding=1')
    await lab.wire.listen('client', [client, six.client], [port])
    await lab.wire.listen('gateway', [gateway, six.gateway, six.gatewayInside], [port])
    await lab.wire.listen('internet', [six.outside], [port])
    const isKnown = async () => (await explain(six.gateway, six.outside))[1] === 'inp.sys.external'
    await until('the gateway has noticed its new address', isKnown)
  })
  after(() => lab.stop())
  beforeEach(() => lab.clear())

  const run = async (namespace: string, ...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await lab.gateway.exec(namespace, command)
    assert.equal(code, 0, `${command.join(' ')}: ${stderr}`)
    return stdout
  }
  const ip = (namespace: string, ...args: readonly string[]) => run(namespace, '/usr/sbin/ip', ...args)
  const systemHits = async (rule: string): Promise<number> => {
    const counts = (await lab.api.ok('GET', '/firewall/counters/system')) as { rule_id: string; packets: number }[]
    return counts.find(({ rule_id }) => rule_id === rule)?.packets ?? 0
  }
  const explain = async (destination: string, source: string, destination_port = port) => {
    const packet = { protocol: 'tcp', source, destination, destination_port, incoming_interface: 'wan0' }
    const { verdict, outcomes } = await lab.api.ok('POST', '/firewall/explain', { packet })
    return [verdict, outcomes[0].decided_by]
  }

  it('drops new connections from outside to the gateway and to local networks, and counts and explains it', async () => {
    for (const [attempts, rule] of [
      [toGateway, 'inp.sys.external'],
      [toClient, 'fwd.sys.external'],
    ] as const)
      for (const attempt of attempts) {
        const before = await systemHits(rule)
        await lab.wire.isBlocked(attempt)
        await until('the drops are counted', async () => (await systemHits(rule)) >= before + 2)
        assert.deepEqual(await explain(attempt.destination, attempt.source), ['drop', rule])
      }
  })

  it('answers the internet on none of the ports on which it listens', async () => {
    const lines = (await run('gateway', '/usr/bin/ss', '-Hltun')).trim().split('\n')
    const ports = new Set(lines.map((line) => Number(/:(\d+) +\S+:\*/.exec(line)?.[1])))
    assert.ok(ports.has(53) && ports.has(port), `it listens on ${[...ports].join(', ')}`)
    for (const one of ports) await lab.wire.isBlocked({ ...toGateway[0], port: one })
  })

  it('accepts by default what comes from inside, to the gateway and to the internet', async () => {
    await lab.wire.passes({ port })
    await lab.wire.passes({ port, destination: gatewayInside })
    await lab.wire.passes({ port, source: six.client, destination: six.outside })
    await lab.wire.passes({ port, source: six.client, destination: six.gatewayInside })
  })

  it('is found by its neighbours on the external link', async () => {
    for (const namespace of ['gateway', 'internet']) await ip(namespace, '-6', 'neigh', 'flush', 'all')
    await lab.wire.passes({ port, source: six.client, destination: six.outside })
    await ip('internet', '-6', 'neigh', 'flush', 'all')
    const before = await systemHits('inp.sys.link')
    await lab.wire.isBlocked(toGateway[1])
    assert.ok((await systemHits('inp.sys.link')) > before, 'it answered the solicitation of its neighbour')
  })

  it('lets through what an INPUT or a FORWARD rule accepts', async () => {
    await lab.addRule('input', { action: 'accept', ...external })
    for (const attempt of toGateway) await lab.wire.passes(attempt)
    for (const attempt of toClient) await lab.wire.isBlocked(attempt)
    await lab.forward({ action: 'accept', ...external })
    for (const attempt of toClient) await lab.wire.passes(attempt)
  })

  it('lets through what a DNAT rule translates, without a FORWARD rule', async () => {
    const published = { destination_addresses: [await lab.address(gateway)], ...external }
    await lab.addRule('dnat', { action: 'dnat', change_destination_address: client, ...published })
    const before = await systemHits('fwd.sys.translated')
    const [seen] = await lab.wire.passes(toGateway[0])
    assert.deepEqual([seen.client, seen.server], [outside, client])
    assert.ok((await systemHits('fwd.sys.translated')) > before)
    assert.deepEqual(await explain(gateway, outside), ['accept', 'fwd.sys.translated'])
    await lab.wire.isBlocked(toClient[0])
    await lab.forward({ ...external })
    await lab.wire.isBlocked(toGateway[0])
  })

  it('keeps dropping when the user rules are switched off', async () => {
    await lab.addRule('input', { action: 'accept', ...external })
    await lab.api.ok('PATCH', '/firewall/state', { enabled: false })
    await lab.wire.isBlocked(toGateway[0])
    await lab.api.ok('PATCH', '/firewall/state', { enabled: true })
    await lab.wire.passes(toGateway[0])
  })

  it('names the system rule in rule tests, and a rule that rejects', async () => {
    const wan = await lab.connectionOf('wan')
    const check = {
      enabled: true,
      comment: '',
      protocol: 'tcp',
      src_ip: outside,
      src_port: 50_000,
      dst_port: port,
      incoming_interface: `interface.id.${wan.id}`,
      expected_result: 'drop',
    }
    const add = async (dst_ip: string) =>
      (await lab.api.ok('POST', '/firewall/checks_packets', { ...check, dst_ip })).id
    const [own, behind, rejected] = [await add(gateway), await add(client), await add('10.10.0.77')]
    const rule = await lab.forward({ action: 'reject', destination_addresses: [await lab.address('10.10.0.77')] })
    await lab.api.ok('POST', '/firewall/checks_start')
    await until('the run is over', async () => !(await lab.api.ok('GET', '/firewall/checks_result')).in_progress)
    const { data } = await lab.api.ok('GET', '/firewall/checks_result')
    assert.deepEqual(data[own], { result: 'drop', rule_id: 'inp.sys.external', verdict: true })
    assert.deepEqual(data[behind], { result: 'drop', rule_id: 'fwd.sys.external', verdict: true })
    assert.deepEqual(data[rejected], { result: 'drop', rule_id: `fwd.ngfw.${rule}`, verdict: true })
  })

  it('H1: the agent port is closed by default, open while agents are enabled, and closes with its connections', async () => {
    const isListening = async () => (await run('gateway', '/usr/bin/ss', '-Hltn')).includes(`:${agentPort} `)
    // Prints `open` once it is connected and `closed` at the end.
    const script = `const s = require('node:net').connect(${agentPort}, '${gateway}', () => console.log('open'));
      s.on('close', () => console.log('closed')); s.on('error', () => {}); s.resume();
      setTimeout(() => process.exit(), Number(process.argv[1])).unref()`
    const tryPort = async (ms: number) =>
      (await lab.gateway.exec('internet', [runtimePath(appRoot), '-e', script, `${ms}`], { timeoutMs: ms + 30_000 }))
        .stdout
    assert.equal(await isListening(), false)
    assert.deepEqual(await explain(gateway, outside, agentPort), ['drop', 'inp.sys.external'])
    assert.doesNotMatch(await tryPort(500), /open/)

    await lab.api.ok('PATCH', agentState, { enabled: true })
    await until('agents can connect', isListening)
    assert.deepEqual(await explain(gateway, outside, agentPort), ['accept', 'inp.sys.agent'])
    const connection = tryPort(300_000)
    const isConnected = async () =>
      (await run('gateway', '/usr/bin/ss', '-Htn', 'state', 'established', `sport = :${agentPort}`)) !== ''
    await until('an agent is connected', isConnected)

    await lab.api.ok('PATCH', agentState, { enabled: false })
    assert.match(await connection, /open\n(?:.*\n)*closed/)
    assert.equal(await isListening(), false)
    assert.doesNotMatch(await tryPort(500), /open/)
  })

  describe('with the action reject', () => {
    it('a FORWARD rule refuses at once where drop is silent, over IPv4 and IPv6, and counts', async () => {
      const attempts = [
        { port, destination: server },
        { port, source: six.client, destination: six.outside },
      ]
      const rule = await lab.forward({ action: 'reject', incoming_interface: 'interface.local_any' })
      for (const attempt of attempts) await lab.wire.isRefused(attempt)
      assert.ok((await lab.hits('forward', rule)) >= 4)
      await lab.api.ok('PATCH', `/firewall/rules/forward/${rule}`, { action: 'drop' })
      for (const attempt of attempts) await lab.wire.isBlocked(attempt)
    })

    it('an INPUT rule refuses at once, for one protocol or for all', async () => {
      const rule = await lab.addRule('input', { action: 'reject', ...external })
      for (const attempt of toGateway) await lab.wire.isRefused(attempt)
      assert.deepEqual(await explain(gateway, outside), ['reject', `firewall.input[${rule}]`])
      const only = { protocol: 'protocol.tcp', destination_ports: [await lab.port(port)] }
      await lab.api.ok('PATCH', `/firewall/rules/input/${rule}`, only)
      await lab.addRule('input', { action: 'reject', protocol: 'protocol.udp', ...external })
      for (const attempt of toGateway) await lab.wire.isRefused(attempt)
    })
  })
})
