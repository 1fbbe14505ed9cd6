// Runs several test files in this process, one after the other: each is a test that has the file's tests and hooks in it. A file
// leaves the process as it found it, or it fails: the next one must not depend on what ran before. What the files have in common, such
// as a browser, is a module with `begin` and `end`.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginCost } from './cost.mjs'

const watchedEvents = ['uncaughtException', 'unhandledRejection', 'warning', 'exit', 'SIGTERM', 'SIGINT', 'SIGHUP']

export async function runTogether(files, commonUrl) {
  const left = new Set(files.map(([file]) => file))
  // What the process did not come to would count as passed.
  process.once('exit', () => {
    if (left.size === 0) return
    process.stderr.write(`The process ended before ${[...left].join(', ')} did.\n`)
    process.exitCode ||= 1
  })
  if (commonUrl !== null) {
    const common = await import(commonUrl)
    await common.begin()
    after(() => common.end())
  }
  for (const [file, url] of files)
    test(file, async (t) => {
      const before = describeProcess()
      const endCost = beginCost(file)
      await import(url)
      // Behind the hooks of the file, which were added before.
      t.after(() => {
        left.delete(file)
        endCost()
        const changed = differences(before, describeProcess())
        assert.deepEqual(changed, [], `${file} does not leave the process as it found it`)
      })
    })
}

/** By name. Values are compared and never shown: the environment holds secrets. */
function describeProcess() {
  // The nft library sets the time zone of its process permanently.
  const { TZ: _, ...environment } = process.env
  return new Map([
    ['the current folder', process.cwd()],
    ['the mask of new files', process.umask()],
    ['the exit code', process.exitCode],
    // A test that replaces the clock restores it.
    ['the clock', Date.toString()],
    ...watchedEvents.map((name) => [`listeners of ${name}`, process.listenerCount(name)]),
    ...Object.entries(environment).map(([name, value]) => [`the variable ${name}`, value]),
  ])
}

const differences = (before, now) =>
  [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name))
