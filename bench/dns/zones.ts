// The own zones of the bench: many small ones, or few large ones with the same number of records in all.

import { randomUUID } from 'node:crypto'
import type { MasterZone } from '../../server/src/areas/dns/contract.ts'

const head = (serial: number): string =>
  `$TTL 300\n@ SOA ns1 root ( ${serial} 3600 600 86400 60 )\n@ NS ns1\nns1 A 10.10.0.1\n`

/** The text of a zone; the record `changing` is the one that the bench changes. */
export function zoneText(records: number, last: number): string {
  const others = Array.from({ length: records - 1 }, (_, at) => `h${at} A 10.20.${at >> 8}.${at & 255}\n`)
  return `${head(last)}changing A 10.30.${last >> 8}.${last & 255}\n${others.join('')}`
}

export const makeZones = (count: number, records: number): MasterZone[] =>
  Array.from({ length: count }, (_, at) => ({
    id: randomUUID(),
    name: `zone${at}.example`,
    enabled: true,
    config: zoneText(records, 0),
    comment: '',
  }))
