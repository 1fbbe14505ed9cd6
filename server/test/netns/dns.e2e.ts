// The DNS server on the wire: who is answered, from where answers come, own and forward zones, each field of each
// endpoint in what dig gets at the client.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { DnsLab, dnsSkip, freshName, zoneText } from '../support/dns-lab.ts'
import { startEcho } from '../support/dns-servers.ts'

/** Servers elsewhere, and what each of them says to everything. */
const [first, second, rebinding] = ['198.51.100.60', '198.51.100.61', '198.51.100.62']
const [firstSays, secondSays, privateSays] = ['198.51.100.160', '198.51.100.161', '10.9.9.9']

describe('the DNS server on the wire', { skip: dnsSkip }, () => {
  let lab: DnsLab

  before(async () => {
    lab = await DnsLab.start()
    await startEcho(lab.gateway, first, firstSays, ['--ptr-record=7.1.168.192.in-addr.arpa,host7.corp.lan'])
    await startEcho(lab.gateway, second, secondSays)
    await startEcho(lab.gateway, rebinding, privateSays)
  })
  after(() => lab.stop())

  const server = (object: string, more: object = {}) => ({ enabled: true, type: 'ip', object, comment: '', ...more })

  it('resolves through the root servers when nothing is set, over UDP and TCP', async () => {
    for (const tcp of [false, true]) assert.deepEqual(await lab.addresses('www.example.test', { tcp }), [webAddress])
    assert.equal((await lab.ask(freshName('example.test'))).status, 'NXDOMAIN')
    assert.match((await lab.item('unbound')).msg.join(' '), /through the root servers/)
    assert.equal((await lab.item('unbound')).status, 'active')
  })

  it('answers local networks only, and hides what it is', async () => {
    const outside = { from: 'internet', server: '203.0.113.2', options: ['+time=1', '+tries=1'] }
    for (const tcp of [false, true])
      assert.equal((await lab.ask('www.example.test', { ...outside, tcp })).status, null, 'closed from outside')
    const stranger = { from: 'gateway', options: ['-b', '203.0.113.2'] }
    assert.equal((await lab.ask('www.example.test', stranger)).status, 'REFUSED')
    assert.equal((await lab.ask('www.example.test', { from: 'gateway', server: '127.0.0.1' })).status, 'NOERROR')
    const version = await lab.ask('version.bind', { type: 'TXT', options: ['-c', 'CH'] })
    assert.deepEqual([version.status, version.records], ['REFUSED', []])
    const told = await lab.ok('POST', '/firewall/explain', {
      packet: {
        protocol: 'udp',
        source: '203.0.113.1',
        destination: '203.0.113.2',
        destination_port: 53,
        incoming_interface: 'wan0',
      },
    })
    assert.deepEqual([told.verdict, told.outcomes[0].decided_by], ['drop', 'inp.sys.dns'])
  })

  it('asks external servers by their address, as long as they are enabled', async () => {
    const id = await lab.add('/dns/zones/root', server(first))
    assert.deepEqual(await lab.addresses(freshName('any.example')), [firstSays])
    assert.match((await lab.item('unbound')).msg.join(' '), new RegExp(`External servers are asked: ${first}`))
    await lab.ok('PATCH', `/dns/zones/root/${id}`, { object: second })
    assert.deepEqual(await lab.addresses(freshName('any.example')), [secondSays])
    await lab.ok('PATCH', `/dns/zones/root/${id}`, { enabled: false })
    assert.equal((await lab.ask(freshName('any.example'))).status, 'NXDOMAIN')
    await lab.ok('PATCH', `/dns/zones/root/${id}`, { enabled: true, comment: 'again' })
    assert.deepEqual(await lab.addresses(freshName('any.example')), [secondSays])
    await lab.ok('DELETE', `/dns/zones/root/${id}`)
    assert.equal((await lab.ask(freshName('any.example'))).status, 'NXDOMAIN')
  })

  it('asks the next external server when one does not answer', async () => {
    const ids = [
      await lab.add('/dns/zones/root', server('198.51.100.99')),
      await lab.add('/dns/zones/root', server(first)),
    ]
    for (let round = 0; round < 3; round++)
      assert.deepEqual(await lab.addresses(freshName('any.example'), { options: ['+time=8'] }), [firstSays])
    for (const id of ids) await lab.ok('DELETE', `/dns/zones/root/${id}`)
  })

  it('asks the servers of a provider connection', async () => {
    const all = (await lab.ok('GET', '/network/connections')) as { id: number; type: string }[]
    const wan = all.find(({ type }) => type === 'wan') ?? assert.fail('no provider connection')
    const id = await lab.add('/dns/zones/root', server(`interface.id.${wan.id}`, { type: 'interface' }))
    assert.equal((await lab.ask(freshName('any.example'))).status, 'NXDOMAIN')
    assert.match((await lab.item('unbound')).msg.join(' '), /gives no DNS server now/)
    await lab.ok('PATCH', `/network/connections/${wan.id}`, { dns: [second] })
    assert.deepEqual(await lab.addresses(freshName('any.example')), [secondSays])
    await lab.ok('DELETE', `/dns/zones/root/${id}`)
    await lab.ok('PATCH', `/network/connections/${wan.id}`, { dns: [] })
  })

  it('holds back private addresses of public names, but not those of a forward zone', async () => {
    const id = await lab.add('/dns/zones/root', server(rebinding))
    assert.deepEqual(await lab.addresses(freshName('evil.example')), [])
    const zone = await lab.add('/dns/zones/forward', {
      name: 'inside.example',
      enabled: true,
      servers: [rebinding],
      comment: '',
    })
    assert.deepEqual(await lab.addresses(freshName('inside.example')), [privateSays])
    await lab.ok('DELETE', `/dns/zones/forward/${zone}`)
    await lab.ok('DELETE', `/dns/zones/root/${id}`)
  })

  it('asks the servers of a forward zone for its names and for no others', async () => {
    const name = freshName('corp.lan')
    assert.equal((await lab.ask(name)).status, 'NXDOMAIN')
    const zone = { name: 'corp.lan', enabled: true, servers: [first], comment: 'x' }
    const id = await lab.add('/dns/zones/forward', zone)
    assert.deepEqual(await lab.addresses(name), [firstSays], 'what was remembered before is forgotten')
    assert.equal((await lab.ask(freshName('corp.example'))).status, 'NXDOMAIN')
    await lab.ok('PATCH', `/dns/zones/forward/${id}`, { servers: [second] })
    assert.deepEqual(await lab.addresses(name), [secondSays], 'the very same name, at once')
    await lab.ok('PATCH', `/dns/zones/forward/${id}`, { enabled: false })
    assert.equal((await lab.ask(name)).status, 'NXDOMAIN')
    await lab.ok('PATCH', `/dns/zones/forward/${id}`, { enabled: true, name: 'Other.lan' })
    assert.deepEqual(await lab.addresses(freshName('other.lan')), [secondSays])
    assert.equal((await lab.ask(name)).status, 'NXDOMAIN')
    await lab.ok('DELETE', `/dns/zones/forward/${id}`)
    assert.equal((await lab.ask(freshName('other.lan'))).status, 'NXDOMAIN')
  })

  it('asks elsewhere for reverse names of private networks when a zone says so', async () => {
    const name = '7.1.168.192.in-addr.arpa'
    assert.equal((await lab.ask(name, { type: 'PTR' })).status, 'NXDOMAIN')
    const zone = { name: '1.168.192.in-addr.arpa', enabled: true, servers: [first], comment: '' }
    const id = await lab.add('/dns/zones/forward', zone)
    assert.deepEqual((await lab.ask(name, { type: 'PTR' })).records, ['PTR host7.corp.lan.'])
    await lab.ok('DELETE', `/dns/zones/forward/${id}`)
  })

  it('serves its own zones record by record, also when an alias leads out of them', async () => {
    const records = [
      'www 120 A 10.10.0.7',
      'www A 10.10.0.8',
      'six AAAA fd00::7',
      'alias CNAME www',
      'out CNAME www.example.test.',
      '@ MX 10 www',
      '_sip._tcp SRV 1 2 5060 www',
      'text TXT "a \\"quoted\\"; text" second',
      '* A 10.10.0.99',
      '@ CAA 0 issue "ca.example"',
    ]
    const zone = { name: 'own.example', enabled: true, config: zoneText(records), comment: '' }
    const id = await lab.add('/dns/zones/master', zone)
    const answer = async (name: string, type = 'A') =>
      (await lab.ask(`${name}own.example`, { type })).records.toSorted()
    assert.deepEqual(await answer('www.'), ['A 10.10.0.7', 'A 10.10.0.8'])
    assert.equal((await lab.ask('text.own.example', { type: 'TXT' })).ttl, 300)
    assert.deepEqual(await answer('six.', 'AAAA'), ['AAAA fd00::7'])
    assert.deepEqual(await answer('alias.'), ['A 10.10.0.7', 'A 10.10.0.8', 'CNAME www.own.example.'])
    assert.deepEqual(await answer('out.'), [`A ${webAddress}`, 'CNAME www.example.test.'])
    assert.deepEqual(await answer('', 'MX'), ['MX 10 www.own.example.'])
    assert.deepEqual(await answer('_sip._tcp.', 'SRV'), ['SRV 1 2 5060 www.own.example.'])
    assert.deepEqual(await answer('text.', 'TXT'), ['TXT "a \\"quoted\\"; text" "second"'])
    assert.deepEqual(await answer('', 'CAA'), ['CAA 0 issue "ca.example"'])
    assert.deepEqual(await answer('', 'NS'), ['NS ns1.own.example.'])
    assert.deepEqual(await answer('', 'SOA'), ['SOA ns1.own.example. root.own.example. 1 3600 600 86400 60'])
    assert.deepEqual(await answer('whatever.'), ['A 10.10.0.99'])
    assert.equal((await lab.item('nsd')).status, 'active')

    await lab.ok('PATCH', `/dns/zones/master/${id}`, { config: zoneText(['www A 10.10.0.9'], 2) })
    assert.deepEqual(await answer('www.'), ['A 10.10.0.9'], 'at once, though the old one was remembered')
    assert.equal((await lab.ask('whatever.own.example')).status, 'NXDOMAIN')
    await lab.ok('PATCH', `/dns/zones/master/${id}`, { name: 'moved.example' })
    assert.deepEqual(await lab.addresses('www.moved.example'), ['10.10.0.9'])
    assert.equal((await lab.ask('www.own.example')).status, 'NXDOMAIN')
    await lab.ok('PATCH', `/dns/zones/master/${id}`, { enabled: false })
    assert.equal((await lab.ask('www.moved.example')).status, 'NXDOMAIN')
    assert.equal((await lab.item('nsd')).status, 'inactive')
    await lab.ok('DELETE', `/dns/zones/master/${id}`)
  })

  it('serves its own zones also when everything else is asked elsewhere', async () => {
    const zone = { name: 'own.example', enabled: true, config: zoneText(['www A 10.10.0.7']), comment: '' }
    const own = await lab.add('/dns/zones/master', zone)
    const root = await lab.add('/dns/zones/root', server(first))
    const parent = { name: 'example', enabled: true, servers: [second], comment: '' }
    const forward = await lab.add('/dns/zones/forward', parent)
    assert.deepEqual(await lab.addresses('www.own.example'), ['10.10.0.7'])
    assert.equal((await lab.ask(freshName('own.example'))).status, 'NXDOMAIN')
    assert.deepEqual(await lab.addresses(freshName('other.example')), [secondSays])
    assert.deepEqual(await lab.addresses(freshName('other.invalid-example')), [firstSays])
    await lab.ok('DELETE', `/dns/zones/forward/${forward}`)
    await lab.ok('DELETE', `/dns/zones/root/${root}`)
    await lab.ok('DELETE', `/dns/zones/master/${own}`)
  })

  it('serves its own reverse zone, and wins over a forward zone of its name', async () => {
    const config = zoneText(['7 PTR www.own.example.']).replace('ns1 root', 'ns1.own.example. root.own.example.')
    const text = config.replace('@ NS ns1', '@ NS ns1.own.example.').replace('ns1 A 10.10.0.1\n', '')
    const name = '0.10.10.in-addr.arpa'
    const forward = await lab.add('/dns/zones/forward', { name, enabled: true, servers: [first], comment: '' })
    const own = await lab.add('/dns/zones/master', { name, enabled: true, config: text, comment: '' })
    assert.deepEqual((await lab.ask(`7.${name}`, { type: 'PTR' })).records, ['PTR www.own.example.'])
    assert.match((await lab.item('unbound')).msg.join(' '), /is covered by the authoritative zone/)
    await lab.ok('DELETE', `/dns/zones/master/${own}`)
    await lab.ok('DELETE', `/dns/zones/forward/${forward}`)
  })

  it('refuses a zone with a bad record by its line, and goes on serving the old one', async () => {
    const zone = { name: 'own.example', enabled: true, config: zoneText(['www A 10.10.0.7']), comment: '' }
    const id = await lab.add('/dns/zones/master', zone)
    const bad = await lab.api.call('PATCH', `/dns/zones/master/${id}`, {
      config: zoneText(['www A 10.10.0.8', 'bad A 10.10.0.256']),
    })
    assert.deepEqual(
      [bad.status, bad.body.problems],
      [422, [{ field: 'config', message: 'Line 6: A record of the type A needs an IPv4 address.' }]],
    )
    assert.deepEqual(await lab.addresses('www.own.example'), ['10.10.0.7'])
    await lab.ok('DELETE', `/dns/zones/master/${id}`)
  })
})
