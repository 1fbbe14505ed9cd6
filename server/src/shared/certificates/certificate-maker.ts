// Makes the gateway's own root and the server certificates that it signs. Loaded only when one is needed, because the
// certificate library is large.

import { createHash, createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import * as asn1js from 'asn1js'
import * as pkijs from 'pkijs'
import { earliest, type ServerCertificate, splitNames } from './tls.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
const day = 24 * 3600 * 1000
const rootDays = 3650
/** Browsers refuse server certificates that live longer. */
const serverDays = 397
/** RFC 5280, ub-common-name. */
const maxCommonName = 64

/** A root and its private key, both as PEM. */
export interface Root {
  readonly key: string
  readonly certificate: string
}

/** A root with a server certificate. */
export async function makeCertificate(names: readonly string[], now: Date): Promise<ServerCertificate> {
  return issueServer(await makeRoot(names, now), names, now)
}

/**
 * It may sign for addresses and for these host names alone: anyone who steals the key of a root that browsers trust
 * cannot pose as any other site. With the key of an earlier root, what trusts that key trusts the new root.
 */
export async function makeRoot(names: readonly string[], now: Date, key?: string): Promise<Root> {
  const keys = key === undefined ? await makeKeys() : await readKeys(key)
  return signRoot(keys, rootNameOf(await identifierOf(keys)), names, now)
}

/** The authority of the web proxy, which has to sign for any name: a root of its own, with its own name. */
export async function makeWebAuthority(now: Date): Promise<Root> {
  const keys = await makeKeys()
  const number = Buffer.from(await identifierOf(keys)).toString('hex')
  return signRoot(keys, `Gateway content filter ${number.slice(0, 8)}`, [], now)
}

async function signRoot(keys: Keys, name: string, names: readonly string[], now: Date): Promise<Root> {
  const identifier = await identifierOf(keys)
  // People install a root on their machines, so one that was made by a wrong clock has to hold once the clock is right: it
  // begins early, and ends years after the product was made.
  const until = new Date(Math.max(now.getTime(), earliest) + rootDays * day)
  const spec = {
    subject: name,
    issuer: name,
    keys,
    signer: keys,
    from: new Date(Math.min(now.getTime(), earliest)),
    until,
  }
  const certificate = await sign(spec, [
    extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema()),
    // keyCertSign and cRLSign
    extension('2.5.29.15', true, new asn1js.BitString({ valueHex: new Uint8Array([0x06]).buffer, unusedBits: 1 })),
    extension('2.5.29.14', false, new asn1js.OctetString({ valueHex: identifier })),
    extension('2.5.29.35', false, authority(identifier)),
    ...permitted(splitNames(names).dns),
  ])
  return { key: await writeKey(keys), certificate: pem('CERTIFICATE', certificate) }
}

export async function issueServer(root: Root, names: readonly string[], now: Date): Promise<ServerCertificate> {
  const rootKeys = await readKeys(root.key)
  const rootIdentifier = await identifierOf(rootKeys)
  const keys = await makeKeys()
  const issuer = rootNameOf(rootIdentifier)
  const subject = names.find((name) => name.length <= maxCommonName) ?? 'gateway'
  const server = await sign({ subject, issuer, keys, signer: rootKeys, ...serverLife(now) }, [
    extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
    // digitalSignature
    extension('2.5.29.15', true, new asn1js.BitString({ valueHex: new Uint8Array([0x80]).buffer, unusedBits: 7 })),
    extension('2.5.29.37', false, new pkijs.ExtKeyUsage({ keyPurposes: ['1.3.6.1.5.5.7.3.1'] }).toSchema()),
    extension('2.5.29.17', false, subjectNames(names).toSchema()),
    extension('2.5.29.14', false, new asn1js.OctetString({ valueHex: await identifierOf(keys) })),
    extension('2.5.29.35', false, authority(rootIdentifier)),
  ])
  return { key: await writeKey(keys), chain: pem('CERTIFICATE', server) + root.certificate }
}

const serverLife = (now: Date): Pick<CertificateSpec, 'from' | 'until'> => ({
  from: new Date(now.getTime() - day),
  until: new Date(now.getTime() + serverDays * day),
})

/** One key for many certificates, which are trusted by no one and only say a name. */
export interface NamingKey {
  readonly key: string
  readonly keys: Keys
}

export async function makeNamingKey(): Promise<NamingKey> {
  const keys = await makeKeys()
  return { key: await writeKey(keys), keys }
}

/** For exactly this host name or address; signed by its own key. */
export async function issueName({ keys }: NamingKey, name: string, now: Date): Promise<string> {
  const subject = name.length <= maxCommonName ? name : 'gateway'
  const certificate = await sign({ subject, issuer: subject, keys, signer: keys, ...serverLife(now) }, [
    extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
    extension('2.5.29.37', false, new pkijs.ExtKeyUsage({ keyPurposes: ['1.3.6.1.5.5.7.3.1'] }).toSchema()),
    extension('2.5.29.17', false, subjectNames([name]).toSchema()),
  ])
  return pem('CERTIFICATE', certificate)
}

/** The same for the same key, so that certificates of a root fit its successor with that key too. */
const rootNameOf = (identifier: ArrayBuffer): string =>
  `Gateway root ${Buffer.from(identifier).toString('hex').slice(0, 8)}`

/** Key identifiers as RFC 7093 makes them: the first 160 bits of the SHA-256 of the public key. */
async function identifierOf({ publicKey }: Keys): Promise<ArrayBuffer> {
  const point = Buffer.from(await webcrypto.subtle.exportKey('raw', publicKey))
  return new Uint8Array(createHash('sha256').update(point).digest().subarray(0, 20)).buffer
}

const authority = (identifier: ArrayBuffer) =>
  new pkijs.AuthorityKeyIdentifier({ keyIdentifier: new asn1js.OctetString({ valueHex: identifier }) }).toSchema()

function permitted(hosts: readonly string[]): pkijs.Extension[] {
  if (hosts.length === 0) return []
  const subtrees = hosts.map(
    (value) => new pkijs.GeneralSubtree({ base: new pkijs.GeneralName({ type: 2, value }), minimum: 0 }),
  )
  return [extension('2.5.29.30', true, new pkijs.NameConstraints({ permittedSubtrees: subtrees }).toSchema())]
}

type Keys = webcrypto.CryptoKeyPair

async function readKeys(text: string): Promise<Keys> {
  const privateKey = createPrivateKey(text)
  const read = (form: 'pkcs8' | 'spki', bytes: Buffer, use: 'sign' | 'verify') =>
    webcrypto.subtle.importKey(form, new Uint8Array(bytes), algorithm, true, [use])
  return {
    privateKey: await read('pkcs8', privateKey.export({ type: 'pkcs8', format: 'der' }), 'sign'),
    publicKey: await read('spki', createPublicKey(privateKey).export({ type: 'spki', format: 'der' }), 'verify'),
  }
}

const writeKey = async ({ privateKey }: Keys): Promise<string> =>
  pem('PRIVATE KEY', Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)))

const makeKeys = (): Promise<Keys> => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<Keys>

interface CertificateSpec {
  readonly subject: string
  readonly issuer: string
  readonly keys: Keys
  readonly signer: Keys
  readonly from: Date
  readonly until: Date
}

async function sign(spec: CertificateSpec, extensions: pkijs.Extension[]): Promise<Buffer> {
  const certificate = new pkijs.Certificate()
  certificate.version = 2
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  certificate.serialNumber = new asn1js.Integer({ valueHex: new Uint8Array(serial).buffer })
  certificate.issuer.typesAndValues.push(commonName(spec.issuer))
  certificate.subject.typesAndValues.push(commonName(spec.subject))
  certificate.notBefore = timeOf(spec.from)
  certificate.notAfter = timeOf(spec.until)
  certificate.extensions = extensions
  // Cast: the library names the keys of a browser, which those of Node are but for their type.
  await certificate.subjectPublicKeyInfo.importKey(spec.keys.publicKey as unknown as CryptoKey)
  await certificate.sign(spec.signer.privateKey as unknown as CryptoKey, 'SHA-256')
  return Buffer.from(certificate.toSchema(true).toBER(false))
}

/** The short form has two digits for the year (RFC 5280, 4.1.2.5). */
const timeOf = (value: Date): pkijs.Time =>
  new pkijs.Time({
    type: value.getUTCFullYear() < 2050 ? pkijs.TimeType.UTCTime : pkijs.TimeType.GeneralizedTime,
    value,
  })

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
