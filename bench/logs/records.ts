// The records of the bench: hits of the firewall as the gateway writes them, the same in every run.

import type { NewRecord } from '../../server/src/domain/logs/record.ts'

export const firstSecond = Date.UTC(2026, 0, 1) / 1000
const perSecond = 100

const actions = ['accept', 'drop', 'accept'] as const

export function recordAt(index: number): NewRecord {
  const action = actions[index % 3] ?? 'accept'
  const source_ip = `10.${(index >> 4) % 40}.${index % 250}.${(index * 7) % 251}`
  const destination_ip = `203.0.113.${(index * 31) % 250}`
  const source_port = 1_024 + ((index * 7_919) % 60_000)
  const destination_port = index % 5 === 0 ? 53 : 443
  const protocol = index % 5 === 0 ? 'udp' : 'tcp'
  const rule_id = String(1 + (index % 400))
  return {
    kind: 'firewall',
    time: firstSecond * 1_000_000 + Math.floor((index * 1_000_000) / perSecond),
    priority: 6,
    unit: '{brand}-nflog',
    syslogId: 'nflog',
    message: `FWD rule ${rule_id} ${action} in lan0 out wan0 ${protocol} src ${source_ip} sport ${source_port} dst ${destination_ip} dport ${destination_port} len ${40 + (index % 1_400)} seq ${index.toString(36)}`,
    fields: {
      table: 'FWD',
      rule_id,
      action,
      protocol,
      source_ip,
      destination_ip,
      source_port,
      destination_port,
      in_interface: 'lan0',
      out_interface: 'wan0',
      length: 40 + (index % 1_400),
      lost: 0,
    },
  }
}

export function* batches(from: number, until: number, size: number): Generator<NewRecord[], void> {
  for (let at = from; at < until; at += size) {
    yield Array.from({ length: Math.min(size, until - at) }, (_, offset) => recordAt(at + offset))
  }
}

/** What is asked of every engine. */
export interface Asked {
  readonly rareAddress: string
  readonly rareText: string
  readonly offset: number
  /** Unix seconds: the last hour. */
  readonly from: number
  readonly until: number
}

export function askedOf(count: number): Asked {
  const middle = recordAt(Math.floor(count / 2))
  const until = firstSecond + Math.ceil(count / perSecond)
  return {
    rareAddress: String(middle.fields.source_ip),
    rareText: `seq ${Math.floor(count / 2).toString(36)}`,
    offset: Math.floor(count / 10),
    from: until - 3_600,
    until,
  }
}

export const commonText = 'dport 443'
