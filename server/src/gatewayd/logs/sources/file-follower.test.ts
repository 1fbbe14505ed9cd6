// A followed file under everything that happens to logs: each line arrives exactly once.

import assert from 'node:assert/strict'
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { FollowedFile, Sink } from '../../../domain/logs/source.ts'
import type { Mark } from '../../../domain/logs/store.ts'
import { FileFollower } from './file-follower.ts'

const recordOf = (message: string): NewRecord => ({
  kind: 'system',
  time: 0,
  priority: 6,
  unit: '',
  syslogId: '',
  message,
  fields: {},
})

/** Keeps records and marks together, as a store does. */
class KeptSink implements Sink {
  readonly messages: string[] = []
  readonly #marks = new Map<string, string>()
  append(records: readonly NewRecord[], mark?: Mark): void {
    this.messages.push(...records.map(({ message }) => message))
    if (mark) this.#marks.set(mark.source, mark.position)
  }
  marks = (): ReadonlyMap<string, string> => this.#marks
}

/** The same numbers on every run. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
}

describe('a followed file', () => {
  let folder: string
  let path: string
  let sink: KeptSink
  let follower: FileFollower
  const start = (changes: Partial<FollowedFile> = {}): void => {
    follower = new FileFollower(
      {
        path,
        source: 'file',
        records: (lines) =>
          lines
            .toString()
            .split('\n')
            .slice(0, -1)
            .map((line) => recordOf(line)),
        lost: (lines) => recordOf(`lost ${lines}`),
        ...changes,
      },
      sink,
    )
  }
  const readAll = (): string[] => {
    while (follower.step());
    return sink.messages.splice(0)
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-follow-'))
    path = join(folder, 'a.log')
    sink = new KeptSink()
    start()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('need not be there, and is read once it is', () => {
    assert.deepEqual(readAll(), [])
    appendFileSync(path, 'one\ntwo\nthr')
    assert.deepEqual(readAll(), ['one', 'two'])
    appendFileSync(path, 'ee\n')
    assert.deepEqual(readAll(), ['three'])
    start()
    assert.deepEqual(readAll(), [])
  })

  it('is read on from its copy when it was emptied, with a line that was cut in two', () => {
    appendFileSync(path, 'one\n')
    assert.deepEqual(readAll(), ['one'])
    appendFileSync(path, 'two\nthr')
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
    assert.deepEqual(readAll(), ['two'])
    start()
    appendFileSync(path, 'ee\nfour\n')
    assert.deepEqual(readAll(), ['three', 'four'])
    start()
    assert.deepEqual(readAll(), [])
  })

  it('is another one when it was emptied and has grown beyond its place', () => {
    appendFileSync(path, 'one\n')
    assert.deepEqual(readAll(), ['one'])
    writeFileSync(path, 'other\nlines\n')
    assert.deepEqual(readAll(), ['other', 'lines'])
  })

  it('is read to its end under its other name, also what its writer adds late', () => {
    appendFileSync(path, 'one\n')
    assert.deepEqual(readAll(), ['one'])
    const writer = openSync(path, 'a')
    writeSync(writer, 'two\n')
    renameSync(path, `${path}.1`)
    writeSync(writer, 'three\nfo')
    assert.deepEqual(readAll(), ['two', 'three'])
    appendFileSync(path, 'six\n')
    assert.deepEqual(readAll(), ['six'])
    start()
    writeSync(writer, 'ur\nfive\n')
    closeSync(writer)
    assert.deepEqual(readAll(), ['four', 'five'])
    start()
    assert.deepEqual(readAll(), [])
  })

  it('counts what is more than may wait', () => {
    const line = `${'x'.repeat(999)}\n`
    start({ maxBacklogBytes: 1_000_000 })
    appendFileSync(path, line.repeat(3_000))
    const messages = readAll()
    const [first = ''] = messages
    const lost = Number(/^lost (\d+)$/.exec(first)?.[1])
    assert.equal(lost + messages.length - 1, 3_000)
    assert.ok(lost >= 2_000 - 263 && messages.length <= 1_000 + 1, `${lost} lost`)
  })

  it('takes a line without end in pieces', () => {
    appendFileSync(path, Buffer.alloc(600_000, 'x'))
    appendFileSync(path, '\nnext\n')
    const messages = readAll()
    assert.equal(messages.at(-1), 'next')
    start()
    assert.deepEqual(readAll(), [])
  })

  it('gives each line once, whatever happens to the file and whenever the reader starts again', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomOf(seed)
      rmSync(path, { force: true })
      rmSync(`${path}.1`, { force: true })
      sink = new KeptSink()
      start()
      const isCopied = seed % 2 === 0
      let number = 0
      let pending = ''
      const write = (bytes: number): void => {
        while (pending.length < bytes) pending += `${number++} ${'y'.repeat(random(40))}\n`
        appendFileSync(path, pending.slice(0, bytes))
        pending = pending.slice(bytes)
      }
      for (let turn = 0; turn < 60; turn++) {
        const choice = random(10)
        if (choice < 5) write(random(400))
        else if (choice < 7) follower.step()
        else if (choice === 7) start()
        else if (existsSync(path)) {
          // The older file is there once: some of this one must have been read before it takes that place.
          write(pending.length + 50)
          while (follower.step());
          write(random(300))
          if (isCopied) {
            copyFileSync(path, `${path}.1`)
            truncateSync(path)
          } else {
            write(pending.length)
            renameSync(path, `${path}.1`)
            writeFileSync(path, '')
          }
        }
      }
      write(pending.length)
      while (follower.step());
      const read = sink.messages.map((message) => Number(message.split(' ')[0]))
      assert.deepEqual(
        read,
        Array.from({ length: number }, (_, index) => index),
        `seed ${seed}`,
      )
    }
  })
})
