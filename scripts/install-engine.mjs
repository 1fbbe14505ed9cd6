// Installs the Debian packages that an engine declares for those who use it. applyd starts it as root when the engine is first
// switched on, with the name of the engine: which packages that means is in the checkout alone. Its last line is the result.

import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { ensurePackages, findMissing, readEnginePackages } from './lib/packages.mjs'

const [service = '', place] = process.argv.slice(2)
const packages = readEnginePackages(undefined, service).use
if (packages.length === 0) {
  console.error(`There is no engine ${service} with packages to install.`)
  process.exit(2)
}
if (place === 'lab') leaveLab()
ensurePackages(packages, { skip: false })
process.exitCode = findMissing(packages).length === 0 ? 0 : 1

/** In a mount namespace of this process: the resolver and /run of the lab are not those of the machine. */
function leaveLab() {
  const resolver = realpathSync('/etc/resolv.conf')
  process.chdir('/')
  for (const path of resolver.startsWith('/run/') ? ['/run'] : [resolver, '/run'])
    spawnSync('/usr/bin/umount', ['--lazy', path], { stdio: 'ignore' })
}
