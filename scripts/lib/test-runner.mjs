// Runs test files in the order in which they are named; `node --test` would sort them. Files that failed while others ran beside
// them are run once more, alone, when all others are done (decision 72). Arguments: how many files run at the same time, the limit
// of one test in milliseconds, how many files may get a second run, and the files.

import { constants } from 'node:os'
import { relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import slowestFiles from './slowest-files.mjs'

const [concurrency, timeout, mostSecondRuns, ...files] = process.argv.slice(2)
const stop = new AbortController()

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, () => {
    stop.abort()
    // Above 128: no other check follows.
    process.exit(128 + constants.signals[name])
  })
// Until it is known.
process.exitCode = 1

const failed = await runFiles(files, Number(concurrency), [new spec(), slowestFiles])
const isSecondRun = failed.length > 0 && failed.length <= Number(mostSecondRuns)
if (isSecondRun) print(`\n${count(failed.length)} failed; once more, alone:\n`)
const failedTwice = isSecondRun ? await runFiles(failed, 1, [new spec()]) : failed
const passedAlone = failed.filter((file) => !failedTwice.includes(file))
if (passedAlone.length > 0) {
  print(`\nPassed only when run again, alone:\n${passedAlone.map((file) => `  ${file}\n`).join('')}`)
}
if (isSecondRun && failedTwice.length > 0) {
  print(`\nFailed twice:\n${failedTwice.map((file) => `  ${file}\n`).join('')}`)
}
process.exitCode = failedTwice.length === 0 ? 0 : 1

/** Resolves with the files that failed. */
async function runFiles(named, atOnce, reporters) {
  const events = run({ files: named, concurrency: atOnce, timeout: Number(timeout), signal: stop.signal })
  const faulty = new Set()
  let isGood = false
  // A file that ended before its tests did has no summary, and is named like a test.
  events.on('test:fail', ({ file, name, todo }) => {
    if (todo === undefined) faulty.add(relative('', file ?? name))
  })
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) isGood = success
    else if (!success) faulty.add(relative('', file))
  })
  await Promise.all(reporters.map((reporter) => printAll(events.compose(reporter))))
  // Tests of a shared helper carry its name; the file that runs them has a summary of its own.
  const found = named.filter((file) => faulty.has(file))
  return isGood || found.length > 0 ? found : named
}

async function printAll(lines) {
  for await (const line of lines) process.stdout.write(line)
}

function print(text) {
  process.stdout.write(text)
}

function count(number) {
  return number === 1 ? 'One file' : `${number} files`
}
