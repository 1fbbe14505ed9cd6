// The lines of a log while its page is open: read for the question, then followed while live, with one request in flight.

import { useEffect, useMemo, useRef, useState } from 'react'
import { Failure } from '../../api/failure.ts'
import type { LogFilter } from './filter.ts'
import { firstLines, joinLines, type LogLine, moreLines, mostLines } from './lines.ts'
import { type Bucket, countTimes, type LogRange, readRange } from './range.ts'
import type { LogSource, Question } from './source.ts'

export interface LogState {
  readonly lines: readonly LogLine[]
  readonly range: LogRange
  readonly buckets: readonly Bucket[]
  readonly total: number | null
  readonly isCut: boolean
  readonly isPending: boolean
  readonly failure: Failure | null
  /** Lines that the gateway left out because this page was too slow. */
  readonly lost: number
  /** The log cannot be followed at this moment. */
  readonly isTroubled: boolean
  readonly retry: () => void
  /** Reads further back; null when all is here, or as much as a browser keeps. */
  readonly readOlder: (() => void) | null
}

interface Read {
  readonly key: string
  readonly most: number
  readonly lines: readonly LogLine[]
  readonly total: number | null
  readonly isCut: boolean
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000)
const nothing: Read = { key: '', most: 0, lines: [], total: 0, isCut: false }

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function useLog(
  source: LogSource,
  search: Readonly<Record<string, string>>,
  filter: LogFilter,
  zone: string,
  isLive: boolean,
): LogState {
  const key = JSON.stringify([source.id, filter, search.from ?? '', search.until ?? '', zone])
  const [read, setRead] = useState<Read>(nothing)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [lost, setLost] = useState(0)
  const [isTroubled, setTroubled] = useState(false)
  const [tries, setTries] = useState(0)
  const [wanted, setWanted] = useState({ key, most: firstLines })
  const most = wanted.key === key ? wanted.most : firstLines
  const [now, setNow] = useState(nowSeconds)
  const [counted, setCounted] = useState<{ readonly key: string; readonly buckets: readonly Bucket[] } | null>(null)
  const range = useMemo(() => readRange(search, now), [search, now])
  const latest = useRef({ filter, zone, search, lines: read.lines })
  latest.current = { filter, zone, search, lines: read.lines }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds everything that the question is made of
  useEffect(() => {
    const controller = new AbortController()
    const at = nowSeconds()
    setNow(at)
    setFailure(null)
    setLost(0)
    const question: Question = { filter, zone, range: readRange(search, at), most }
    source.read(question, controller.signal).then(
      (found) => setRead({ key, most, ...found }),
      (error: unknown) => {
        if (!controller.signal.aborted && error instanceof Failure) setFailure(error)
      },
    )
    return () => controller.abort()
  }, [source, key, tries, most])

  const isRead = read.key === key
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds everything that the question is made of
  useEffect(() => {
    if (!isLive || !isRead) return
    const question: Question = { filter, zone, range: readRange(search, nowSeconds()), most: firstLines }
    const stop = source.follow(question, latest.current.lines[0] ?? null, {
      onLines: (fresh) =>
        setRead((known) => {
          const lines = joinLines(known.lines, fresh)
          const added = lines.length - known.lines.length
          return lines === known.lines
            ? known
            : { ...known, lines, total: known.total === null ? null : known.total + added }
        }),
      onLost: (count) => setLost((before) => before + count),
      onTrouble: setTroubled,
    })
    const clock = setInterval(() => {
      if (!document.hidden) setNow(nowSeconds())
    }, 2_000)
    return () => {
      stop()
      clearInterval(clock)
      setTroubled(false)
    }
  }, [source, key, isLive, isRead])

  const step = isLive ? Math.floor(now / 10) : 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted by the gateway again every few seconds, not with every tick
  useEffect(() => {
    const count = source.buckets
    if (!count) return
    const controller = new AbortController()
    const question: Question = { filter, zone, range: readRange(search, nowSeconds()), most: firstLines }
    count(question, controller.signal).then(
      (buckets) => setCounted({ key, buckets }),
      () => {},
    )
    return () => controller.abort()
  }, [source, key, step, tries])

  const lines = useMemo(() => {
    const begin = range.from * 1_000
    const isMoving = range.preset !== null
    return isMoving && read.lines.at(-1) && (read.lines.at(-1)?.time ?? 0) < begin
      ? read.lines.filter(({ time }) => time >= begin)
      : read.lines
  }, [read.lines, range])
  const buckets = useMemo(
    () =>
      counted?.key === key
        ? counted.buckets
        : countTimes(
            lines.map(({ time }) => time),
            range,
          ),
    [counted, key, lines, range],
  )
  // What was counted is all there is, also where a reply says no total.
  const isCounted = counted?.key === key
  const sum = useMemo(
    () =>
      isCounted
        ? Math.max(
            lines.length,
            counted.buckets.reduce((all, { count }) => all + count, 0),
          )
        : null,
    [isCounted, counted, lines],
  )
  const isOlderComing = isRead && read.most < most
  const canReadOlder = isRead && read.isCut && !isOlderComing && most < mostLines
  return {
    lines,
    range,
    buckets,
    total: read.total ?? sum,
    isCut: read.isCut,
    isPending: !isRead && failure === null,
    failure,
    lost,
    isTroubled,
    retry: () => setTries((count) => count + 1),
    readOlder: canReadOlder ? () => setWanted({ key, most: Math.min(mostLines, most + moreLines) }) : null,
  }
}
