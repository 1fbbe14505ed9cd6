// `npm run bench dns`: one change of DNS in the gateway, from the call to the answer, beside unbound's own commands on the
// same zones. Only ratios mean anything.

import type { BenchOptions } from '../options.ts'
import type { Row } from '../table.ts'
import { type DnsTimes, measureGateway } from './gateway.ts'
import { measureRaw, type RawTimes } from './raw.ts'
import { makeZones } from './zones.ts'

/** Small zones, and the same number of records in large ones. */
const shapes = [
  { title: '10 zones', zones: 10, records: 1 },
  { title: '10,000 zones', zones: 10_000, records: 1 },
  { title: '10,000 records in 50 zones', zones: 50, records: 200 },
] as const

export async function benchDns({ isQuick }: BenchOptions): Promise<Row[]> {
  if (process.geteuid?.() !== 0) throw new Error('The DNS bench makes network namespaces, for which it needs root.')
  const samples = isQuick ? 3 : 11
  const results: { readonly title: string; readonly ours: DnsTimes; readonly raw: RawTimes }[] = []
  for (const { title, zones, records } of shapes) {
    console.error(`  ${title}`)
    const all = makeZones(zones, records)
    results.push({
      title,
      raw: await measureRaw(all, records, samples),
      ours: await measureGateway(all, records, samples),
    })
  }
  const least = results[0]?.ours ?? { record: Number.NaN, forward: Number.NaN }
  return results.flatMap(({ title, ours, raw }, at): Row[] => [
    against(`one record changed at ${title}`, ours.record, raw.zone, 'auth_zone_reload, flush_zone'),
    against(`one record changed at ${title}`, ours.record, raw.all, 'reload of everything'),
    ...(at === 0 ? [] : [against(`one record changed at ${title}`, ours.record, least.record, 'at 10 zones')]),
    against(`one forward zone added at ${title}`, ours.forward, raw.keep, 'reload_keep_cache'),
  ])
}

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`

const against = (what: string, ours: number, raw: number, name: string): Row => ({
  what,
  ours: milliseconds(ours),
  raw: `${milliseconds(raw)} ${name}`,
  ratio: ours / raw,
  aim: '',
  isMet: null,
})
