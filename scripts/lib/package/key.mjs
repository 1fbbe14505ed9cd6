// The key that signs packages. Its public half is in the package, so that a gateway accepts the updates of the one who built it.

import { createPrivateKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.mjs'
import { keyId, publicHalf, readSigningKey } from '../sign-package.mjs'
import { Stop } from '../terminal.mjs'

/** Where none is named one is made, once for this checkout. */
export function openKey(named) {
  if (named !== null && !existsSync(named)) throw new Stop(`There is no key ${named}.`)
  const path = named ?? join(root, '.cache', 'package-key.pem')
  const pem = readSigningKey(path, { make: named === null })
  if (typeOf(pem) !== 'ed25519') throw new Stop(`${path} is not a private key of ed25519 in PEM, without a password.`)
  return { pem, id: keyId(pem), publicPem: publicHalf(pem) }
}

function typeOf(pem) {
  try {
    return createPrivateKey(pem).asymmetricKeyType
  } catch {
    return null
  }
}
