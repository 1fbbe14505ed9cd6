// The checks of the project, one after the other, each with its time. All run even if one fails: one round
// tells everything that is wrong.

import { existsSync, readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, relative } from 'node:path'
import { ensureConsole } from './console.mjs'
import { root } from './paths.mjs'
import { runProgram } from './run.mjs'
import { say, seconds } from './terminal.mjs'

const modules = join(root, 'node_modules')
const minute = 60_000

export const lint = {
  name: 'format and lint',
  run: () => runProgram([join(modules, '@biomejs/biome/bin/biome'), 'check']),
}

/**
 * The service and the pages of the browser know different globals, so each is checked for itself, all at the same time. Threads of
 * one check would each work out the types of what they share: with one thread it takes half the processor time.
 */
export const types = {
  name: 'types',
  run: async () => {
    const tsc = join(modules, 'typescript/bin/tsc')
    const check = (folder) => runProgram([tsc, '--singleThreaded', '-p', join(root, folder)])
    const codes = await Promise.all(['', 'web', 'web/test'].map(check))
    return codes.find((code) => code > 128) ?? Math.max(...codes)
  },
}

/** Tests of the console look at what people get, and the gateways of all tests serve it. */
export const consoleBuild = {
  name: 'build of the console',
  run: async () => (ensureConsole() ? 0 : 1),
}

/**
 * Files that take longest: they start first, so that no core is idle at the end. Their order among each other is that of
 * their times.
 */
const longFiles = [
  // At night alone.
  'server/test/machine/full-kernel.e2e.ts',
  'server/test/machine/package.e2e.ts',
  'server/src/domain/policy/kernel.test.ts',
  'web/test/e2e/all-pages.e2e.ts',
  'web/test/e2e/review.e2e.ts',
  'server/test/netns/crash.e2e.ts',
  'server/test/netns/firewall.e2e.ts',
  'server/test/netns/evaluator.e2e.ts',
  'server/test/netns/forwarding.e2e.ts',
  'server/test/architecture/scaffold.test.ts',
  'server/test/security/hostile-state.test.ts',
  'server/test/contract/access.test.ts',
  'server/test/netns/captive-portal.e2e.ts',
  'server/test/netns/health.e2e.ts',
  'server/test/netns/authorization.e2e.ts',
  'server/test/netns/user-rules.e2e.ts',
  'server/test/netns/user-explain.e2e.ts',
  'server/test/load/hostile.test.ts',
  'server/test/netns/dhcp-relay.e2e.ts',
  'server/test/contract/malformed.test.ts',
]

/** Folders of tests in namespaces. */
const endToEnd = ['server/test/netns', 'server/test/machine', 'web/test/e2e']

/** One run of the runner, so that one summary at the end counts everything. */
export function tests({ name, isNightly = false, hasNamespaces = true }) {
  // Far above what a busy machine needs: it only ends a test that hangs.
  const limit = (isNightly ? 180 : 20) * minute
  const env = {
    ...(isNightly ? { PORTCULLIS_NIGHTLY: '1' } : {}),
    ...(hasNamespaces ? {} : { PORTCULLIS_SKIP_NETNS: '1' }),
  }
  const run = () => {
    // One file more than there are cores: many wait for daemons and packets. With two, tests began to find the machine busy.
    const args = [cpus().length + 1, limit, ...testFiles(hasNamespaces)].map(String)
    return runProgram([join(root, 'scripts/lib/tests/runner.mjs'), ...args], { env })
  }
  return { name, run }
}

/** The long ones, then the others in the order of their names. */
function testFiles(hasNamespaces) {
  const found = [
    ...list('server/src', '.test.ts'),
    ...list('server/test', '.test.ts'),
    ...list('web/test', '.test.js'),
    ...list('web/src', '.test.ts'),
    ...list('web/test', '.test.ts'),
    ...(hasNamespaces ? endToEnd.flatMap((folder) => list(folder, '.e2e.ts')) : []),
  ].sort()
  const long = longFiles.filter((file) => found.includes(file))
  return [...long, ...found.filter((file) => !long.includes(file))]
}

/** Files below a folder by the end of their names, as paths from the root. */
function list(folder, ending) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

/** Returns the exit code for all of them. */
export async function runPhases(phases) {
  const results = []
  for (const { name, run } of phases) {
    const begun = performance.now()
    say(`\n== ${name}`)
    const code = await run()
    // Ended by a signal: someone wants out of all of it, not on to the next.
    if (code > 128) return code
    results.push({ name, code, took: seconds(begun) })
  }
  say('')
  for (const { name, code, took } of results) say(`${code === 0 ? 'passed' : 'FAILED'}  ${name} (${took})`)
  return results.every(({ code }) => code === 0) ? 0 : 1
}
