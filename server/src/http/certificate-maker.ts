// Makes the gateway's own root and a server certificate signed by it. Loaded only when one is needed, because the
// certificate library is large.

import { randomBytes, webcrypto } from 'node:crypto'
import * as asn1js from 'asn1js'
import * as pkijs from 'pkijs'
import { type ServerCertificate, splitNames } from './tls.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
const day = 24 * 3600 * 1000
const rootDays = 3650
/** Browsers refuse server certificates that live longer. */
const serverDays = 397

export async function makeCertificate(names: readonly string[], now: Date): Promise<ServerCertificate> {
  const rootKeys = await makeKeys()
  const serverKeys = await makeKeys()
  const serial = randomBytes(4).toString('hex')
  const rootName = `Gateway root ${serial}`
  const root = await sign(
    { subject: rootName, issuer: rootName, keys: rootKeys, signer: rootKeys, days: rootDays, now },
    [
      extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema()),
      // keyCertSign and cRLSign
      extension('2.5.29.15', true, new asn1js.BitString({ valueHex: new Uint8Array([0x06]).buffer, unusedBits: 1 })),
    ],
  )
  const server = await sign(
    { subject: names[0] ?? 'gateway', issuer: rootName, keys: serverKeys, signer: rootKeys, days: serverDays, now },
    [
      extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
      // digitalSignature
      extension('2.5.29.15', true, new asn1js.BitString({ valueHex: new Uint8Array([0x80]).buffer, unusedBits: 7 })),
      extension('2.5.29.37', false, new pkijs.ExtKeyUsage({ keyPurposes: ['1.3.6.1.5.5.7.3.1'] }).toSchema()),
      extension('2.5.29.17', false, subjectNames(names).toSchema()),
    ],
  )
  // The root's key is forgotten: this root signs exactly one certificate.
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey))
  return { key: pem('PRIVATE KEY', key), chain: pem('CERTIFICATE', server) + pem('CERTIFICATE', root) }
}

type Keys = webcrypto.CryptoKeyPair

const makeKeys = (): Promise<Keys> => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<Keys>

interface CertificateSpec {
  readonly subject: string
  readonly issuer: string
  readonly keys: Keys
  readonly signer: Keys
  readonly days: number
  readonly now: Date
}

async function sign(spec: CertificateSpec, extensions: pkijs.Extension[]): Promise<Buffer> {
  const certificate = new pkijs.Certificate()
  certificate.version = 2
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  certificate.serialNumber = new asn1js.Integer({ valueHex: new Uint8Array(serial).buffer })
  certificate.issuer.typesAndValues.push(commonName(spec.issuer))
  certificate.subject.typesAndValues.push(commonName(spec.subject))
  certificate.notBefore.value = new Date(spec.now.getTime() - day)
  certificate.notAfter.value = new Date(spec.now.getTime() + spec.days * day)
  certificate.extensions = extensions
  await certificate.subjectPublicKeyInfo.importKey(spec.keys.publicKey as unknown as CryptoKey)
  await certificate.sign(spec.signer.privateKey as unknown as CryptoKey, 'SHA-256')
  return Buffer.from(certificate.toSchema(true).toBER(false))
}

const commonName = (value: string): pkijs.AttributeTypeAndValue =>
  new pkijs.AttributeTypeAndValue({ type: '2.5.4.3', value: new asn1js.Utf8String({ value }) })

const extension = (
  extnID: string,
  critical: boolean,
  schema: { toBER(sizeOnly?: boolean): ArrayBuffer },
): pkijs.Extension => new pkijs.Extension({ extnID, critical, extnValue: schema.toBER(false) })

function subjectNames(names: readonly string[]): pkijs.GeneralNames {
  const { dns, ip } = splitNames(names)
  return new pkijs.GeneralNames({
    names: [
      ...dns.map((value) => new pkijs.GeneralName({ type: 2, value })),
      ...ip.map(
        (address) =>
          new pkijs.GeneralName({ type: 7, value: new asn1js.OctetString({ valueHex: addressBytes(address) }) }),
      ),
    ],
  })
}

function addressBytes(address: string): ArrayBuffer {
  if (!address.includes(':')) return new Uint8Array(address.split('.').map(Number)).buffer
  const [head = '', tail] = address.split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
  return new Uint8Array(all.flatMap((group) => [group >> 8, group & 0xff])).buffer
}

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`
