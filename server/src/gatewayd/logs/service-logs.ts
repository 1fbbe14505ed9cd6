// The log files of the services of the gateway and of its engines, and what their lines are as records of the log.

import { join } from 'node:path'
import { counted } from '../../core/contract/counted.ts'
import type { NamedLog } from '../../core/engine/views.ts'
import { maxMessage, type NewRecord } from '../../domain/logs/record.ts'
import { type FollowedFile, priorityOf, warningPriority } from '../../domain/logs/source.ts'

/** Our own services write JSON. */
const ownPrograms = ['gatewayd', 'applyd', 'launcher']

/** `sources` are the engines whose logs are read. */
export const serviceFiles = (folder: string, sources: readonly NamedLog[]): FollowedFile[] => [
  ...ownPrograms.map((name) => serviceFile(folder, { name, form: 'stamped', ...ownNames(name) })),
  ...sources.map((source) => serviceFile(folder, source)),
]

const ownNames = (program: string) => ({ syslogId: program, unit: `{brand}-${program}` })

function serviceFile(folder: string, { name, form, syslogId, unit }: NamedLog): FollowedFile {
  // Lines without a time belong to the one before them, such as those of a stack trace.
  let time: number | null = null
  const recordOf = (milliseconds: number, priority: number, message: string): NewRecord => ({
    kind: 'system',
    time: Math.round(milliseconds * 1000),
    priority,
    unit,
    syslogId,
    message,
    fields: {},
  })
  return {
    path: join(folder, `${name}.log`),
    source: `service ${name}`,
    records: (lines, modified) =>
      linesOf(lines).map((text) => {
        const fields = parseLine(text)
        const { level, message } = fields
        time = writtenAt(fields.time, modified) || (form === 'plain' ? modified : (time ?? modified))
        return recordOf(time, priorityOf(textOr(level, 'info')), plain(textOr(message, text)))
      }),
    lost: (lines) =>
      recordOf(
        Date.now(),
        warningPriority,
        `${counted(lines, 'line')} of this log could not be read: there were too many at once.`,
      ),
  }
}

/** By so much the clock may have been set back between two lines. */
const skewMilliseconds = 86_400_000

/** A line is not newer than its file: a program must not put its lines before all others for ever. */
function writtenAt(stamp: unknown, modified: number): number | null {
  const time = Date.parse(textOr(stamp, ''))
  return time >= 0 && time <= modified + skewMilliseconds ? time : null
}

/** An object of JSON may not even have a text, and a line that cannot be read would hold up all that follow. */
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

const linesOf = (lines: Buffer): string[] =>
  lines
    .toString('utf8')
    .split('\n')
    .filter((text) => text.trim() !== '')

/** `[1794742996] unbound[60:0] notice: init module 0: respip` */
const engineForm = /^\[(\d{1,12})\] \w{1,20}\[[\d:]{1,20}\] (\w{1,10}): (.*)$/

function parseLine(text: string): Readonly<Record<string, unknown>> {
  const [, seconds, level, message] = text.match(engineForm) ?? []
  if (message !== undefined) return { time: new Date(Number(seconds) * 1000).toISOString(), level, message }
  // A parser that fails takes ten times as long.
  if (!text.startsWith('{')) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Programs beside ours may write what a terminal acts on. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').slice(0, maxMessage)
