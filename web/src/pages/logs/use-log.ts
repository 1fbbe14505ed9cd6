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

/** What is asked of a log. */
interface Asked {
  readonly source: LogSource
  readonly search: Readonly<Record<string, string>>
  readonly filter: LogFilter
  readonly zone: string
  /** Holds everything that the question is made of. */
  readonly key: string
}

const questionOf = ({ search, filter, zone }: Asked, at: number, most: number): Question => ({
  filter,
  zone,
  range: readRange(search, at),
  most,
})

export function useLog(
  source: LogSource,
  search: Readonly<Record<string, string>>,
  filter: LogFilter,
  zone: string,
  isLive: boolean,
): LogState {
  const key = JSON.stringify([source.id, filter, search.from ?? '', search.until ?? '', zone])
  const asked: Asked = { source, search, filter, zone, key }
  const reading = useReadLines(asked)
  const { read, isRead, failure, lost, tries, now, most } = reading
  const range = useMemo(() => readRange(search, now), [search, now])
  const isTroubled = useFollowing(asked, reading, isLive)
  const counted = useCounted(asked, isLive ? Math.floor(now / 10) : 0, tries)

  const lines = useMemo(() => {
    const begin = range.from * 1_000
    const isMoving = range.preset !== null
    return isMoving && read.lines.at(-1) && (read.lines.at(-1)?.time ?? 0) < begin
      ? read.lines.filter(({ time }) => time >= begin)
      : read.lines
  }, [read.lines, range])
  const buckets = useMemo(
    () =>
      counted ??
      countTimes(
        lines.map(({ time }) => time),
        range,
      ),
    [counted, lines, range],
  )
  // What was counted is all there is, also where a reply says no total.
  const sum = useMemo(
    () =>
      counted === null
        ? null
        : Math.max(
            lines.length,
            counted.reduce((all, { count }) => all + count, 0),
          ),
    [counted, lines],
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
    retry: reading.retry,
    readOlder: canReadOlder ? () => reading.want(Math.min(mostLines, most + moreLines)) : null,
  }
}

/** The lines of the question, read again when it changes. */
function useReadLines(asked: Asked) {
  const { source, key } = asked
  const [read, setRead] = useState<Read>(nothing)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [lost, setLost] = useState(0)
  const [tries, setTries] = useState(0)
  const [wanted, setWanted] = useState({ key, most: firstLines })
  const most = wanted.key === key ? wanted.most : firstLines
  const [now, setNow] = useState(nowSeconds)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds everything that the question is made of
  useEffect(() => {
    const controller = new AbortController()
    const at = nowSeconds()
    setNow(at)
    setFailure(null)
    setLost(0)
    source.read(questionOf(asked, at, most), controller.signal).then(
      (found) => setRead({ key, most, ...found }),
      (error: unknown) => {
        if (!controller.signal.aborted && error instanceof Failure) setFailure(error)
      },
    )
    return () => controller.abort()
  }, [source, key, tries, most])

  return {
    read,
    setRead,
    isRead: read.key === key,
    failure,
    lost,
    setLost,
    tries,
    retry: () => setTries((count) => count + 1),
    /** How many lines at most. */
    most,
    want: (next: number) => setWanted({ key, most: next }),
    now,
    setNow,
  }
}

/** New lines while the log is live. True: it cannot be followed at this moment. */
function useFollowing(
  asked: Asked,
  { read, setRead, isRead, setLost, setNow }: ReturnType<typeof useReadLines>,
  isLive: boolean,
): boolean {
  const { source, key } = asked
  const [isTroubled, setTroubled] = useState(false)
  const known = useRef(read.lines)
  known.current = read.lines

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds everything that the question is made of
  useEffect(() => {
    if (!isLive || !isRead) return
    const stop = source.follow(questionOf(asked, nowSeconds(), firstLines), known.current[0] ?? null, {
      onLines: (fresh) => setRead((before) => withLines(before, fresh)),
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
  return isTroubled
}

function withLines(known: Read, fresh: readonly LogLine[]): Read {
  const lines = joinLines(known.lines, fresh)
  if (lines === known.lines) return known
  const added = lines.length - known.lines.length
  return { ...known, lines, total: known.total === null ? null : known.total + added }
}

/** What the gateway counts over the range, where it does; null until it has answered. */
function useCounted(asked: Asked, step: number, tries: number): readonly Bucket[] | null {
  const { source, key } = asked
  const [counted, setCounted] = useState<{ readonly key: string; readonly buckets: readonly Bucket[] } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted by the gateway again every few seconds, not with every tick
  useEffect(() => {
    const count = source.buckets
    if (!count) return
    const controller = new AbortController()
    count(questionOf(asked, nowSeconds(), firstLines), controller.signal).then(
      (buckets) => setCounted({ key, buckets }),
      () => {},
    )
    return () => controller.abort()
  }, [source, key, step, tries])
  return counted?.key === key ? counted.buckets : null
}
