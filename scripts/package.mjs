// npm run package: builds the Debian package, without root. Options: --arch amd64|arm64|all, --version X, --key FILE (signs
// the package with this private key), --output DIR, --quick (a larger file in less time). The same commit and key give the
// same bytes (decision 85).

import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { ensureConsole } from './lib/console.mjs'
import { ensureDependencies } from './lib/dependencies.mjs'
import { buildPackage } from './lib/package/build.mjs'
import { openKey } from './lib/package/key.mjs'
import { readOptions } from './lib/package/options.mjs'
import { readCommit } from './lib/package/sources.mjs'
import { root } from './lib/paths.mjs'
import { main, Stop, say, seconds } from './lib/terminal.mjs'

await main(async () => {
  const options = readOptions(process.argv.slice(2), readVersion())
  if (!existsSync('/usr/bin/dpkg-deb')) throw new Stop('dpkg-deb is missing: a package is built on Debian.')
  ensureDependencies()
  if (!ensureConsole()) throw new Stop('Without the console there is no package.')
  const commit = readCommit()
  if (!commit.isClean) say('The checkout has changes that are not committed; they are in the package.')
  const key = openKey(options.key)
  const output = resolve(options.output ?? join(root, '.cache', 'package'))
  mkdirSync(output, { recursive: true })
  for (const architecture of options.architectures) {
    const begun = performance.now()
    const stage = join(root, '.cache', 'package', `stage-${architecture}-${process.pid}`)
    try {
      const file = buildPackage({
        stage,
        output,
        architecture,
        version: options.version,
        commit,
        key,
        isQuick: options.isQuick,
      })
      const megabytes = (statSync(file).size / 1e6).toFixed(1)
      say(`${relative(process.cwd(), file)}: ${megabytes} MB, built in ${seconds(begun)}`)
    } finally {
      rmSync(stage, { recursive: true, force: true })
    }
  }
  return 0
})

function readVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}
