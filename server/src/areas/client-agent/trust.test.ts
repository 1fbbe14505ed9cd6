import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { earlyRoot, expiredRoot } from '../../../test/support/dated-roots.ts'
import { makeCertificate } from '../../shared/certificates/certificate-maker.ts'
import { faultOfTrust } from './trust.ts'

const now = new Date('2027-01-01T00:00:00Z')

/** Made with openssl, each good for a hundred years but for one thing. */
const selfSignedDevice = `-----BEGIN CERTIFICATE-----
MIIBeTCCASCgAwIBAgIUBWg7y/3Eov937tJxRF7a5KAbtIcwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIbGFwdG9wLTcwIBcNMjYxMTE1MDgwODI1WhgPMjEyNjEwMjIw
ODA4MjVaMBMxETAPBgNVBAMMCGxhcHRvcC03MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEbijT2dzuoSmCDoIqy9qJglC2IcFHtLBgVJIMkGgOrE81WVlgEXl3s3hm
gltulBlIfY2iu5Zt1KhAtWdEuuB86KNQME4wHQYDVR0OBBYEFNnrvpRKUeoaWfo0
pD5ST0hG3Z08MB8GA1UdIwQYMBaAFNnrvpRKUeoaWfo0pD5ST0hG3Z08MAwGA1Ud
EwEB/wQCMAAwCgYIKoZIzj0EAwIDRwAwRAIgCQ/IhGjD0hYMwEx0dMKkEsXQe6hU
XI10274u5eaIYr8CIEYWKFQhuQPanKF0CCCFiYt7daXppPDSMYmw2uKRBbrb
-----END CERTIFICATE-----
`
const weakKey = `-----BEGIN CERTIFICATE-----
MIIB/DCCAWWgAwIBAgIUALxJqPzuu0xRqMrjt8eAHPOVOLYwDQYJKoZIhvcNAQEL
BQAwDzENMAsGA1UEAwwEd2VhazAgFw0yNjExMTUwODA4MjVaGA8yMTI2MTAyMjA4
MDgyNVowDzENMAsGA1UEAwwEd2VhazCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkC
gYEAsg+pfdRfB8p1C77o0AgMrJG5Z6c/KAsI1YGp2zXk2dDbTAhhwQZF6SvaNuhk
tdffVctoc7DhQ+wlWcjnc5edA+2zlDow8UWPzp0lkYmomucs1pdvJSG+5Zy4vHFY
YFPyMOUy+7/E4dO0XEtzkHcaOLmyjruyIGeUIbFyYi1hchMCAwEAAaNTMFEwHQYD
VR0OBBYEFISKZXQ8cWVqodjH7btkaIMKXuNjMB8GA1UdIwQYMBaAFISKZXQ8cWVq
odjH7btkaIMKXuNjMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEA
BUXH/tr4rnXKpNADSNeYBZyY0au9Rvkc1+0V03CsoIlMDiD+s1pA4WeytvX6Znxj
ILBZg0Of+MQ3d55OrSYeZ+c59Avw8Zn6twAvDWqsqzT4sJdn2XFMO7kuywRWNcNs
RAQgXbefwy731LD3MGNecBLyIc3e/M7kKgHqPPnpAaE=
-----END CERTIFICATE-----
`
const nameless = `-----BEGIN CERTIFICATE-----
MIIBfDCCASOgAwIBAgIUQrf0MzUacs7WxtMFvWlAOiEfihkwCgYIKoZIzj0EAwIw
EzERMA8GA1UECgwIbmFtZWxlc3MwIBcNMjYxMTE1MDgwODI1WhgPMjEyNjEwMjIw
ODA4MjVaMBMxETAPBgNVBAoMCG5hbWVsZXNzMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEqiZGt4mLZU1ezeAgrh6zmkTEgnDuSSasAAec3fgicIIqCJ6E5CMgbMfo
TfxRhG8aoPptPYnL+w5mVa3B9NisV6NTMFEwHQYDVR0OBBYEFJhagFLJrx0tPq7O
CaxnGV3zWlx8MB8GA1UdIwQYMBaAFJhagFLJrx0tPq7OCaxnGV3zWlx8MA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgLzseRCbEAxGbH+kQc1coYr7O
Acx5EZKyOrkb98LBClQCIEbyUR6XrWLecv+dC069lLuYDqf7K5JluRjLacvn2EuR
-----END CERTIFICATE-----
`

describe('a certificate that devices are verified by', () => {
  let root = ''
  let leaf = ''
  let key = ''
  before(async () => {
    const rootOf = (chain: string): string => chain.slice(chain.lastIndexOf('-----BEGIN'))
    const made = await makeCertificate(['gateway.test'], now)
    root = rootOf(made.chain)
    leaf = made.chain.slice(0, -root.length)
    key = made.key
  })

  it('is a root, or a self-signed one of a device', () => {
    assert.equal(faultOfTrust(root, now), null)
    assert.equal(faultOfTrust(`\n${root.replaceAll('\n', '\r\n')}\n`, now), null)
    assert.equal(faultOfTrust(selfSignedDevice, now), null)
  })

  const faults: readonly (readonly [title: string, pem: () => string, fault: RegExp])[] = [
    ['empty', () => '', /not a certificate in PEM form/],
    ['some text', () => 'abc', /not a certificate in PEM form/],
    ['a certificate with text around it', () => `${root}abc`, /not a certificate in PEM form/],
    ['another kind of PEM', () => root.replaceAll('CERTIFICATE', 'PUBLIC KEY'), /not a certificate in PEM form/],
    ['with its private key', () => root + key, /private key/],
    ['damaged', () => root.replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), /damaged/],
    ['cut off', () => `${root.slice(0, 200)}\n-----END CERTIFICATE-----\n`, /damaged/],
    ['expired', () => expiredRoot, /expired on 20\d\d-\d\d-\d\d/],
    ['not valid yet', () => earlyRoot, /not valid before 20\d\d-\d\d-\d\d/],
    ['of a server, without its root', () => leaf, /not self-signed/],
    ['a chain that begins with its end', () => leaf + root, /Certificate 1 of 2 is not self-signed/],
    ['a chain that ends in no authority', () => root + leaf, /Certificate 2 of 2 cannot sign others/],
    ['two that have nothing to do with each other', () => root + selfSignedDevice, /not issued by the one before/],
    ['with a short key', () => weakKey, /RSA key of 1024 bits/],
    ['without a common name', () => nameless, /no common name/],
    ['too many', () => root.repeat(11), /more than 10/],
  ]
  for (const [title, pem, fault] of faults) {
    it(`is not ${title}`, () => assert.match(faultOfTrust(pem(), now) ?? 'nothing wrong', fault))
  }
})
