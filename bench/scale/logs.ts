// Questions over a system journal of 200,000 records, beside a plain reading of as many rows of the same table. A hit of the
// firewall is a record; the rest of the gateway is the whole product in this process.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createTestGateway } from '../../server/test/support/test-gateway.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { median, type Row } from '../table.ts'

const limitMilliseconds = 300

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))
const filter = (column_name: string, operator: string, ...value: unknown[]): string =>
  `filter=${json([{ items: [{ column_name, operator, value }] }])}`

const questions: Readonly<Record<string, string>> = {
  'newest 100': 'limit=100',
  'newest 100, far back': 'limit=100&offset=150000',
  'contains, rare': `limit=100&${filter('message', 'contains', 'sport 40777 dst 203.0.113.7 ')}`,
  'contains, common': `limit=100&${filter('message', 'contains', 'tcp')}`,
  not_contains: `limit=100&${filter('message', 'not_contains', 'action drop')}`,
  'equals on a number': `limit=100&${filter('priority', 'equals', 4)}`,
  date_range: `limit=100&${filter('date_time', 'date_range', 20260101000000, 20260101010000)}`,
  'search in two columns': `limit=100&search=${json([{ text: '113.9 ', columns: ['message', 'unit'] }])}`,
  'sorted by message': `limit=100&sort=${json([{ field: 'message', direction: 'asc' }])}`,
  'CSV of a filter': `format_type=CSV&${filter('message', 'contains', 'rule 7 ')}`,
}

export async function benchLogs({ isQuick }: BenchOptions): Promise<Row[]> {
  const count = isQuick ? 20_000 : 200_000
  const rounds = isQuick ? 3 : 7
  const folder = benchFolder()
  const gateway = await createTestGateway({ folder, parts: { checkReplies: false } })
  try {
    gateway.clock.wall = Date.UTC(2026, 0, 4)
    await writeHits(folder, count, () => gateway.services.firewallLog.refresh())
    const begun = performance.now()
    await gateway.services.refreshLogs()
    const gathering = performance.now() - begun
    const admin = await gateway.client('predefined_admin_write')
    const raw = new DatabaseSync(join(folder, 'log.db'), { readOnly: true })
    const readAll = (): number => {
      const start = performance.now()
      for (const _row of raw.prepare('SELECT id, date_time, priority, message, unit FROM records').iterate());
      return performance.now() - start
    }
    const samples = Object.keys(questions).map((what) => ({ what, times: [] as number[], cpu: [] as number[] }))
    const readings: number[] = []
    for (let round = 0; round < rounds; round++) {
      readings.push(readAll())
      for (const { what, times, cpu } of samples) {
        const before = process.cpuUsage()
        const start = performance.now()
        const { status, text } = await admin('GET', `/logs_backend/logs?${questions[what]}`)
        if (status !== 200) throw new Error(text)
        times.push(performance.now() - start)
        const { user, system } = process.cpuUsage(before)
        cpu.push((user + system) / 1000)
      }
    }
    raw.close()
    return [
      {
        what: `log: ${count} records gathered`,
        ours: `${gathering.toFixed(0)} ms`,
        raw: '',
        ratio: null,
        aim: 'none: in the background',
        isMet: null,
      },
      ...samples.map(({ what, times, cpu }) => row(`log: ${what}`, median(times), median(cpu), median(readings))),
    ]
  } finally {
    await gateway.close()
  }
}

const row = (what: string, ours: number, cpu: number, raw: number): Row => ({
  what,
  ours: `${ours.toFixed(1)} ms (CPU ${cpu.toFixed(1)})`,
  raw: `${raw.toFixed(1)} ms`,
  ratio: ours / raw,
  aim: `less than ${limitMilliseconds} ms`,
  isMet: ours < limitMilliseconds,
})

/** In pieces that the reader of the file takes without leaving any out. */
async function writeHits(folder: string, count: number, read: () => Promise<void>): Promise<void> {
  const path = join(folder, 'hits.json')
  const atOnce = 5_000
  for (let from = 0; from < count; from += atOnce) {
    const lines = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => hit(from + index))
    writeFileSync(path, lines.join(''), { flag: 'a' })
    await read()
  }
}

const hit = (index: number): string =>
  `${JSON.stringify({
    'oob.prefix': `FWD ${index % 40} ${index % 3 === 0 ? 'drop' : 'accept'} `,
    'oob.in': 'lan0',
    'oob.out': 'wan0',
    'oob.time.sec': Date.UTC(2026, 0, 1) / 1000 + index,
    'oob.time.usec': (index % 1000) * 1000,
    'ip.protocol': 6,
    'ip.totlen': 60,
    src_ip: `10.10.${index % 250}.${index % 13}`,
    src_port: 30_000 + (index % 30_000),
    dest_ip: `203.0.113.${index % 250}`,
    dest_port: 443,
  })}\n`
