// Runs several test files in this process, one after the other: each is a test that has the file's tests and hooks in it. A file
// leaves the process as it found it, or it fails: the next one must not depend on what ran before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCpuMs, reportCost } from './cost.mjs'

const watchedEvents = ['uncaughtException', 'unhandledRejection', 'warning', 'exit', 'SIGTERM', 'SIGINT', 'SIGHUP']

export function runTogether(files) {
  for (const [file, url] of files)
    test(file, async (t) => {
      const before = describeProcess()
      const begun = readCpuMs()
      await import(url)
      // Behind the hooks of the file, which were added before.
      t.after(() => {
        reportCost(file, readCpuMs() - begun)
        assert.deepEqual(describeProcess(), before, `${file} does not leave the process as it found it`)
      })
    })
}

function describeProcess() {
  return {
    folder: process.cwd(),
    mask: process.umask(),
    environment: { ...process.env },
    listeners: Object.fromEntries(watchedEvents.map((name) => [name, process.listenerCount(name)])),
    // A test that replaces the clock restores it.
    isClockReal: Function.prototype.toString.call(Date).includes('native code'),
    exitCode: process.exitCode,
  }
}
