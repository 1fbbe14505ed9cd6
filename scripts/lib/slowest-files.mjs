// A reporter of the test runner that prints which files took longest, beside the reporter that prints the tests.

import { relative } from 'node:path'

const shown = 10

// biome-ignore lint/style/noDefaultExport: the runner takes a reporter from there
export default async function* slowestFiles(events) {
  const files = []
  for await (const { type, data } of events) if (type === 'test:summary' && data.file !== undefined) files.push(data)
  files.sort((one, other) => other.duration_ms - one.duration_ms)
  yield `\nThe ${Math.min(shown, files.length)} slowest of ${files.length} files:\n`
  for (const { file, duration_ms } of files.slice(0, shown)) yield `${seconds(duration_ms)}  ${relative('', file)}\n`
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`.padStart(9)
