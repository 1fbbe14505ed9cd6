// The key that signs the backups of this gateway (Ed25519), made at the first start and never shown or exported: it
// separates what this gateway made from what was made by someone who only knows the recovery key.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeDurably } from '../../../shared/files/durable-file.ts'

export interface SigningKey {
  /** The public half: 32 bytes in base64url. */
  readonly name: string
  sign(message: Buffer): Buffer
}

export const signatureLength = 64

/** The key in that file; a new one when it does not exist. */
export function openSigningKey(path: string): SigningKey {
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeDurably(path, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const key = createPrivateKey(readFileSync(path, 'utf8'))
  return { name: nameOf(createPublicKey(key)), sign: (message) => sign(null, message, key) }
}

const nameOf = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? ''

/** Whether the holder of that key signed it; false for a name that is not a key. */
export function isSignedBy(name: string, message: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: name } })
    return verify(null, message, key, signature)
  } catch {
    return false
  }
}
