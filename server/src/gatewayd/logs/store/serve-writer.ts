// The thread that writes the log: takes records of the event loop and of the followers it runs, and commits them in time.

import { parentPort, workerData } from 'node:worker_threads'
import { DiskReserve } from '../../../core/database/disk-reserve.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Mark } from '../../../domain/logs/store.ts'
import { createAging } from '../../../shared/time/aging.ts'
import type { Follower, FromWriter, Sink, StartFollower, ToWriter, WriterAnswer, WriterData } from './messages.ts'
import { received } from './sent-records.ts'
import { StoreWriter } from './writer.ts'

/** A record is on the disk at most this much after it came; less than the second that a crash may cost. */
const commitMilliseconds = 400
/** How often room is looked for, and how often a disk that took nothing is tried again. */
const tidyMilliseconds = 1_000
const shrinkEvery = 60
/** Looking at all that is stored takes seconds: not for every query that fails. */
const verifyMilliseconds = 60_000

/** The entry file of the thread calls this once. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps that should be functions of their own
export function serveWriter(followers: Readonly<Record<string, StartFollower>>): void {
  const port = parentPort
  if (!port) throw new Error('this file is the entry of a worker thread')
  const { path, limits, reservePath, aging, sizes, followers: starts } = workerData as WriterData
  const reserve = reservePath === null ? null : new DiskReserve(reservePath)
  const writer = new StoreWriter({
    path,
    limits,
    now: Date.now,
    aging: createAging(undefined, undefined, aging),
    hasRoom: () => reserve?.hasRoomForLogs() ?? true,
    ...(sizes ? { sizes } : {}),
  })
  const post = (message: FromWriter): void => port.postMessage(message)
  let timer: NodeJS.Timeout | null = null
  let newsPlace = writer.place
  const commit = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
    writer.commit()
    if (writer.place > newsPlace) post({ is: 'news', place: writer.place })
    newsPlace = writer.place
  }
  const commitSoon = (): void => {
    timer ??= setTimeout(commit, commitMilliseconds)
  }
  const append = (records: readonly NewRecord[], marks: readonly Mark[]): void => {
    writer.append(records, ...marks)
    commitSoon()
  }
  const sink: Sink = {
    append: (records, mark) => append(records, mark ? [mark] : []),
    marks: () => writer.marks,
    hasRoom: () => writer.hasRoom,
  }
  const running = new Map<string, Follower>()
  for (const [name, start] of Object.entries(followers)) {
    running.set(
      name,
      start(sink, (message) => post({ is: 'told', follower: name, message }), starts[name]),
    )
  }
  let turns = 0
  let isTidying = false
  let nextVerify = 0
  /** One step at a time, so that records which come meanwhile are taken between them. */
  const tidy = (): void => {
    isTidying = writer.tidy()
    if (isTidying) setImmediate(tidy)
  }
  const turn = setInterval(() => {
    if (writer.waiting > 0) commit()
    if (!isTidying) tidy()
    if (++turns % shrinkEvery === 0) writer.shrink()
  }, tidyMilliseconds)

  const close = async (): Promise<null> => {
    await Promise.all([...running.values()].map((follower) => follower.stop()))
    clearInterval(turn)
    commit()
    writer.close()
    return null
  }
  const answers: Readonly<Record<'flush' | 'marks' | 'state' | 'close', () => WriterAnswer | Promise<WriterAnswer>>> = {
    flush: async () => {
      await Promise.all([...running.values()].map((follower) => follower.refresh?.()))
      commit()
      return null
    },
    marks: () => writer.marks,
    state: () => writer.state(),
    close,
  }
  port.on('message', (message: ToWriter) => {
    switch (message.is) {
      case 'append':
        append([...received(message.sent)], message.marks)
        return post({ is: 'taken', records: message.sent.count })
      case 'limits':
        return writer.setLimits(message.limits)
      case 'lost':
        return writer.noteLost(message.records)
      case 'verify':
        if (performance.now() < nextVerify) return
        nextVerify = performance.now() + verifyMilliseconds
        return writer.verify()
      case 'tell':
        return running.get(message.follower)?.take?.(message.message)
      case 'ask': {
        const { id, what } = message
        void Promise.resolve(answers[what]()).then((answer) => {
          post({ is: 'answer', id, answer })
          if (what === 'close') port.close()
        })
      }
    }
  })
}
