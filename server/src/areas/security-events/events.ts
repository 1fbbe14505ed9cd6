// One event as the log has it, and what follows from it: its firewall rule, its signature, exceptions and packets. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import { groupOfAction } from '../../domain/signatures/numbering.ts'
import type { Action } from '../../domain/signatures/rule.ts'
import { type CapturedPacket, lengthOfPacket } from '../../shared/net/pcap.ts'
import { ruleSlots } from '../firewall/public.ts'
import type { EventDetails, ExceptionFields, SecurityEvent } from './contract.ts'
import { eventColumnNames } from './contract.ts'

/** A row of the view with everything that is known. */
export interface FoundEvent extends SecurityEvent {
  /** Unix microseconds. */
  readonly time: number
  readonly direction: string
  readonly gid: number
  readonly revision: number
  readonly category: string
  readonly payload: string
  readonly packet: string
  /** Unix microseconds; 0: not known. */
  readonly flow_start: number
}

export const shownEvent = (found: FoundEvent): SecurityEvent =>
  Object.fromEntries(eventColumnNames.map((name) => [name, found[name]])) as SecurityEvent

const actionsOfGroups = new Map<number, Action>(
  Object.entries(groupOfAction).map(([action, gid]) => [gid, action as Action]),
)

/** The group of a copy says its action; of application control only whether it was blocked is known. */
export const actionOf = ({ gid, result }: FoundEvent): Action =>
  actionsOfGroups.get(gid) ?? (result === 'blocked' ? 'drop' : 'alert')

const tables = { fwd: 'forward', inp: 'input' } as const

export function firewallRuleOf(config: Config, { table, rule_id }: FoundEvent): EventDetails['firewall_rule'] {
  if (table === 'absent' || rule_id === 0) return null
  const name = tables[table]
  const rule = read(config, ruleSlots[name]).find(({ id }) => id === rule_id)
  return { table: name, id: rule_id, comment: rule?.comment ?? '', exists: rule !== undefined }
}

type Side = NonNullable<ExceptionFields['side']>

/** Hosts of an exception in the direction of the packet that the signature matched; null: any. */
export function exceptedHosts(
  { src_ip, dst_ip, direction }: Pick<FoundEvent, 'src_ip' | 'dst_ip' | 'direction'>,
  side: Side,
): { readonly source: string | null; readonly destination: string | null } {
  const [client, server] = [side === 'destination' ? null : src_ip, side === 'source' ? null : dst_ip]
  return direction === 'to_client' ? { source: server, destination: client } : { source: client, destination: server }
}

const minute = 60_000_000

/** Which packets belong to it: those of its connection, from its beginning to a minute later. */
export const captureOf = (found: FoundEvent) => ({
  ends: {
    protocol: found.protocol,
    source: found.src_ip,
    sourcePort: found.src_port,
    destination: found.dst_ip,
    destinationPort: found.dst_port,
  },
  from: (found.flow_start > 0 ? Math.min(found.flow_start, found.time) : found.time - minute) - 1_000_000,
  until: found.time + minute,
})

/** The packet of the event itself; null without one. */
export function packetOf({ packet, time }: Pick<FoundEvent, 'packet' | 'time'>): CapturedPacket | null {
  const bytes = Buffer.from(packet, 'base64')
  return bytes.length === 0 ? null : { time, length: lengthOfPacket(bytes), bytes }
}
