// Every line that the gateway keeps numbers for has a word on the page of charts.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { chartValues } from '../../../server/src/areas/health/numbers.ts'
import type { MachineLoad } from '../../../server/src/core/contract/health.ts'
import { lineTitles } from '../../src/pages/health/series.ts'

const dropped = { droppedIn: 0, droppedOut: 0 }
const load = (step: number): MachineLoad => ({
  cpu: { busy: step, total: 2 * step },
  memory: { totalBytes: 4, availableBytes: 2, swapTotalBytes: 2, swapFreeBytes: 1 },
  load: [1, 1, 1],
  connections: { count: 1, limit: 2 },
  disk: { totalBytes: 4, freeBytes: 2 },
  processors: 1,
  files: {},
  isClockKept: true,
  interfaces: [{ name: 'lan0', bytesIn: step, bytesOut: step, packetsIn: step, packetsOut: step, ...dropped }],
})

it('every line of a chart has a word, and there is none beside them', () => {
  const counted = { userSessions: 1, portalSessions: 1, administratorSessions: 1 }
  const values = chartValues({ load: load(2), at: 2 }, { load: load(1), at: 1 }, counted)
  const lines = new Set([...values.keys()].map((name) => name.slice(name.lastIndexOf('/') + 1)))
  assert.deepEqual(Object.keys(lineTitles).toSorted(), [...lines].toSorted())
})
