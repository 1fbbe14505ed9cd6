// The signature of a package: one more member at the end of the archive, which dpkg passes over because its name begins with
// an underscore. server/src/files/signed-package.ts reads it.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Stop } from '../terminal.mjs'

export const memberName = '_portcullis'

/** A key of ed25519 in PEM. Where none was named one is made once for this checkout. */
export function openKey(path, { isMade = false } = {}) {
  if (!existsSync(path)) {
    if (!isMade) throw new Stop(`There is no key ${path}.`)
    mkdirSync(dirname(path), { recursive: true })
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  }
  const privateKey = readKey(path)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Stop(`The key ${path} is not one of ed25519.`)
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return {
    privateKey,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }),
    id: createHash('sha256').update(der).digest('hex').slice(0, 16),
  }
}

function readKey(path) {
  try {
    return createPrivateKey(readFileSync(path))
  } catch {
    throw new Stop(`${path} is not a private key in PEM without a password.`)
  }
}

export function seal(file, { version, key }) {
  const signature = sign(null, readFileSync(file), key.privateKey).toString('base64')
  const content = Buffer.from(`${JSON.stringify({ version, key: key.id, signature })}\n`)
  const header = [
    memberName.padEnd(16),
    '0'.padEnd(12),
    ...['0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)],
    String(content.length).padEnd(10),
    '`\n',
  ].join('')
  appendFileSync(file, Buffer.concat([Buffer.from(header), content, Buffer.from(content.length % 2 === 1 ? '\n' : '')]))
}
