import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parseFlowReport, readFlowReport } from './flow-report.ts'

const report = { at: 1, flows: 12, packets: 3, failedPackets: 0, lostConnections: 0, open: 1, fault: 'ECONNREFUSED' }

describe('the report of the flow exporter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flow-report-'))
  after(() => rmSync(folder, { recursive: true }))
  const path = (name: string): string => join(folder, name)

  it('is read field by field', () => {
    assert.deepEqual(parseFlowReport(JSON.stringify({ ...report, more: 'x' })), report)
    for (const odd of [{ flows: -1 }, { packets: '3' }, { open: 1.5 }, { fault: 'a line\nof text' }, { fault: null }])
      assert.equal(parseFlowReport(JSON.stringify({ ...report, ...odd })), null, JSON.stringify(odd))
    for (const text of ['', '{', 'null', '[]']) assert.equal(parseFlowReport(text), null)
  })

  it('is not read through a link, and not beyond its size', async () => {
    writeFileSync(path('report.json'), `${JSON.stringify(report)}\n`)
    assert.deepEqual(await readFlowReport(path('report.json')), report)
    symlinkSync(path('report.json'), path('link'))
    assert.equal(await readFlowReport(path('link')), null)
    writeFileSync(path('long'), `${' '.repeat(2000)}${JSON.stringify(report)}`)
    assert.equal(await readFlowReport(path('long')), null)
    assert.equal(await readFlowReport(path('absent')), null)
  })
})
