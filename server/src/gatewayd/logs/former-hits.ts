// Hits that earlier releases kept in a table of log.db go to the log, once and in small steps. What is still in the file of the
// hits is read from there.

import { open } from 'node:fs/promises'
import { setImmediate as others } from 'node:timers/promises'
import type { Database } from '../../core/database/database.ts'
import { noNumber } from '../../domain/logs/kinds.ts'
import type { NewRecord } from '../../domain/logs/record.ts'
import type { LogStore } from '../../domain/logs/store.ts'
import { lostRecord, plainRecord } from './sources/firewall-hits.ts'
import { readHitLine } from './sources/hit-line.ts'

export interface FormerHitsParts {
  readonly database: Pick<Database, 'prepare'>
  readonly logs: Pick<LogStore, 'append' | 'flush' | 'marks'>
  readonly hitsFile: string
  readonly onFault: (error: unknown) => void
}

interface FormerHit {
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly table_name: string
  readonly rule_id: string
  readonly action: string
  readonly protocol: string
  readonly source_ip: string
  readonly source_port: number | null
  readonly destination_ip: string
  readonly destination_port: number | null
  readonly in_interface: string
  readonly out_interface: string
  readonly length: number
  readonly lost: number
}

const source = 'former-hits'
const takenAtOnce = 500
/** More than a line has. */
const firstLineBytes = 4_096

export function takeOverHits(parts: FormerHitsParts): { stop(): Promise<void> } {
  let isStopped = false
  const work = takeAll(parts, () => isStopped).catch(parts.onFault)
  return {
    stop: () => {
      isStopped = true
      return work
    },
  }
}

async function takeAll({ database, logs, hitsFile }: FormerHitsParts, isStopped: () => boolean): Promise<void> {
  const page = (): readonly FormerHit[] =>
    database.prepare('SELECT * FROM hits ORDER BY sequence LIMIT ?').all(takenAtOnce) as unknown as FormerHit[]
  let hits = page()
  if (hits.length === 0) return
  // Those that are on the disk, and whose removal was not.
  const taken = Number((await logs.marks()).get(source) ?? 0)
  const until = await firstTime(hitsFile)
  for (; hits.length > 0 && !isStopped(); hits = page()) {
    const last = hits.at(-1)?.sequence ?? 0
    const records: NewRecord[] = hits.filter(({ sequence, time }) => sequence > taken && time < until).map(recordOf)
    logs.append(records, { source, position: `${last}` })
    await logs.flush()
    database.prepare('DELETE FROM hits WHERE sequence <= ?').run(last)
    await others()
  }
}

/** Each is a record of the journal: hits of one packet were not joined yet. */
function recordOf(hit: FormerHit): NewRecord {
  const time = hit.time * 1000
  if (hit.lost > 0) return lostRecord(hit.lost, time)
  return plainRecord({
    time,
    table: hit.table_name,
    rule: hit.rule_id,
    action: hit.action,
    protocol: hit.protocol,
    source: hit.source_ip,
    sourcePort: hit.source_port ?? noNumber,
    destination: hit.destination_ip,
    destinationPort: hit.destination_port ?? noNumber,
    input: hit.in_interface,
    output: hit.out_interface,
    length: hit.length,
  })
}

/** When the oldest hit of the file was, in milliseconds. */
async function firstTime(path: string): Promise<number> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLineBytes), 0, firstLineBytes, 0)
    const [line = ''] = buffer.toString('latin1', 0, bytesRead).split('\n')
    const time = readHitLine(line, Number.NaN).hit?.time ?? Number.NaN
    return Number.isNaN(time) ? Number.POSITIVE_INFINITY : Math.floor(time / 1000)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
