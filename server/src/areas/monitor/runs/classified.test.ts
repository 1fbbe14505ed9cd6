// What gatewayd believes of the files of the traffic classifier, and that it reads a line once.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createClassifiedReader, parseClassified, parseClassifierReport } from './classified.ts'

const line = (port: number, application: string, server = ''): string =>
  `${JSON.stringify({ connection: `tcp 10.0.0.2:${port} 192.0.2.9:443`, application, server })}\n`

describe('what the classifier found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'classified-'))
  after(() => rmSync(folder, { recursive: true }))
  const paths = { connections: join(folder, 'connections'), report: join(folder, 'report') }
  const reader = createClassifiedReader(paths, () => () => undefined)
  const names = async () => [...(await reader.connections()).values()].map(({ name }) => name)

  it('is nothing while there is no file', async () => {
    assert.deepEqual(await names(), [])
    assert.equal(await reader.report(), null)
  })

  it('grows with the file, without half lines, and begins again with another file', async () => {
    writeFileSync(paths.connections, line(1, 'SSH'))
    assert.deepEqual(await names(), ['SSH'])
    appendFileSync(paths.connections, line(2, 'TLS.YouTube', 'www.youtube.com').slice(0, 20))
    assert.deepEqual(await names(), ['SSH'])
    appendFileSync(paths.connections, line(2, 'TLS.YouTube', 'www.youtube.com').slice(20))
    assert.deepEqual(await names(), ['SSH', 'TLS.YouTube'])
    writeFileSync(`${paths.connections}.new`, line(3, 'HTTP'))
    renameSync(`${paths.connections}.new`, paths.connections)
    assert.deepEqual(await names(), ['HTTP'])
    rmSync(paths.connections)
    assert.deepEqual(await names(), [])
  })

  it('is not read through a link', async () => {
    writeFileSync(join(folder, 'other'), line(1, 'SSH'))
    symlinkSync(join(folder, 'other'), paths.connections)
    assert.deepEqual(await names(), [])
  })

  it('is believed in its exact form only', () => {
    assert.notEqual(parseClassified(line(1, 'SSH')), null)
    const bad = ['', '{', 'null', '[]', '7', line(1, ''), line(1, 'S;H'), line(1, 'SSH', 'A B'), line(1, 'SSH', '<x>')]
    for (const one of [...bad, line(1, 'SSH').replace('10.0', 'x'), line(1, 'x'.repeat(61))])
      assert.equal(parseClassified(one), null, one)
  })
})

describe('the report of the classifier', () => {
  const report = { at: 1, packets: 2, recognised: 3, lost: 0, fault: '' }

  it('is believed in its exact form only, and its words are plain', () => {
    assert.deepEqual(parseClassifierReport(JSON.stringify(report)), report)
    assert.equal(parseClassifierReport(JSON.stringify({ ...report, fault: 'a\nb\u001b' }))?.fault, 'a b ')
    for (const more of [{ at: -1 }, { packets: 'x' }, { lost: 1.5 }, { fault: 7 }])
      assert.equal(parseClassifierReport(JSON.stringify({ ...report, ...more })), null)
  })
})
