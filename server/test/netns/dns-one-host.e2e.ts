// One host holds as many TCP connections to the DNS server as it can, and sends as many queries over UDP as it can, also for names that
// no server answers, and for those of servers that mean harm; another one is answered.
// Requirement 35.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { DnsLab, dnsSkip, freshName } from '../support/dns-lab.ts'
import { slowServers, startHostile } from '../support/dns-servers.ts'
import { holdConnections } from '../support/held-connections.ts'
import { type LabHost, LabHosts } from '../support/lab-hosts.ts'
import { until } from '../support/until.ts'

const skip = dnsSkip
const [client, server] = ['10.10.0.2', '10.10.0.1']
const mostOfOneHost = 32
/** `wait-limit` (engines/dns/applyd/settings.ts). */
const mostWaiting = 64

/** Queries over UDP, each for another name below the zones. */
const flood = (count: number, ...zones: readonly string[]): readonly string[] => [
  process.execPath,
  join(import.meta.dirname, '..', 'support', 'dns-flood.ts'),
  String(count),
  server,
  ...zones,
]

let lab: DnsLab
let other: LabHost

before(async () => {
  if (skip) return
  lab = await DnsLab.start()
  other = await new LabHosts(lab.gateway, lab.api).beside({ address: '10.10.0.7/24', mac: '02:00:0a:0a:00:07' })
})
after(() => lab?.stop())

it('one host cannot take the TCP connections of the DNS server', { skip }, async () => {
  const held = await holdConnections(lab.gateway.stateDir, [], [client, server, 53, 300])
  try {
    assert.ok(held.open <= mostOfOneHost, `${held.open} of 300 were accepted`)
    assert.ok(held.open >= mostOfOneHost / 2, `only ${held.open} were accepted`)
    const { code, stdout } = await other.exec([
      '/usr/bin/dig',
      '+tcp',
      '+tries=1',
      '+time=30',
      `@${server}`,
      'localhost',
    ])
    assert.equal(code, 0, stdout)
    const state = (await lab.api.ok('GET', '/firewall/connection_limits/state')) as { refused_dns: number }
    assert.ok(state.refused_dns > 0)
  } finally {
    await held.release()
  }
})

it('one host cannot take the DNS server with queries over UDP', { skip }, async () => {
  const refused = async () =>
    ((await lab.api.ok('GET', '/firewall/connection_limits/state')) as { refused_dns: number }).refused_dns
  const before = await refused()
  const flooding = lab.gateway.exec('client', flood(60_000, 'example.test'), { timeoutMs: 300_000 })
  const ask = (name: string) => other.exec(['/usr/bin/dig', '+tries=2', '+time=15', `@${server}`, name])
  for (let round = 0; round < 10; round++) {
    const { code, stdout } = await ask(round % 2 === 0 ? 'localhost' : 'www.example.test')
    assert.equal(code, 0, stdout)
  }
  await flooding
  await until('what was beyond its rate is counted', async () => (await refused()) > before)
  // It is not kept out for longer than it floods.
  await until('it is answered itself', async () => (await lab.ask('localhost')).status === 'NOERROR')
})

it('a host that asks is answered while all rules are loaded again', { skip }, async () => {
  const dig = ['/usr/bin/dig', '+tries=1', '+time=3', `@${server}`, 'localhost']
  const isAnswered = async () => (await lab.gateway.exec('client', dig)).stdout.includes('NOERROR')
  assert.ok(await isAnswered())
  // What another program changed is replaced as a whole, with what the kernel remembers of hosts.
  const nft = async (...words: readonly string[]) =>
    (await lab.gateway.exec('gateway', ['/usr/sbin/nft', ...words])).stdout
  await nft('flush', 'chain', 'inet', 'portcullis', 'input')
  await until('the rules are back', async () =>
    /inp\.sys/.test(await nft('list', 'chain', 'inet', 'portcullis', 'input')),
  )
  assert.ok(await isAnswered())
})

it('servers that mean harm get their own names refused, and change nothing of others', { skip }, async () => {
  await startHostile(lab.gateway)
  const outcome = async (kind: string) => {
    const { status, records } = await lab.ask(freshName(`${kind}.delegated.test`))
    return `${status} ${records.join(', ')}`
  }
  for (const kind of ['chain', 'loop', 'servers']) assert.equal(await outcome(kind), 'SERVFAIL ', kind)
  assert.equal(await outcome('local'), 'NOERROR ')
  assert.match(await outcome('odd'), /^NOERROR CNAME \\000\\010\\"\\\\\\\.<b>\\255\.odd2\.delegated\.test\., A /)
  assert.match(await outcome('foreign'), /^NOERROR CNAME www\.example\.test\., A 198\.51\.100\.10$/)
  for (const name of ['www.example.test', 'files.example.test'])
    assert.deepEqual(await lab.addresses(name), ['198.51.100.10'], name)
  assert.match((await lab.ask('a.long.delegated.test', { type: 'TXT', tcp: true })).records.join(), /^TXT "x{250}"/)
})

it('one host cannot take the connections to other servers', { skip }, async () => {
  let isOver = false
  const zones = slowServers.map((_, at) => `${at}.crowd.delegated.test`)
  const flooding = (async () => {
    while (!isOver) await lab.gateway.exec('client', flood(300, ...zones), { timeoutMs: 60_000 })
  })()
  try {
    // By itself unbound has ten for each of its threads, of which there are at most four.
    const open = ['/usr/bin/ss', '-Htn', 'state', 'established', 'dst', '198.51.101.0/24']
    const count = async () => (await lab.gateway.exec('gateway', open)).stdout.split('\n').length - 1
    await until('there are more connections to slow servers', async () => (await count()) > 44)
    for (let round = 0; round < 3; round++) {
      const name = freshName('long.honest.delegated.test')
      const { stdout } = await other.exec(['/usr/bin/dig', '+tcp', '+tries=1', '+time=60', `@${server}`, name, 'TXT'])
      assert.match(stdout, /status: NOERROR/, stdout)
    }
    let most = 0
    for (let round = 0; round < 5; round++) {
      await lab.gateway.exec('client', flood(300, ...zones), { timeoutMs: 60_000 })
      most = Math.max(most, await count())
    }
    // Those of questions that were given up end a little later.
    assert.ok(most < 2 * mostWaiting, `${most} connections for the questions of one client`)
  } finally {
    isOver = true
    await flooding
  }
})
