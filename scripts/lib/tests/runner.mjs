// Runs test files, the longest first. Most files share a process with others like them (share.mjs); each pays for its own
// processor time (cost.mjs), and a file over its budget fails the run as a failed test does. Nothing is run twice: a test that can
// fail without a fault is a fault. Arguments: how many processes run at the same time, the limit of one test in milliseconds, and
// the files, in the order in which they start.

import { mkdtempSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { costsVariable } from './cost.mjs'
import { describeCosts, readCosts } from './costs.mjs'
import { failuresThatCount, hunted } from './hunted.mjs'
import { makeTemporaryFolder } from './memory.mjs'
import { makeEntries } from './share.mjs'

const [concurrency, timeout, ...files] = process.argv.slice(2)
/** A test that runs tests pays for them itself. */
const isInner = process.env[costsVariable] !== undefined
const temporary = makeTemporaryFolder()
const folder = mkdtempSync(join(temporary, 'runner-'))
const stop = new AbortController()

process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, () => {
    stop.abort()
    // Above 128: no other check follows.
    process.exit(128 + constants.signals[name])
  })
// Until it is known.
process.exitCode = 1

const events = run({
  files: makeEntries(files, folder),
  concurrency: Number(concurrency),
  timeout: Number(timeout),
  signal: stop.signal,
  execArgv: [`--import=${pathToFileURL(join(import.meta.dirname, 'measured.mjs')).href}`],
  env: {
    ...process.env,
    TMPDIR: temporary,
    [costsVariable]: folder,
    // What a lab leaves for the next ones (server/test/support/lab-seed.ts).
    PORTCULLIS_TEST_SEED: join(folder, 'lab-seed'),
  },
})
const failures = []
let isGood = false
events.on('test:fail', (failure) => failure.todo === undefined && failures.push(failure))
events.on('test:summary', ({ file, success }) => {
  if (file === undefined) isGood = success
})
for await (const text of events.compose(new spec())) process.stdout.write(text)

const { text, overBudget } = describeCosts(readCosts(folder), { isNightly: process.env.PORTCULLIS_NIGHTLY === '1' })
process.stdout.write(text)
const { counted, text: hunt } = failuresThatCount(failures, hunted, new Date())
process.stdout.write(hunt)
const isPassed = isGood || (failures.length > 0 && counted.length === 0)
process.exitCode = isPassed && (isInner || overBudget.length === 0) ? 0 : 1
