// The checks of the project, one after the other, each with its time. All run even if one fails: one round
// tells everything that is wrong.

import { existsSync, readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { root } from './paths.mjs'
import { runProgram } from './run.mjs'
import { say, seconds } from './terminal.mjs'

const modules = join(root, 'node_modules')
const minute = 60_000

export const lint = {
  name: 'format and lint',
  run: () => runProgram([join(modules, '@biomejs/biome/bin/biome'), 'check']),
}

/** The service and the pages of the browser know different globals, so each is checked for itself. */
export const types = {
  name: 'types',
  run: async () => {
    const tsc = join(modules, 'typescript/bin/tsc')
    return (await runProgram([tsc, '-p', root])) || (await runProgram([tsc, '-p', join(root, 'web')]))
  },
}

/** The tests with their counts at the end, and after them the files that took longest. */
const reporters = ['spec', join(root, 'scripts/lib/slowest-files.mjs')].flatMap((reporter) => [
  `--test-reporter=${reporter}`,
  '--test-reporter-destination=stdout',
])

/**
 * One run of the runner, so that one summary at the end counts everything. It takes files in the order of
 * their names, which puts the end-to-end tests after those beside the code.
 */
export function tests({ name, isNightly = false, hasNamespaces = true }) {
  const patterns = ['server/src/**/*.test.ts', 'server/test/**/*.test.ts', 'web/test/*.test.js']
  if (hasNamespaces && hasEndToEnd()) patterns.push('server/test/netns/*.e2e.ts')
  // Far above what a busy machine needs: it only ends a test that hangs.
  const limit = (isNightly ? 180 : 60) * minute
  // One file more than there are cores: many wait for daemons and packets.
  const args = [
    '--test',
    `--test-concurrency=${cpus().length + 1}`,
    `--test-timeout=${limit}`,
    ...reporters,
    ...patterns,
  ]
  const env = {
    ...(isNightly ? { PORTCULLIS_NIGHTLY: '1' } : {}),
    ...(hasNamespaces ? {} : { PORTCULLIS_SKIP_NETNS: '1' }),
  }
  return { name, run: () => runProgram(args, { env }) }
}

function hasEndToEnd() {
  const folder = join(root, 'server/test/netns')
  return existsSync(folder) && readdirSync(folder).some((file) => file.endsWith('.e2e.ts'))
}

/** Returns the exit code for all of them. */
export async function runPhases(phases) {
  const results = []
  for (const { name, run } of phases) {
    const begun = performance.now()
    say(`\n== ${name}`)
    const code = await run()
    // Ended by a signal: somebody wants out of all of it, not on to the next.
    if (code > 128) return code
    results.push({ name, code, took: seconds(begun) })
  }
  say('')
  for (const { name, code, took } of results) say(`${code === 0 ? 'passed' : 'FAILED'}  ${name} (${took})`)
  return results.every(({ code }) => code === 0) ? 0 : 1
}
