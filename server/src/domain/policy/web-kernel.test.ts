// The stage of the content filter in the kernel: real connections through namespaces, with a small program in place of the
// proxy. What becomes of each must be what the evaluator says. Needs root.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { removeNamespace } from '../../../test/support/namespaces.ts'
import { unlessComplete } from '../../../test/support/requires.ts'
import { printTable } from '../../core/plan/nft-piece.ts'
import { createInterception } from '../../engines/web-filter/applyd/interception.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { type Ranges, toRanges } from '../../shared/net/ranges.ts'
import { compilePolicy } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { Routing } from './evaluate-routing.ts'
import type { Policy, PolicyRule, WebInterception } from './model.ts'
import { type AccessStage, type AddressMatch, type AuthorizationStage, emptyPolicy, ownTraffic } from './model.ts'

const tag = `pw${process.pid}`
const [client, gateway, outside] = [`${tag}-client`, `${tag}-gateway`, `${tag}-outside`]
const relay = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'transparent-relay.pl')

const cannot =
  process.getuid?.() !== 0
    ? 'needs root'
    : [
          ['nft', '--version'],
          ['perl', '-v'],
          ['unshare', '--net', 'true'],
        ].every(([program = '', ...args]) => spawnSync(program, args).status === 0)
      ? false
      : unlessComplete('cannot run nft, perl and unshare')

const number = (text: string): number => parseAddress(text) as number
const network = (text: string): Ranges => {
  const { low, high } = parseNetwork(text) ?? { low: 0, high: 0 }
  return [low, high]
}
const match = (text: string, more: Partial<AddressMatch> = {}): AddressMatch => ({
  key: `k_${text.replaceAll(/[^0-9]/g, '_')}`,
  ranges: network(text),
  isNegated: false,
  ...more,
})

const side = {
  local: [
    { device: 'lan0', address: number('10.66.0.1') },
    { device: 'lan1', address: number('10.67.0.1') },
  ],
  near: toRanges([
    [number('10.66.0.0'), number('10.66.0.255')],
    [number('10.67.0.0'), number('10.67.0.255')],
    [number('198.51.100.1'), number('198.51.100.1')],
  ]),
}
const taking: WebInterception = {
  isTaking: true,
  sources: null,
  exclusions: [],
  ports: { http: 3129, https: 3130 },
  rejectsQuic: false,
}
const basic: Policy = {
  ...emptyPolicy,
  externalDevices: ['wan0'],
  ownAddresses: ['10.66.0.1', '10.67.0.1', '198.51.100.1'].map(number),
  web: {
    side,
    networks: [
      { device: 'lan0', ranges: network('10.66.0.0/24') },
      { device: 'lan1', ranges: network('10.67.0.0/24') },
    ],
    interception: taking,
    directPort: null,
  },
}
const routing: Routing = {
  own: toRanges(basic.ownAddresses.map((address) => [address, address] as const)),
  routes: [
    { span: [number('10.66.0.0'), number('10.66.0.255')], device: 'lan0' },
    { span: [number('10.67.0.0'), number('10.67.0.255')], device: 'lan1' },
    { span: [0, 0xffff_ffff], device: 'wan0' },
  ],
  ipv6: { own: [], device: null },
}

let nextId = 1
const rule = (more: Partial<PolicyRule>): PolicyRule => {
  const id = nextId++
  return {
    id,
    table: 'forward',
    origin: `firewall.forward[${id}]`,
    protocol: null,
    source: null,
    destination: null,
    sourcePorts: null,
    destinationPorts: null,
    incoming: null,
    outgoing: null,
    holders: null,
    times: null,
    action: { kind: 'drop' },
    ...more,
  }
}
const forward = (...rules: PolicyRule[]): Policy => ({ ...basic, rules: { ...basic.rules, forward: rules } })
const withTaking = (more: Partial<WebInterception>, policy = basic): Policy => ({
  ...policy,
  web: policy.web && { ...policy.web, interception: { ...taking, ...more } },
})

function inside(namespace: string, program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('ip', ['netns', 'exec', namespace, program, ...args], {
    input,
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stderr}\n${input.slice(0, 20_000)}`)
  return stdout
}
const ip = (namespace: string, lines: readonly string[]) =>
  inside(namespace, 'ip', ['-batch', '-'], `${lines.join('\n')}\n`)

/** Says who it takes the other end for. */
const serverCode = `const net=require('net');let n=0;for(const port of [80,443,3129])net.createServer(s=>{s.on('error',()=>{});
s.end('server sees '+s.remoteAddress)}).listen(port,'0.0.0.0',()=>{if(++n===3)console.log('ready')})`
/** Silence: the kernel sends the first packet again, because no answer to it came. Only who expects that looks for it. */
const askCode = `const [,from,to,port,expectsSilence]=process.argv;let t='';const s=require('net').connect({host:to,port:+port,localAddress:from});
s.setEncoding('utf8');s.on('data',d=>t+=d);s.on('error',e=>{t=e.code});s.on('close',()=>{console.log(t);process.exit()});
const remote=to.split('.').reverse().map(n=>(+n).toString(16).padStart(2,'0')).join('').toUpperCase()+':'+(+port).toString(16).padStart(4,'0').toUpperCase();
const isSentAgain=()=>require('fs').readFileSync('/proc/net/tcp','utf8').split('\\n').map(l=>l.trim().split(/ +/)).some(l=>l[2]===remote&&l[3]==='02'&&parseInt(l[6],16)>0);
if(expectsSilence)setInterval(()=>{if(isSentAgain()){console.log('silence');process.exit()}},50)`

const children: ChildProcess[] = []
async function start(namespace: string, program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('ip', ['netns', 'exec', namespace, program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

const lan0 = '10.66.0.11'
const lan1 = '10.67.0.11'
const server = '192.0.2.10'
const ask = (from = lan0, to = server, port = 80, expectsSilence = false): string =>
  inside(client, process.execPath, ['-e', askCode, from, to, `${port}`, expectsSilence ? 'yes' : '']).trim()
const load = (policy: Policy, more = ''): void => {
  const tables = compilePolicy(policy).map((table) => printTable(table.name, table.pieces))
  inside(gateway, 'nft', ['-f', '-'], `flush ruleset\n${tables.join('\n')}\n${more}`)
}
const judged = (policy: Policy, from = lan0, to = server, port = 80) => {
  const incoming_interface = from.startsWith('10.66') ? 'lan0' : 'lan1'
  const ends = { source: from, destination: to, source_port: 40_000, destination_port: port }
  const { outcomes } = evaluate(policy, { ...ends, protocol: 'tcp', incoming_interface, time: 1_800_000_000 }, routing)
  const [outcome] = outcomes
  return `${outcome?.isTaken ? 'taken' : 'not taken'}, ${outcome?.verdict}`
}
/** The kernel and the evaluator in the same words. */
const said = (answer: string): string => {
  const isTaken = answer.startsWith('proxy: ')
  const verdict = /sees/.test(answer) ? 'accept' : /refused|ECONN/.test(answer) ? 'reject' : 'drop'
  return `${isTaken ? 'taken' : 'not taken'}, ${verdict}`
}
const agree = (policy: Policy, expected: string, ...[from, to, port]: Parameters<typeof ask>): void => {
  load(policy)
  // What a rule drops the proxy hears of, so that no client waits; the evaluator says what the rule says.
  const isHeard = policy.rules.forward.some(({ action }) => action.kind === 'drop')
  const heard = isHeard ? expected.replace('taken, drop', 'taken, reject') : expected
  assert.equal(said(ask(from, to, port, heard.endsWith('drop'))), heard)
  assert.equal(judged(policy, from, to, port), expected)
}

describe('the stage of the content filter in the kernel', { skip: cannot }, () => {
  const interception = createInterception(['ip', '-n', gateway])
  let proxy: ChildProcess

  before(async () => {
    for (const name of [client, gateway, outside]) assert.equal(spawnSync('ip', ['netns', 'add', name]).status, 0)
    const cable = (near: string, far: string) => `link add ${near} type veth peer name ${far} netns ${gateway}`
    ip(client, [cable('c0', 'lan0'), cable('c1', 'lan1'), 'address add 10.66.0.11/24 dev c0'])
    ip(client, ['address add 10.66.0.12/24 dev c0', 'address add 10.67.0.11/24 dev c1'])
    ip(client, ['link set lo up', 'link set c0 up', 'link set c1 up', 'route add default via 10.66.0.1'])
    ip(client, ['route add default via 10.67.0.1 dev c1 table 101', 'rule add from 10.67.0.0/24 table 101'])
    ip(outside, [cable('n0', 'wan0'), 'address add 198.51.100.2/24 dev n0', 'link set lo up', 'link set n0 up'])
    ip(gateway, ['address add 10.66.0.1/24 dev lan0', 'address add 10.67.0.1/24 dev lan1'])
    ip(gateway, [
      'address add 198.51.100.1/24 dev wan0',
      ...['lo', 'lan0', 'lan1', 'wan0'].map((it) => `link set ${it} up`),
    ])
    ip(gateway, ['route add default via 198.51.100.2'])
    ip(outside, ['route add local 192.0.2.0/24 dev lo', 'route add 10.66.0.0/15 via 198.51.100.1'])
    inside(gateway, 'sysctl', ['-q', '-w', 'net/ipv4/ip_forward=1'])
    await interception.apply(true)
    await start(outside, process.execPath, ['-e', serverCode])
    proxy = await start(gateway, 'perl', [relay, '3129', '3130'])
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    // The relay has children.
    for (const name of [client, gateway, outside]) removeNamespace(name)
  })

  it('leads web traffic to the proxy, which keeps the address of the client or has it hidden by SNAT', () => {
    load(basic)
    assert.equal(ask(), 'proxy: server sees 198.51.100.1')
    assert.equal(ask(lan0, server, 443), 'proxy: server sees 198.51.100.1')
    load({ ...basic, hasAutomaticSnat: false })
    assert.equal(ask(), 'proxy: server sees 10.66.0.11')
    agree(basic, 'taken, accept')
  })

  it('takes nothing while the filter is off or fails open, and refuses where the proxy does not answer', () => {
    agree({ ...basic, web: null }, 'not taken, accept')
    agree(withTaking({ isTaking: false }), 'not taken, accept')
    load(withTaking({ ports: { http: 3999, https: 3998 } }))
    assert.equal(ask(), 'ECONNREFUSED')
    load(withTaking({ ports: { http: 3999, https: 3998 }, isAnswering: true }))
    assert.equal(ask(lan0, server, 80, true), 'silence')
  })

  it('judges what the proxy opens by FORWARD rules: by address, interface, way out and port', () => {
    const byDevice = (device: string) => ({ key: device, devices: [device] })
    agree(forward(rule({ source: match('10.66.0.11/32') })), 'taken, drop')
    agree(forward(rule({ source: match('10.66.0.12/32') })), 'taken, accept')
    agree(forward(rule({ destination: match('192.0.2.10/32'), action: { kind: 'reject' } })), 'taken, reject')
    agree(forward(rule({ incoming: byDevice('lan1') })), 'taken, accept')
    agree(forward(rule({ incoming: byDevice('lan1') })), 'taken, drop', lan1)
    agree(forward(rule({ incoming: { key: 'zone', devices: ['lan0', 'lan1'] } })), 'taken, drop')
    agree(forward(rule({ outgoing: byDevice('wan0') })), 'taken, drop')
    agree(forward(rule({ outgoing: byDevice('lan1') })), 'taken, accept')
    const https = { key: 'https', ranges: [443, 443] }
    agree(forward(rule({ protocol: 'tcp', destinationPorts: https })), 'taken, accept')
    agree(forward(rule({ protocol: 'tcp', destinationPorts: https })), 'taken, drop', lan0, server, 443)
    // Everything is refused but for one host, and what the gateway itself sends is another matter.
    agree(forward(rule({ source: match('10.66.0.11/32'), action: { kind: 'accept' } }), rule({})), 'taken, accept')
    agree(forward(rule({ incoming: { key: ownTraffic, devices: [] } })), 'taken, accept')
  })

  it('follows a user whose address is in a live set', () => {
    const policy = forward(rule({ source: { key: 'u', ranges: [], isNegated: false, members: ['user.id.5'] } }))
    load(policy)
    assert.equal(ask(), 'proxy: server sees 198.51.100.1')
    inside(gateway, 'nft', ['add element inet portcullis u_user_id_5 { 10.66.0.11 }'])
    assert.equal(said(ask()), 'taken, reject')
  })

  it('asks access control lists, and blocks all where rule tests failed', () => {
    const entry = { origin: 'firewall.acl[a]', protocol: null, sourcePorts: null, destinationPorts: null }
    const everywhere = [0, 0xffff_ffff] as const
    const entries = [{ ...entry, source: everywhere, destination: everywhere, isAllowed: false }]
    const bound = { origin: 'firewall.acl_order[0]', members: match('10.66.0.11/32'), listKey: 'a', entries }
    const access: AccessStage = { bindings: [bound], isAllowedByDefault: true, isLogged: false }
    agree({ ...basic, access }, 'taken, drop')
    agree({ ...basic, access }, 'taken, accept', lan1)
    agree({ ...basic, isBlocked: true }, 'not taken, drop')
  })

  it('needs no INPUT rule, and no one reaches the ports of the proxy', () => {
    const input = [rule({ table: 'input', origin: 'firewall.input[1]' })]
    agree({ ...basic, rules: { ...basic.rules, input } }, 'taken, accept')
    const guarded = { name: 'web_http', title: 'web proxy', protocol: 'tcp', destinationPort: 3129 } as const
    load({ ...basic, guardedPorts: [{ ...guarded, peers: [], isOpenOutside: false }] })
    assert.equal(ask(lan0, '10.66.0.1', 3129, true), 'silence')
  })

  it('leaves alone exclusions, local destinations, translations and whom no rule concerns', () => {
    const exclusion = { origin: 'web_proxy.exclusions[x]', sources: match('10.66.0.11/32'), destinations: null }
    agree(withTaking({ exclusions: [exclusion] }), 'not taken, accept')
    agree(withTaking({ exclusions: [exclusion] }), 'taken, accept', lan1)
    agree(withTaking({ exclusions: [{ ...exclusion, destinations: match('192.0.2.11/32') }] }), 'taken, accept')
    agree(withTaking({ sources: match('10.67.0.0/24') }), 'not taken, accept')
    agree(withTaking({ sources: match('10.67.0.0/24') }), 'taken, accept', lan1)
    const span = [number('192.0.2.20'), number('192.0.2.20')] as const
    const dnat = [
      rule({ table: 'dnat', origin: 'firewall.dnat[1]', action: { kind: 'dnat', addresses: span, ports: null } }),
    ]
    agree({ ...basic, rules: { ...basic.rules, dnat } }, 'not taken, accept')
  })

  it('does not take what unauthorized hosts send, and takes it as soon as a rule authorizes them', () => {
    const stage: AuthorizationStage = {
      isEnforced: true,
      side,
      hosts: [],
      networks: [],
      pairs: [],
      macs: [],
      idleSeconds: 600,
      portalPort: null,
      notesUnknown: false,
    }
    agree({ ...basic, authorization: stage }, 'not taken, reject')
    agree({ ...basic, authorization: { ...stage, hosts: network('10.66.0.11/32') } }, 'taken, accept')
    agree({ ...basic, authorization: { ...stage, hosts: network('10.66.0.11/32') } }, 'not taken, reject', lan1)
  })

  it('marks what log rules mark, so that hits of FORWARD rules are recorded', () => {
    const log = [rule({ table: 'log', origin: 'firewall.log[1]', action: { kind: 'mark', isLogged: true } })]
    const accepting = forward(rule({ action: { kind: 'accept' } }))
    load({ ...basic, loggedActions: ['accept'], rules: { ...accepting.rules, log } })
    assert.equal(ask(lan0, '192.0.2.77'), 'proxy: server sees 198.51.100.1')
    const listed = inside(gateway, 'nft', ['list', 'chain', 'inet', 'portcullis', 'web_forward'])
    assert.match(listed, /log prefix "FWD \d+ accept " group 5/)
    // Bit 0x1 of the log rules beside the bit of each half.
    const tracked = inside(gateway, 'cat', ['/proc/net/nf_conntrack']).split('\n')
    const marks = tracked.filter((line) => line.includes('dst=192.0.2.77')).map((line) => /mark=(\d+)/.exec(line)?.[1])
    assert.deepEqual(marks.toSorted(), ['3', '5'])
  })

  it('is in exported flows once, in the table and when it ends', () => {
    load(basic)
    const destination = '192.0.2.78'
    for (const name of ['time_wait', 'close', 'last_ack', 'fin_wait', 'close_wait'])
      inside(gateway, 'sysctl', ['-q', '-w', `net/netfilter/nf_conntrack_tcp_timeout_${name}=2`])
    // Opened before, so that it hears of the end.
    const code = `import { openKernel } from ${JSON.stringify(join(import.meta.dirname, '..', '..', 'exporters', 'flows', 'kernel.ts'))}
import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
const kernel = openKernel(), to = ${number(destination)}
const lines = () => readFileSync('/proc/net/nf_conntrack', 'utf8').split('\\n').filter((line) => line.includes('dst=${destination} ')).length
const client = spawnSync('ip', ['netns', 'exec', '${client}', process.execPath, '-e', ${JSON.stringify(askCode)}, '${lan0}', '${destination}', '80'], { encoding: 'utf8' })
const found = { answer: client.stdout.trim(), halves: lines(), shown: [...kernel.connections()].flat().filter((one) => one.destination === to).length, ended: 0 }
for (let rest = 3; rest > 0; ) {
  const ended = kernel.ended(100)
  found.ended += ended.filter((one) => one.destination === to).length
  if (ended.length === 0 && lines() === 0) rest--
}
console.log(JSON.stringify(found))`
    const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]
    const found = JSON.parse(inside(gateway, process.execPath, options))
    assert.deepEqual(found, { answer: 'proxy: server sees 198.51.100.1', halves: 2, shown: 1, ended: 1 })
  })

  it('rejects QUIC at once, also for what is excluded', () => {
    const exclusion = { origin: 'web_proxy.exclusions[x]', sources: null, destinations: null }
    const policy = withTaking({ rejectsQuic: true, exclusions: [exclusion] })
    load(policy)
    const code = `const s=require('dgram').createSocket('udp4');s.on('error',e=>{console.log(e.code);process.exit()});
s.connect(443,'${server}',()=>{s.send('x');setInterval(()=>s.send('x'),200)})`
    assert.equal(inside(client, process.execPath, ['-e', code]).trim(), 'ECONNREFUSED')
    const packet = { source: lan0, destination: server, source_port: 40_000, destination_port: 443 }
    const asked = { ...packet, protocol: 'udp', incoming_interface: 'lan0', time: 1_800_000_000 } as const
    assert.equal(evaluate(policy, asked, routing).verdict, 'reject')
  })

  it('removes and restores the rule and the route', async () => {
    load(basic)
    assert.ok(await interception.isCurrent(true))
    await interception.apply(false)
    assert.ok(await interception.isCurrent(false))
    assert.equal(inside(gateway, 'ip', ['rule', 'show', 'pref', '7701']), '')
    // One that another program left in our place is replaced.
    ip(gateway, ['rule add pref 7701 fwmark 5 lookup 7701', 'rule add pref 7701 fwmark 6 lookup 7701'])
    assert.ok(!(await interception.isCurrent(true)))
    await interception.apply(true)
    assert.ok(await interception.isCurrent(true))
    assert.equal(ask(), 'proxy: server sees 198.51.100.1')
    assert.equal(proxy.exitCode, null)
  })
})
