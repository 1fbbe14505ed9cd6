// The DNS server towards the outside: signatures of what it receives, and updates to the provider of dynamic DNS.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { DnsLab, dnsSkip, freshName } from '../support/dns-lab.ts'
import { startEcho, startZone } from '../support/dns-servers.ts'
import { until } from '../support/until.ts'

const [elsewhere, elsewhereSays] = ['198.51.100.60', '198.51.100.160']

describe('the DNS server towards the outside', { skip: dnsSkip }, () => {
  let lab: DnsLab

  before(async () => {
    lab = await DnsLab.start()
    await startEcho(lab.gateway, elsewhere, elsewhereSays)
  })
  after(() => lab.stop())

  it('checks signatures with the root of the lab: a good one is reported, a broken one is refused', async () => {
    const { text, anchor } = signedZone('delegated.test')
    const broken = text.replaceAll('198.51.100.80', '198.51.100.81')
    await startZone(lab.gateway, '198.51.100.64', 'delegated.test', broken)
    assert.deepEqual(
      await lab.addresses(freshName('bad.delegated.test')),
      ['198.51.100.81'],
      'nobody looks without a key',
    )
    writeFileSync(join(lab.gateway.stateDir, 'lab', 'root.key'), anchor)
    await lab.gateway.killApplyd()
    await until(
      'signatures are checked',
      async () => (await lab.ask(freshName('bad.delegated.test'))).status === 'SERVFAIL',
    )
    const good = await lab.ask('good.delegated.test', { options: ['+dnssec'] })
    assert.equal(good.status, 'NOERROR')
    assert.ok(good.flags.includes('ad'), `${good.flags}`)
    assert.ok(!(await lab.ask('www.example.test', { options: ['+dnssec'] })).flags.includes('ad'))
    const zone = { name: 'bad.delegated.test', enabled: true, servers: ['198.51.100.64'], comment: '' }
    const forward = await lab.add('/dns/zones/forward', zone)
    assert.deepEqual(
      await lab.addresses(freshName('bad.delegated.test')),
      ['198.51.100.81'],
      'a forward zone is trusted',
    )
    await lab.ok('DELETE', `/dns/zones/forward/${forward}`)
    const server = await lab.add('/dns/zones/root', { enabled: true, type: 'ip', object: elsewhere, comment: '' })
    assert.deepEqual(
      await lab.addresses(freshName('delegated.test')),
      [elsewhereSays],
      'a server without signatures works',
    )
    await lab.ok('DELETE', `/dns/zones/root/${server}`)
  })

  it('keeps a domain at the external address, and says how that went', async () => {
    const backend = async () => {
      const { status, msg } = await lab.item('portcullis-dns-backend')
      return `${status}: ${msg.join(' ')}`
    }
    await lab.ok('PATCH', '/dns/settings', { intercept_enabled: false })
    await lab.ok('PATCH', '/dns/ddns', { domain: 'home.example', service_login: 'me', service_password: 'wrong' })
    await lab.ok('PATCH', '/dns/ddns/state', { enabled: true })
    assert.match(await backend(), /^failed: .*is not set on this gateway/)
    const seen = await startProvider(lab)
    await lab.ok('PATCH', '/dns/ddns', { service_login: 'you' })
    await until('the refusal is told', async () => /the login or the password is wrong/.test(await backend()))
    await lab.ok('PATCH', '/dns/ddns', { service_password: 'right' })
    await until('the update is told', async () =>
      /^active: .*home\.example are at 203\.0\.113\.2/.test(await backend()),
    )
    assert.deepEqual(seen().slice(-2), [
      'you:right /nic/update?hostname=home.example&myip=203.0.113.2',
      'you:right /nic/update?hostname=www.home.example&myip=203.0.113.2',
    ])
    const count = seen().length
    await lab.gateway.killGatewayd()
    await lab.signIn()
    await until('the state is known after a restart', async () => (await backend()).startsWith('active: '))
    assert.equal(seen().length, count, 'nothing was sent again')
    await lab.ok('PATCH', '/dns/ddns/state', { enabled: false })
    assert.match(await backend(), /^inactive: .*disabled/)
  })
})

/** `good` and whatever is below `bad`, signed; the anchor is the key of the zone. */
function signedZone(name: string): { readonly text: string; readonly anchor: string } {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-signed-'))
  const run = (...command: string[]): string => {
    const [program = '', ...args] = command
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout.trim()
  }
  const records = ['@ SOA ns root 1 3600 600 86400 60', '@ NS ns', 'ns A 198.51.100.64', 'good A 198.51.100.79']
  const zone = [`$ORIGIN ${name}.`, '$TTL 300', ...records, '*.bad A 198.51.100.80', ''].join('\n')
  writeFileSync(join(folder, 'zone'), zone)
  const key = run('/usr/bin/ldns-keygen', '-a', 'ECDSAP256SHA256', '-k', name)
  run('/usr/bin/ldns-signzone', 'zone', key)
  const result = {
    text: readFileSync(join(folder, 'zone.signed'), 'utf8'),
    anchor: readFileSync(join(folder, `${key}.key`), 'utf8').replace(/;.*/, ''),
  }
  rmSync(folder, { recursive: true })
  return result
}

/** The provider's service at provider.example.test, with the files by which the gateway knows it; answers what it saw. */
async function startProvider({ gateway }: DnsLab): Promise<() => string[]> {
  const folder = join(gateway.stateDir, 'lab', 'provider')
  const { key, chain } = await ensureCertificate(folder, ['provider.example.test'], new Date())
  const logFile = join(folder, 'seen')
  writeFileSync(logFile, '')
  const input = JSON.stringify({ key, chain, logFile, host: '203.0.113.1', password: 'right' })
  const script = join(appRoot, 'server/test/support/ddns-provider.ts')
  void gateway.exec('internet', [runtimePath(appRoot), script], { input, timeoutMs: 900_000 }).catch(() => {})
  const isListening = async () =>
    (await gateway.exec('internet', ['/usr/bin/ss', '-Hltn'])).stdout.includes('203.0.113.1:443 ')
  await until('the provider listens', isListening)
  writeFileSync(join(gateway.stateDir, 'ddns-ca.pem'), chain, { mode: 0o644 })
  writeFileSync(join(gateway.stateDir, 'ddns-server'), 'https://provider.example.test/nic/update\n', { mode: 0o644 })
  return () =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
}
