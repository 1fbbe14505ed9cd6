// Interception and safe search on the wire: what a client gets that asks a server elsewhere, and where searches lead.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { webAddress } from '../../src/tools/lab/network.ts'
import { DnsLab, dnsSkip, freshName } from '../support/dns-lab.ts'
import { addAddress, startEcho } from '../support/dns-servers.ts'
import { Wire } from '../support/wire.ts'

const [elsewhere, elsewhereSays] = ['198.51.100.60', '198.51.100.160']
/** A well-known server of DNS over HTTPS. */
const overHttps = '8.8.8.8'

describe('DNS interception on the wire', { skip: dnsSkip }, () => {
  let lab: DnsLab
  let wire: Wire

  before(async () => {
    lab = await DnsLab.start()
    await startEcho(lab.gateway, elsewhere, elsewhereSays)
    await addAddress(lab.gateway, overHttps)
    wire = new Wire(lab.gateway, '10.10.0.2', elsewhere)
    await wire.listen('internet', [elsewhere], [853, 8853, 443])
    await wire.listen('internet', [overHttps], [443])
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await switchTo(false)
    await lab.ok('PATCH', '/dns/safesearch', { enabled: false })
  })

  const switchTo = (intercept_enabled: boolean) => lab.ok('PATCH', '/dns/settings', { intercept_enabled })

  it('answers for servers elsewhere while it is on, over UDP and TCP', async () => {
    for (const isOn of [false, true, false]) {
      await switchTo(isOn)
      for (const tcp of [false, true])
        assert.deepEqual(
          await lab.addresses('www.example.test', { server: elsewhere, tcp }),
          [isOn ? webAddress : elsewhereSays],
          `interception ${isOn}, TCP ${tcp}`,
        )
    }
  })

  it('handles what it intercepts as INPUT, and says so', async () => {
    await switchTo(true)
    const port = await lab.add('/aliases/ports', { title: 'dns', comment: '', value: 53 })
    const rule = { action: 'drop', protocol: 'protocol.udp', destination_ports: [port] }
    const id = await lab.add('/firewall/rules/input', rule)
    const once = { server: elsewhere, options: ['+time=1', '+tries=1'] }
    assert.equal((await lab.ask('www.example.test', once)).status, null)
    assert.deepEqual(await lab.addresses('www.example.test', { server: elsewhere, tcp: true }), [webAddress])
    const told = await lab.ok('POST', '/firewall/explain', {
      packet: {
        protocol: 'udp',
        source: '10.10.0.2',
        destination: elsewhere,
        destination_port: 53,
        incoming_interface: 'lan0',
      },
    })
    assert.deepEqual([told.outcomes[0].path, told.outcomes[0].decided_by], ['input', `firewall.input[${id}]`])
    assert.match(JSON.stringify(told.steps), /DNS interception: the gateway answers/)
    await lab.ok('DELETE', `/firewall/rules/input/${id}`)
  })

  it('lets a DNAT rule except a client', async () => {
    await switchTo(true)
    const client = await lab.add('/aliases/ip_addresses', { title: 'client', comment: '', value: '10.10.0.2' })
    const id = await lab.add('/firewall/rules/dnat', { action: 'accept', source_addresses: [client] })
    assert.deepEqual(await lab.addresses('www.example.test', { server: elsewhere }), [elsewhereSays])
    await lab.ok('DELETE', `/firewall/rules/dnat/${id}`)
    assert.deepEqual(await lab.addresses('www.example.test', { server: elsewhere }), [webAddress])
  })

  it('refuses DNS over TLS, QUIC and HTTPS, and other HTTPS not', async () => {
    const tries = [{ port: 853 }, { port: 8853 }, { port: 443 }, { port: 443, destination: overHttps }]
    const passing = () => Promise.all(tries.map((one) => wire.whichPass(one)))
    assert.deepEqual(await passing(), [
      ['tcp', 'udp'],
      ['tcp', 'udp'],
      ['tcp', 'udp'],
      ['tcp', 'udp'],
    ])
    await switchTo(true)
    assert.deepEqual(await passing(), [[], ['tcp'], ['tcp', 'udp'], []])
  })

  it('makes clients of encrypted DNS fall back: their names do not exist', async () => {
    const server = await lab.add('/dns/zones/root', { enabled: true, type: 'ip', object: elsewhere, comment: '' })
    const names = ['use-application-dns.net', 'dns.google', 'mozilla.cloudflare-dns.com']
    for (const name of names) assert.deepEqual(await lab.addresses(name), [elsewhereSays])
    await switchTo(true)
    for (const name of names) assert.equal((await lab.ask(name)).status, 'NXDOMAIN', name)
    assert.deepEqual(await lab.addresses(freshName('any.example')), [elsewhereSays])
    await lab.ok('DELETE', `/dns/zones/root/${server}`)
  })

  it('leads searches to their filtered names while safe search is on', async () => {
    const services = [
      ['www.google.com', 'forcesafesearch.google.com'],
      ['www.google.de', 'forcesafesearch.google.com'],
      ['yandex.ru', 'familysearch.yandex.ru'],
      ['www.youtube.com', 'restrict.youtube.com'],
      ['www.bing.com', 'strict.bing.com'],
      ['duckduckgo.com', 'safe.duckduckgo.com'],
      ['api.qwant.com', 'safeapi.qwant.com'],
      ['pixabay.com', 'safesearch.pixabay.com'],
    ] as const
    for (const [name] of services) assert.deepEqual((await lab.ask(name)).records, ['A 198.51.100.53'], name)
    await lab.ok('PATCH', '/dns/safesearch', { enabled: true })
    for (const [name, target] of services)
      assert.deepEqual((await lab.ask(name)).records, [`CNAME ${target}.`, `A ${webAddress}`], name)
    assert.deepEqual((await lab.ask('images.duckduckgo.com')).records, ['A 198.51.100.53'], 'other names stay')
    assert.match((await lab.item('portcullis-dns-backend')).msg.join(' '), /Safe search is on/)
    await switchTo(true)
    assert.deepEqual(
      (await lab.ask('www.google.com', { server: elsewhere })).records[0],
      'CNAME forcesafesearch.google.com.',
    )
    await lab.ok('PATCH', '/dns/safesearch', { enabled: false })
    for (const [name] of services) assert.deepEqual((await lab.ask(name)).records, ['A 198.51.100.53'], name)
  })
})
