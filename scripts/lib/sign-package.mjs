// Signs a Debian package as an update of the gateway: adds the last member `_portcullis`, which dpkg does not read and
// server/src/shared/files/signed-package.ts checks. The same package, key and words give the same bytes.

import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The name of a key: the beginning of the SHA-256 of its public half. */
export function keyId(key) {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}

/** The private key of a file; with `make` one is made where there is none. */
export function readSigningKey(path, { make = false } = {}) {
  if (make && !existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  }
  return readFileSync(path, 'utf8')
}

/** The public half of a key as the text of update-keys/<id>.pem. */
export const publicHalf = (key) => createPublicKey(key).export({ type: 'spki', format: 'pem' })

/**
 * The bytes of the signed package. `about` has `version` and `architecture` as in its control file, `format` (the number of
 * the state format that its program writes) and `timestamp` (its field Portcullis-Built, Unix seconds of the commit).
 */
export function signedPackage(bytes, about, key) {
  const statement = {
    package: 'portcullis',
    version: about.version,
    architecture: about.architecture,
    format: about.format,
    timestamp: about.timestamp,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    key: keyId(key),
  }
  const signature = sign(null, Buffer.from(JSON.stringify(statement)), key).toString('base64')
  const content = Buffer.from(`${JSON.stringify({ ...statement, signature })}\n`)
  return Buffer.concat([bytes, arMember('_portcullis', content, about.timestamp)])
}

/** The bytes of a package before its signature; all of them when it has none. */
export function withoutSignature(bytes) {
  for (let at = 8; at + 60 <= bytes.length; ) {
    const header = bytes.toString('latin1', at, at + 60)
    if (header.startsWith('_portcullis ')) return bytes.subarray(0, at)
    const length = Number(header.slice(48, 58))
    at += 60 + length + (length % 2)
  }
  return bytes
}

/** A member of an ar archive; odd ones are followed by a line end. */
export function arMember(name, content, time) {
  const header = [
    name.padEnd(16),
    String(time).padEnd(12),
    '0'.padEnd(6),
    '0'.padEnd(6),
    '100644'.padEnd(8),
    String(content.length).padEnd(10),
  ].join('')
  return Buffer.concat([Buffer.from(`${header}\`\n`), content, Buffer.from(content.length % 2 === 1 ? '\n' : '')])
}
