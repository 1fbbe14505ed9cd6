// Reads what the traffic classifier found, for the traffic monitor. The files belong to another account and hold names from the
// network, so only their form is trusted: they are not links, not large, and every field is checked.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ClassifiedConnection, ClassifierReport } from '../../../core/plan/facts.ts'

/** Twice of what it ever writes. */
const maxBytes = 32 * 1024 * 1024
const maxReportBytes = 1024
const chunkBytes = 256 * 1024

const keyForm = /^(?:tcp|udp) (?:\d{1,3}\.){3}\d{1,3}:\d{1,5} (?:\d{1,3}\.){3}\d{1,3}:\d{1,5}$/
const nameForm = /^[A-Za-z0-9_.()-]{1,60}$/
const serverForm = /^(?:[a-z0-9](?:[a-z0-9_.:-]{0,251}[a-z0-9])?)?$/
const noConnections: ReadonlyMap<string, ClassifiedConnection> = new Map()

interface Paths {
  readonly connections: string
  readonly report: string
}

/** `slices`: others get their turn between the lines of a long file. */
export function createClassifiedReader(paths: Paths, slices: () => () => Promise<void> | undefined) {
  let known = new Map<string, ClassifiedConnection>()
  /** Which file was read, and up to where. */
  let place = { file: '', at: 0 }
  let reading: Promise<ReadonlyMap<string, ClassifiedConnection>> | null = null

  async function readNow(): Promise<ReadonlyMap<string, ClassifiedConnection>> {
    const file = await openPlain(paths.connections)
    if (file === null) {
      known = new Map()
      place = { file: '', at: 0 }
      return noConnections
    }
    try {
      const { ino, birthtimeMs, size } = await file.stat()
      const name = `${ino} ${birthtimeMs}`
      if (place.file !== name || size < place.at) {
        known = new Map()
        place = { file: name, at: 0 }
      }
      await readLines(file, Math.min(size, maxBytes))
      return known
    } finally {
      await file.close()
    }
  }

  /** It is written while it is read: the last line may not be whole yet. */
  async function readLines(file: FileHandle, size: number): Promise<void> {
    const turns = slices()
    const buffer = Buffer.alloc(chunkBytes)
    while (place.at < size) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, size - place.at), place.at)
      const end = buffer.lastIndexOf(10, bytesRead - 1) + 1
      if (bytesRead === 0 || end === 0) return
      for (const line of buffer.toString('latin1', 0, end).split('\n')) {
        const entry = parseClassified(line)
        if (entry) known.set(...entry)
        const others = turns()
        if (others) await others
      }
      place = { ...place, at: place.at + end }
    }
  }

  return {
    /** What connections belong to, by the key of classifiedKey. */
    connections(): Promise<ReadonlyMap<string, ClassifiedConnection>> {
      reading ??= readNow().finally(() => {
        reading = null
      })
      return reading
    },
    /** Null when there is none. */
    async report(): Promise<ClassifierReport | null> {
      const file = await openPlain(paths.report)
      if (file === null) return null
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(maxReportBytes), 0, maxReportBytes, 0)
        return parseClassifierReport(buffer.toString('latin1', 0, bytesRead))
      } finally {
        await file.close()
      }
    },
  }
}

async function openPlain(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // It is there while the classifier runs.
    return null
  }
}

export function parseClassified(line: string): readonly [key: string, found: ClassifiedConnection] | null {
  const { connection, application, server } = parseObject(line)
  const isWhole = isForm(connection, keyForm) && isForm(application, nameForm) && isForm(server, serverForm)
  return isWhole ? [connection as string, { name: application as string, server: server as string }] : null
}

const counts = ['at', 'packets', 'recognised', 'lost'] as const

export function parseClassifierReport(text: string): ClassifierReport | null {
  const report = parseObject(text)
  const isWhole = counts.every((name) => Number.isSafeInteger(report[name]) && Number(report[name]) >= 0)
  if (!isWhole || typeof report.fault !== 'string') return null
  const [at, packets, recognised, lost] = counts.map((name) => Number(report[name])) as [number, number, number, number]
  return { at, packets, recognised, lost, fault: report.fault.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200) }
}

const isForm = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value)

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
