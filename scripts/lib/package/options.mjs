// The arguments of npm run package.

import { Stop } from '../terminal.mjs'

/** Debian's names of the architectures, with those of the runtime. */
export const runtimeNames = { amd64: 'x64', arm64: 'arm64' }

const own = Object.keys(runtimeNames).find((name) => runtimeNames[name] === process.arch)

/** Versions of Debian without an epoch or a revision: a tilde is before the release, a plus after it. */
const versionForm = /^[0-9][A-Za-z0-9.+~]*$/

const usage = 'npm run package -- [--arch amd64|arm64|all] [--version X] [--key FILE] [--output DIR] [--quick]'

export function readOptions(args, version) {
  const given = { arch: own, version, key: null, output: null }
  const isQuick = args.includes('--quick')
  const pairs = args.filter((arg) => arg !== '--quick')
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at].slice(2)
    if (!pairs[at].startsWith('--') || !Object.keys(given).includes(name) || pairs[at + 1] === undefined)
      throw new Stop(usage)
    given[name] = pairs[at + 1]
  }
  if (given.arch !== 'all' && !Object.keys(runtimeNames).includes(given.arch)) throw new Stop(usage)
  if (!versionForm.test(given.version)) throw new Stop(`${given.version} is not a version that Debian accepts.`)
  return {
    architectures: given.arch === 'all' ? Object.keys(runtimeNames) : [given.arch],
    version: given.version,
    key: given.key,
    output: given.output,
    isQuick,
  }
}
