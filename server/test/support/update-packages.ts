// Signed packages for tests, with a key that is made for them.

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { keyId } from '../../src/shared/files/signed-package.ts'

interface Signer {
  readonly arMember: (name: string, content: Buffer, time: number) => Buffer
  readonly signedPackage: (bytes: Buffer, about: object, key: string) => Buffer
}
const { arMember, signedPackage } = (await import(
  new URL('../../../scripts/lib/sign-package.mjs', import.meta.url).href as string
)) as Signer

export const makeKey = (): { readonly keys: Map<string, KeyObject>; readonly secret: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    keys: new Map([[keyId(publicKey), publicKey]]),
    secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export const unsignedPackage = (content: Buffer = Buffer.alloc(5_000, 'd')): Buffer =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    arMember('debian-binary', Buffer.from('2.0\n'), 0),
    arMember('control.tar.xz', Buffer.from('control'), 0),
    arMember('data.tar.xz', content, 0),
  ])

/** The bytes of a package before its data, which would be so long. */
export function packageStart(dataBytes: number): Buffer {
  const start = unsignedPackage(Buffer.alloc(2)).subarray(0, -2)
  start.write(String(dataBytes).padEnd(10), start.length - 12, 'latin1')
  return start
}

export const aboutPackage = { version: '0.2.0', architecture: 'arm64', format: 3, timestamp: 1_794_700_800 }

export const packageOf = (secret: string, about: Partial<typeof aboutPackage> = {}, dataBytes = 5_000): Buffer =>
  signedPackage(unsignedPackage(Buffer.alloc(dataBytes, 'd')), { ...aboutPackage, ...about }, secret)
