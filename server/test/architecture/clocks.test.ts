// Time is measured with a clock that no one can set. Who asks the wall clock shows or stores what it says, and is named here.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineOf, sourceFiles } from '../security/source.ts'

/** Files that may call Date.now, and what for. */
const recorders: Readonly<Record<string, string>> = {
  'engines/dhcp-client/applyd/index.ts': 'the time of a lease',
  'applyd/machine/settings.ts': 'the time of a repair; a pause holds both ways',
  'exporters/classifier/classifier.ts': 'the time of a report',
  'tools/cli/client/connection.ts': 'the end of a certificate',
  'shared/files/durable.ts': 'compared with the times of a file',
  'filterd/main.ts': 'times of rules',
  'exporters/flow-exporter.ts': 'the time of a flow',
  'gatewayd/logs/log-sources.ts': 'the time of a record',
  'shared/time/aging.ts': 'knows jumps of the clock',
  'gatewayd/logs/store/serve-writer.ts': 'ages of records',
  'areas/network/runs/facts.ts': 'times of rules',
  'gatewayd/logs/service-logs.ts': 'the time of a line',
  'upgrade/record.ts': 'the time of a step',
}

describe('the wall clock', () => {
  it('is asked only by those who show or store it', () => {
    const places = sourceFiles.flatMap(({ path, text }) =>
      [...text.matchAll(/\bDate\.now\b/g)].map(({ index }) => ({ path, line: lineOf(text, index) })),
    )
    const measured = places.filter(({ path }) => recorders[path] === undefined)
    assert.deepEqual(measured, [], 'measure with performance.now(), or with elapsed() of a Clock')
    const asked = new Set(places.map(({ path }) => path))
    assert.deepEqual(
      Object.keys(recorders).filter((path) => !asked.has(path)),
      [],
      'no longer needed here',
    )
  })
})
