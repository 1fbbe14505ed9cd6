// The transport: TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only, under a certificate of our own
// that is made once and kept private.
// Requirements 10 and 36.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type ConnectionOptions, getCiphers } from 'node:tls'
import { makeRoot, makeWebAuthority } from '../../src/shared/certificates/certificate-maker.ts'
import { CertificateRenewal, certificateNames } from '../../src/shared/certificates/certificate-renewal.ts'
import { createTlsServer, ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { isRenewalOf, readCertificate } from '../../src/tools/cli/client/connection.ts'
import { lacking } from '../support/requires.ts'
import { createTlsGateway, openTls, type TlsGateway } from './tls-gateway.ts'

const allowed = [
  'TLSv1.3 TLS_AES_128_GCM_SHA256',
  'TLSv1.3 TLS_AES_256_GCM_SHA384',
  'TLSv1.3 TLS_CHACHA20_POLY1305_SHA256',
  'TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256',
  'TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384',
  'TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305',
]

describe('TLS', () => {
  let target: TlsGateway
  before(async () => {
    target = await createTlsGateway()
  })
  after(() => target.close())

  const handshake = async (options: ConnectionOptions): Promise<string | null> => {
    try {
      const socket = await openTls(target, options)
      const name = `${socket.getProtocol()} ${socket.getCipher().name}`
      socket.destroy()
      return name
    } catch {
      return null
    }
  }

  it('speaks exactly the ciphers of the list', async () => {
    const found: string[] = []
    for (const name of getCiphers().map((cipher) => cipher.toUpperCase())) {
      const isNew = name.startsWith('TLS_')
      const version = isNew ? 'TLSv1.3' : 'TLSv1.2'
      // Security level 0 lets the client offer what it would otherwise hide.
      const ciphers = isNew ? name : `${name}:@SECLEVEL=0`
      const agreed = await handshake({ ciphers, minVersion: version, maxVersion: version })
      if (agreed !== null) found.push(agreed)
    }
    assert.deepEqual(found.sort(), [...allowed].sort())
  })

  it('refuses older versions', async () => {
    for (const version of ['TLSv1', 'TLSv1.1'] as const) {
      const options = { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' }
      assert.equal(await handshake(options), null, version)
    }
  })

  it('refuses ciphers without forward secrecy or with CBC', async () => {
    for (const ciphers of [
      'AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES128-SHA256',
      'ECDHE-ECDSA-AES256-SHA',
      'DHE-RSA-AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES128-CCM8',
      'PSK-AES128-GCM-SHA256',
      'NULL-SHA256',
    ]) {
      assert.equal(await handshake({ ciphers: `${ciphers}:@SECLEVEL=0`, maxVersion: 'TLSv1.2' }), null, ciphers)
    }
  })

  it('offers HTTP/1.1 and nothing else', async () => {
    const socket = await openTls(target, { ALPNProtocols: ['h2', 'http/1.1'] })
    assert.equal(socket.alpnProtocol, 'http/1.1')
    socket.destroy()
    assert.equal(await handshake({ ALPNProtocols: ['h2'] }), null)
  })

  it('does not renegotiate', async () => {
    const socket = await openTls(target, { maxVersion: 'TLSv1.2' })
    socket.on('error', () => {})
    const error = await new Promise<Error | null>((resolve) => {
      socket.once('close', () => resolve(new Error('closed')))
      socket.renegotiate({}, (failure) => resolve(failure))
    })
    assert.ok(error)
    socket.destroy()
  })

  it('answers plain HTTP with no more than an end', async () => {
    const text = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connectPlain(target.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(received))
    })
    assert.doesNotMatch(text, /HTTP\/1/)
  })
})

const rootOf = (chain: string): string => chain.slice(chain.lastIndexOf('-----BEGIN'))

describe('the certificate', () => {
  let target: TlsGateway
  before(async () => {
    target = await createTlsGateway()
  })
  after(() => target.close())

  it('is P-256, signed by a root of our own, for our names and for servers only', () => {
    const [server, root] = target.certificate.chain
      .split(/(?=-----BEGIN)/)
      .filter((pem) => pem.trim() !== '')
      .map((pem) => new X509Certificate(pem))
    assert.ok(server && root)
    assert.equal(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
    assert.equal(server.ca, false)
    assert.equal(root.ca, true)
    assert.ok(server.verify(root.publicKey) && root.verify(root.publicKey))
    assert.ok(server.checkIssued(root))
    assert.equal(server.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1')
    assert.deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1'])
    const days = (server.validToDate.getTime() - server.validFromDate.getTime()) / 86_400_000
    assert.ok(days <= 398, `${days} days`)
    assert.notEqual(server.serialNumber, root.serialNumber)
    assert.ok(server.serialNumber.length >= 16)
  })

  it('lies in files that only the service can read', () => {
    const names = readdirSync(target.folder).sort()
    assert.deepEqual(names, ['root.crt', 'root.key', 'server.crt', 'server.key'])
    for (const name of names) assert.equal(statSync(join(target.folder, name)).mode & 0o077, 0, name)
  })

  it('is made once, kept, and renewed before it ends', async () => {
    const names = ['localhost', '127.0.0.1', '::1']
    const again = await ensureCertificate(target.folder, names, new Date())
    assert.equal(again.chain, target.certificate.chain)
    assert.equal(again.key, target.certificate.key)
    const later = new Date(Date.now() + 380 * 86_400_000)
    const renewed = await ensureCertificate(target.folder, names, later)
    assert.notEqual(renewed.key, target.certificate.key)
    assert.ok(new X509Certificate(renewed.chain).validToDate > later)
    assert.equal(rootOf(renewed.chain), rootOf(target.certificate.chain), 'whoever trusts the root goes on trusting')
  })

  it('is renewed when the names of the gateway change, and the root only when host names do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-names-'))
    try {
      const first = await ensureCertificate(folder, ['gw.test', '192.0.2.1'], new Date())
      const moved = await ensureCertificate(folder, ['gw.test', '192.0.2.2', '2001:db8::2'], new Date())
      assert.match(new X509Certificate(moved.chain).subjectAltName ?? '', /DNS:gw.test, IP Address:192.0.2.2, IP/)
      assert.equal(rootOf(moved.chain), rootOf(first.chain))
      const renamed = await ensureCertificate(folder, ['other.test', '192.0.2.2'], new Date())
      assert.notEqual(rootOf(renamed.chain), rootOf(first.chain))
      const keys = [first, renamed].map(({ chain }) => new X509Certificate(rootOf(chain)).publicKey)
      assert.ok(keys[0] && keys[1]?.equals(keys[0]), 'the key of the root stays, so that gw can follow')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('has key identifiers and is accepted by a strict verifier that trusts the root', {
    skip: lacking('/usr/bin/openssl'),
  }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-strict-'))
    try {
      const [server, root] = ['server.pem', 'root.pem'].map((name) => join(folder, name)) as [string, string]
      writeFileSync(server, target.certificate.chain)
      writeFileSync(root, rootOf(target.certificate.chain))
      const verified = spawnSync('openssl', [
        'verify',
        '-x509_strict',
        '-CAfile',
        root,
        '-verify_ip',
        '127.0.0.1',
        server,
      ])
      assert.equal(verified.status, 0, String(verified.stderr))
      const text = String(spawnSync('openssl', ['x509', '-in', server, '-noout', '-text']).stdout)
      assert.match(text, /Subject Key Identifier/)
      assert.match(text, /Authority Key Identifier/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('takes the place of the old one in a listener that runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-renewal-'))
    let names = ['localhost', '127.0.0.1']
    const renewal = await CertificateRenewal.start({ folder, names: () => names, now: () => new Date() })
    const listener = renewal.follow(createTlsServer(renewal.current, (_request, response) => response.end()))
    try {
      listener.listen(0, '127.0.0.1')
      await once(listener, 'listening')
      const address = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`
      const before = await readCertificate(address)
      assert.equal(await renewal.look(), false)
      names = [...names, '192.0.2.7']
      assert.deepEqual(await Promise.all([renewal.look(), renewal.look()]), [true, true])
      const after = await readCertificate(address)
      assert.notEqual(after.fingerprint, before.fingerprint)
      assert.ok(isRenewalOf(before, after))
    } finally {
      listener.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('goes on being served when a new one cannot be stored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-full-'))
    try {
      const first = await ensureCertificate(folder, ['localhost'], new Date())
      // A folder in the place of the staged file refuses the write, for root too.
      mkdirSync(join(folder, 'root.key.new'))
      const later = new Date(Date.now() + 380 * 86_400_000)
      assert.deepEqual(await ensureCertificate(folder, ['localhost'], later), first)
      rmSync(join(folder, 'root.key.new'), { recursive: true })
      assert.notDeepEqual(await ensureCertificate(folder, ['localhost'], later), first)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('names every address of a gateway that listens at all of them', () => {
    const addresses = ['192.0.2.1/24', 'fe80::1/64', '2001:db8::1/64', '127.0.0.1/8']
    assert.deepEqual(certificateNames('0.0.0.0', 'GW', addresses), [
      '192.0.2.1',
      '2001:db8::1',
      '127.0.0.1',
      'gw',
      'localhost',
      '::1',
    ])
    assert.deepEqual(certificateNames('192.0.2.9', 'gw', addresses), [
      '192.0.2.9',
      'gw',
      'localhost',
      '127.0.0.1',
      '::1',
    ])
  })

  it('is made once for whatever name the network gives to the machine', async () => {
    const hosts = [
      'gw_1',
      'Ünï',
      'a\u0000b',
      '*.example.org',
      '.example.org',
      '(none)',
      '',
      'a,b',
      `${'x'.repeat(63)}.lan`,
    ]
    const places = ['fe80::1%eth0', '::ffff:192.0.2.1', '0:0:0:0:0:0:0:1', `${'y'.repeat(60)}.${'z'.repeat(60)}`]
    for (const names of [
      ...hosts.map((host) => certificateNames('0.0.0.0', host, ['192.0.2.1/24'])),
      ...places.map((place) => certificateNames(place, 'gw', [])),
    ]) {
      const made = await ensureCertificate(target.folder, names, new Date())
      assert.equal((await ensureCertificate(target.folder, names, new Date())).chain, made.chain, names.join(' '))
      const { subject } = new X509Certificate(made.chain)
      assert.ok(subject.length <= 'CN='.length + 64, subject)
      assert.doesNotMatch(names.join(' '), /\*|%| \./)
    }
  })

  it('is made again when the clock was ahead, and not while it is not set yet', async () => {
    const names = ['localhost']
    const now = new Date()
    const ahead = await ensureCertificate(target.folder, names, new Date(now.getTime() + 4000 * 86_400_000))
    const made = await ensureCertificate(target.folder, names, now)
    assert.notEqual(made.chain, ahead.chain)
    for (const part of made.chain.split(/(?<=-----END CERTIFICATE-----\n)/))
      assert.ok(new X509Certificate(part).validFromDate < now)
    assert.equal((await ensureCertificate(target.folder, names, new Date(0))).chain, made.chain)
  })

  it('has a root that holds at the right time, whatever the clock was when it was made', async () => {
    const now = new Date()
    for (const clock of [0, Date.UTC(2000, 0, 1), now.getTime(), Date.UTC(2038, 0, 19), Date.UTC(2100, 0, 1)])
      for (const { certificate } of [
        await makeRoot(['localhost'], new Date(clock)),
        await makeWebAuthority(new Date(clock)),
      ]) {
        const { validFromDate, validToDate } = new X509Certificate(certificate)
        assert.ok(validFromDate < now, `${clock}: ${validFromDate.toISOString()}`)
        assert.ok(
          validToDate.getTime() > now.getTime() + 8 * 365 * 86_400_000,
          `${clock}: ${validToDate.toISOString()}`,
        )
      }
  })

  it('is made again when its files are damaged or do not fit each other', async () => {
    const path = (name: string): string => join(target.folder, name)
    const other = await createTlsGateway()
    const damages: [string, string][] = [
      ['server.key', other.certificate.key],
      ['server.crt', 'nothing'],
      ['server.key', ''],
    ]
    await other.close()
    for (const [name, content] of damages) {
      writeFileSync(path(name), content)
      const made = await ensureCertificate(target.folder, ['localhost'], new Date())
      assert.ok(new X509Certificate(made.chain).checkPrivateKey(createPrivateKey(made.key)), name)
      assert.equal(readFileSync(path('server.key'), 'utf8'), made.key)
    }
  })

  it('of two installations has nothing in common', async () => {
    const other = await createTlsGateway()
    const [one, two] = [target, other].map((each) => new X509Certificate(each.certificate.chain))
    assert.notEqual(one?.serialNumber, two?.serialNumber)
    assert.notEqual(one?.issuer, two?.issuer)
    assert.ok(!one?.publicKey.equals(two?.publicKey as never))
    await other.close()
  })
})
