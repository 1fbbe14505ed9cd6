import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Mark } from '../../../domain/logs/store.ts'
import type { Follower } from './following.ts'
import { HitKnowledge } from './hit-knowledge.ts'
import { createHitsFollower } from './hits-follower.ts'

const line = (sequence: number, prefix = `FWD ${sequence} drop`): string =>
  `${JSON.stringify({
    'oob.prefix': `${prefix} `,
    'oob.seq.local': sequence,
    'ip.protocol': 17,
    src_port: 39_118,
    dest_port: 9000,
    src_ip: '10.10.0.2',
    dest_ip: '198.51.100.10',
  })}\n`

describe('the file of the firewall hits', () => {
  let folder = ''
  let path = ''
  let records: NewRecord[] = []
  let marks = new Map<string, string>()
  let follower: Follower
  let time = 0
  let hasRoom = true
  const knowledge = new HitKnowledge()
  knowledge.learn({
    time: 0,
    translations: { dnat: new Map(), snat: new Map([['5', null]]), deviceAddresses: new Map() },
  })
  const start = (): void => {
    const append = (added: readonly NewRecord[], mark?: Mark): void => {
      records.push(...added)
      if (mark) marks.set(mark.source, mark.position)
    }
    follower = createHitsFollower({
      path,
      knowledge,
      sink: { append, marks: () => marks, hasRoom: () => hasRoom },
      now: () => time,
    })
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-hits-'))
    path = join(folder, 'firewall.json')
    records = []
    hasRoom = true
    marks = new Map()
    start()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const shown = (): string[] =>
    records.map(({ fields }) => (fields.lost === 0 ? `${fields.table} ${fields.rule_id}` : `lost ${fields.lost}`))
  const look = (): void => {
    while (follower.step());
  }

  it('is read at once where nothing can follow', () => {
    appendFileSync(path, line(1) + line(2).slice(0, 30))
    look()
    assert.deepEqual(shown(), ['FWD 1'])
    appendFileSync(path, line(2).slice(30))
    look()
    assert.deepEqual(shown(), ['FWD 1', 'FWD 2'])
  })

  const later = (): void => {
    time += 200
    look()
  }

  it('is read at the next look where a hit of the same packet can follow', () => {
    appendFileSync(path, line(1, 'FWD 7 accept'))
    look()
    assert.deepEqual(shown(), [])
    appendFileSync(path, line(2, 'SNAT 5 snat'))
    look()
    assert.deepEqual(shown(), ['FWD 7', 'SNAT 5'])
    assert.deepEqual(
      records.map(({ fields }) => [fields.journal, fields.snat_rule_id]),
      [
        ['yes', 5],
        ['', 5],
      ],
    )
    appendFileSync(path, line(3, 'FWD 8 accept'))
    look()
    look()
    assert.deepEqual(shown().at(-1), 'SNAT 5')
    later()
    assert.deepEqual(shown().at(-1), 'FWD 8')
  })

  it('is read again from what was not handed on, and counted on from there, after a restart', () => {
    appendFileSync(path, line(1) + line(2, 'FWD 7 accept'))
    look()
    assert.deepEqual(shown(), [])
    start()
    look()
    later()
    assert.deepEqual(shown(), ['FWD 1', 'FWD 7'])
    start()
    appendFileSync(path, line(6))
    look()
    assert.deepEqual(shown(), ['FWD 1', 'FWD 7', 'lost 3', 'FWD 6'])
  })

  it('is read on from the copy when it was emptied', () => {
    appendFileSync(path, line(1))
    look()
    appendFileSync(path, line(2))
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
    appendFileSync(path, line(3))
    look()
    assert.deepEqual(shown(), ['FWD 1', 'FWD 2', 'FWD 3'])
  })

  it('waits while the disk is full, and what it loses in the meantime is counted', () => {
    appendFileSync(path, line(1) + line(2, 'FWD 7 accept'))
    look()
    hasRoom = false
    appendFileSync(path, line(3))
    later()
    assert.deepEqual(shown(), [], 'nothing is handed on')
    for (const [first, last] of [
      [4, 5],
      [6, 7],
    ] as const) {
      copyFileSync(path, `${path}.1`)
      truncateSync(path)
      appendFileSync(path, line(first) + line(last))
      later()
    }
    assert.deepEqual(shown(), [])
    hasRoom = true
    look()
    const lost = records.reduce((sum, { fields }) => sum + Number(fields.lost), 0)
    assert.equal(shown().filter((text) => text.startsWith('FWD')).length + lost, 7)
    assert.deepEqual(shown().slice(-2), ['FWD 6', 'FWD 7'])
  })

  it('that was emptied twice between two looks tells how many hits are gone', () => {
    appendFileSync(path, line(1))
    look()
    appendFileSync(path, line(2) + line(3))
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
    appendFileSync(path, line(4))
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
    appendFileSync(path, line(5))
    look()
    const all = shown()
    const lost = records.reduce((sum, { fields }) => sum + Number(fields.lost), 0)
    assert.equal(all.filter((text) => text.startsWith('FWD')).length + lost, 5)
    assert.equal(all.at(-1), 'FWD 5')
  })
})
