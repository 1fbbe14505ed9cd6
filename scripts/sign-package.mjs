// Signs a package that is built: `node scripts/sign-package.mjs FILE --key PEM --format N` adds or replaces its signature.
// `npm run package` signs by itself; this is for a key that does not lie on the machine that builds.

import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readSigningKey, signedPackage, withoutSignature } from './lib/sign-package.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { key: { type: 'string' }, format: { type: 'string' } },
})
const [file] = positionals
if (!file || !values.key || !/^\d{1,9}$/.test(values.format ?? '')) {
  console.error('Say which package, which key and which state format: sign-package.mjs FILE --key PEM --format N')
  process.exit(2)
}
const field = (name) => execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim()
const about = {
  version: field('Version'),
  architecture: field('Architecture'),
  format: Number(values.format),
  // Never the time of the signature: an old build would become a new one.
  timestamp: Number(field('Portcullis-Built') || Number.NaN),
}
if (!Number.isSafeInteger(about.timestamp)) {
  console.error('The package does not say when it was built (Portcullis-Built).')
  process.exit(2)
}
writeFileSync(`${file}.new`, signedPackage(withoutSignature(readFileSync(file)), about, readSigningKey(values.key)))
renameSync(`${file}.new`, file)
console.log(`Signed ${about.version} for ${about.architecture}.`)
