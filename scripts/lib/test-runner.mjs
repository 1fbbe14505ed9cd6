// Runs test files in the order in which they are named; `node --test` would sort them. Arguments: how many files run at the
// same time, the limit of one test in milliseconds, and the files.

import { constants } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import slowestFiles from './slowest-files.mjs'

const [concurrency, timeout, ...files] = process.argv.slice(2)
const stop = new AbortController()
const events = run({ files, concurrency: Number(concurrency), timeout: Number(timeout), signal: stop.signal })

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, () => {
    stop.abort()
    // Above 128: no other check follows.
    process.exit(128 + constants.signals[name])
  })
process.exitCode = 1
events.on('test:summary', ({ file, success }) => {
  if (file === undefined) process.exitCode = success ? 0 : 1
})
events.compose(new spec()).pipe(process.stdout)
events.compose(slowestFiles).pipe(process.stdout)
