// The table of connections in parts: whole lines, all of them, once each, and no reading that stays open for ever.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { productionTables } from '../production.ts'
import { createSessionParts } from './session-parts.ts'

describe('the table of connections in parts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'session-parts-'))
  const table = join(folder, 'table')
  after(() => rmSync(folder, { recursive: true }))
  const partsOf = (plane: 'lab' | 'none' = 'lab', path = table) =>
    createSessionParts({
      plane,
      limitation: null,
      tables: { ...productionTables(folder, null, 'none'), tracking: { table: path, switches: [] } },
    })
  const openFiles = (): number =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`) === table
      } catch {
        return false
      }
    }).length

  it('has every line once, whole', async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `ipv4 ${index} ${'x'.repeat(90)}`)
    writeFileSync(table, `${lines.join('\n')}\n`)
    const parts = partsOf()
    const texts: string[] = []
    for (let next: number | null = 0; next !== null; ) {
      const part = await parts.read(next)
      assert.ok(part.text.endsWith('\n') && part.text.length < 1_200_000)
      texts.push(part.text)
      next = part.next
    }
    assert.ok(texts.length > 2)
    assert.equal(texts.join(''), `${lines.join('\n')}\n`)
    assert.equal(openFiles(), 0)
  })

  it('ends old readings when there are too many, and all of them with applyd', async () => {
    const parts = partsOf()
    const first = await parts.read(0)
    for (let count = 0; count < 6; count++) await parts.read(0)
    assert.equal(openFiles(), 4)
    await assert.rejects(parts.read(first.next ?? 0), /is over\. Begin again\./)
    await parts.close()
    assert.equal(openFiles(), 0)
  })

  it('reports why there is nothing to read', async () => {
    const none = await partsOf('none').read(0)
    assert.deepEqual([none.next, none.limitation], [null, 'No traffic passes here: nothing is applied.'])
    const absent = await partsOf('lab', join(folder, 'absent')).read(0)
    assert.match(absent.limitation ?? '', /does not show the connections it tracks \(no such file or directory\)/)
  })
})
