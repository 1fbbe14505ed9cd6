// Certificates are made here, each with one thing wrong.

import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { makeCertificate } from '../certificates/certificate-maker.ts'
import { faultOfCertificate, isIssuedBy, readCertificates } from './certificate.ts'

const now = new Date('2027-01-01T00:00:00Z')
const day = 24 * 3600 * 1000

describe('certificates in PEM', () => {
  let [server, root, key] = ['', '', '']
  before(async () => {
    const made = await makeCertificate(['gateway.test'], now)
    root = made.chain.slice(made.chain.lastIndexOf('-----BEGIN'))
    server = made.chain.slice(0, -root.length)
    key = made.key
  })
  const faultOf = (pem: string, most = 1): string => {
    const read = readCertificates(pem, most)
    return 'fault' in read ? read.fault : 'none'
  }

  it('are read, one or several, with any line ends', () => {
    assert.equal(faultOf(root), 'none')
    assert.equal(faultOf(`\r\n${root.replaceAll('\n', '\r\n')}\n`), 'none')
    const read = readCertificates(server + root, 2)
    assert.ok('certificates' in read && read.certificates.length === 2)
  })

  it('that cannot be read are distinguished', () => {
    assert.match(faultOf(''), /^This is not a certificate in PEM format/)
    assert.match(faultOf(`${root}and more`), /^This is not a certificate in PEM format/)
    assert.match(faultOf(root.replaceAll('CERTIFICATE', 'PUBLIC KEY')), /^This is not a certificate in PEM format/)
    assert.match(faultOf(server + root), /^Must be exactly one certificate/)
    assert.match(faultOf(root.repeat(4), 3), /^Contains more than 3/)
    assert.match(faultOf(server + key, 2), /^Contains a private key/)
    assert.match(faultOf(root.replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA')), /^The certificate is damaged/)
    const cut = `${root.slice(0, 200)}\n-----END CERTIFICATE-----\n`
    assert.match(faultOf(server + cut, 2), /^Certificate 2 of 2 is damaged/)
  })

  it('are judged by the time that is given', () => {
    const certificate = new X509Certificate(server)
    assert.equal(faultOfCertificate(certificate, now), null)
    const late = new Date(certificate.validToDate.getTime() + day)
    assert.match(faultOfCertificate(certificate, late) ?? '', /^expired on 2028-02-02\.$/)
    const early = new Date(certificate.validFromDate.getTime() - day)
    assert.match(faultOfCertificate(certificate, early) ?? '', /^is not valid before 2026-12-31\.$/)
  })

  it('know who issued them, by signature and not by name alone', async () => {
    const [leaf, authority] = [new X509Certificate(server), new X509Certificate(root)]
    assert.ok(isIssuedBy(leaf, authority))
    assert.ok(isIssuedBy(authority, authority))
    assert.ok(!isIssuedBy(leaf, leaf))
    const bytes = Buffer.from(authority.raw)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    assert.ok(!isIssuedBy(new X509Certificate(bytes), authority), 'a signature that was touched')
    assert.ok(leaf.checkPrivateKey(createPrivateKey(key)))
  })
})
