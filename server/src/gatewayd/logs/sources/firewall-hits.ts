// Hits of firewall rules as log records, from the lines of their reader. The hits of one packet come one after another: DNAT, then
// FORWARD or INPUT, then SNAT. Their columns are joined in the record of the filter rule, so that the traffic journal has one
// record of a connection. What is missing between two lines is known by the numbers of the kernel, and becomes a record too.

import { noNumber } from '../../../domain/logs/kinds.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import { HitKnowledge, leadsTo, translated } from './hit-knowledge.ts'
import { describeHit, describeLost, type Hit, readHitLine } from './hit-line.ts'
import { type InspectedConnections, inspectedAction } from './inspected-connections.ts'

interface Open {
  readonly hit: Hit | null
  /** Records missing before this line; of a line that is not a hit, that are missing here. */
  readonly lost: number
  dnat: Open | null
  snat: Hit | null
  /** Its columns are in the record of another hit. */
  isPart: boolean
}

/** Hits of one packet are this close together, whatever other processors write in between. */
const nearby = 256

const [warning, information] = [4, 6]
const unit = '{brand}-nflog'
const source = { unit, syslogId: unit } as const

export class HitReader {
  readonly #knowledge: HitKnowledge
  #held: Open[] = []
  readonly #dnatOf = new Map<string, Open>()
  readonly #filterOf = new Map<string, Open>()
  #sequence: number | null
  #skipped = 0
  /** Lines whose numbers are not known and that were counted as lost; they are part of the next gap. */
  #counted = 0

  readonly #inspected: Pick<InspectedConnections, 'note'> | null

  /** `sequence`: the number of the last line that was read before. `inspected` is told which rules had connections inspected. */
  constructor(
    knowledge: HitKnowledge,
    sequence: number | null = null,
    inspected: Pick<InspectedConnections, 'note'> | null = null,
  ) {
    this.#knowledge = knowledge
    this.#sequence = sequence
    this.#inspected = inspected
  }

  /** The number of the last line; what follows a restart must be counted from it. */
  get sequence(): number | null {
    return this.#sequence
  }

  /** Takes the next lines and returns the records of those before: hits of one packet can be in both. */
  read(lines: readonly string[], now: number): readonly NewRecord[] {
    const earlier = this.#held
    this.#held = lines.map((line) => this.#open(line, now))
    const records = this.#recordsOf(earlier, now)
    forgetReleased(this.#dnatOf, this.#held)
    forgetReleased(this.#filterOf, this.#held)
    return records
  }

  /** Lines that were not read although they were there. */
  skip(lines: number): void {
    this.#skipped += lines
    this.#counted += lines
  }

  /** Can a hit of the same packet follow the last lines? */
  get isWaiting(): boolean {
    return this.#held.slice(-nearby).some((open) => this.#mayContinue(open))
  }

  /** The records of the last lines: nothing followed. */
  settle(now: number): readonly NewRecord[] {
    const last = this.#held
    this.#held = []
    this.#dnatOf.clear()
    this.#filterOf.clear()
    return this.#recordsOf(last, now)
  }

  #mayContinue({ hit, snat, isPart }: Open): boolean {
    if (hit?.table === 'DNAT') return !isPart && this.#knowledge.dnatTarget(hit.rule) !== undefined
    return hit?.table === 'FWD' && hit.action === 'accept' && snat === null && this.#knowledge.hasSnat
  }

  #open(line: string, now: number): Open {
    const { hit: said, sequence } = readHitLine(line, now)
    const isAside = said?.action === inspectedAction
    const hit = isAside ? null : said
    const lost = this.#skipped + this.#lostBefore(sequence) + (said ? 0 : 1)
    this.#skipped = 0
    if (said && isAside) this.#inspected?.note(said)
    const open: Open = { hit, lost, dnat: null, snat: null, isPart: false }
    if (said === null && sequence === null) this.#counted++
    if (hit) this.#join(open, hit)
    return open
  }

  /** A number that is not higher is that of another reader, which began with 0. */
  #lostBefore(sequence: number | null): number {
    if (sequence === null) return 0
    const last = this.#sequence
    // Of a line without anything before it, it is not known when the numbers began.
    const gap = last === null ? 0 : sequence > last ? sequence - last - 1 : sequence
    const lost = Math.max(0, gap - this.#counted)
    this.#sequence = sequence
    this.#counted = 0
    return lost
  }

  #join(open: Open, hit: Hit): void {
    switch (hit.table) {
      case 'DNAT':
        this.#dnatOf.set(sourceKey(hit), open)
        return
      case 'FWD':
      case 'INP':
        open.dnat = this.#takeDnat(hit)
        // What does not pass is not translated.
        if (hit.action === 'accept') this.#filterOf.set(connectionKey(hit), open)
        return
      case 'SNAT': {
        const filter = this.#filterOf.get(connectionKey(hit))
        if (filter && filter.snat === null) {
          filter.snat = hit
          open.isPart = true
        } else open.dnat = this.#takeDnat(hit)
        return
      }
    }
  }

  /** The DNAT hit of the same packet. */
  #takeDnat(hit: Hit): Open | null {
    const key = sourceKey(hit)
    const dnat = this.#dnatOf.get(key)
    const target = dnat?.hit && this.#knowledge.dnatTarget(dnat.hit.rule)
    if (!dnat || (target && !leadsTo(target, hit.destination, hit.destinationPort))) return null
    this.#dnatOf.delete(key)
    dnat.isPart = true
    return dnat
  }

  #recordsOf(opened: readonly Open[], now: number): NewRecord[] {
    const records: NewRecord[] = []
    let lost = 0
    for (const open of opened) {
      lost += open.lost
      if (!open.hit) continue
      if (lost > 0) records.push(lostRecord(lost, open.hit.time))
      lost = 0
      records.push(recordOf(open, open.hit, this.#knowledge))
    }
    if (lost > 0) records.push(lostRecord(lost, now))
    return records
  }
}

/** What was released can no longer be joined with. */
function forgetReleased(known: Map<string, Open>, held: readonly Open[]): void {
  const still = new Set(held)
  for (const [key, open] of known) if (!still.has(open)) known.delete(key)
}

const sourceKey = ({ protocol, source, sourcePort }: Hit): string => `${protocol} ${source} ${sourcePort}`

const connectionKey = (hit: Hit): string => `${sourceKey(hit)} ${hit.destination} ${hit.destinationPort}`

const filterTables: ReadonlySet<string> = new Set(['FWD', 'INP'])

/** Tables whose rules write to the traffic journal. */
const journalled: ReadonlySet<string> = new Set([...filterTables, 'DNAT', 'SNAT'])

/** The record of a hit alone, without what packets do not say. */
export const plainRecord = (hit: Hit): NewRecord =>
  recordOf({ hit, lost: 0, dnat: null, snat: null, isPart: false }, hit, new HitKnowledge())

function recordOf({ dnat, snat, isPart }: Open, hit: Hit, knowledge: HitKnowledge): NewRecord {
  const [from, to] = [knowledge.personAt(hit.source, hit.time), knowledge.personAt(hit.destination, hit.time)]
  const [origin, goal] = [knowledge.countryOf(hit.source), knowledge.countryOf(hit.destination)]
  const dnatHit = hit.table === 'DNAT' ? hit : (dnat?.hit ?? null)
  const snatHit = hit.table === 'SNAT' ? hit : snat
  const target = dnatHit && sentTo(dnatHit, hit, knowledge)
  return {
    kind: 'firewall',
    time: hit.time,
    priority: information,
    ...source,
    message: describeHit(hit),
    fields: {
      table: hit.table,
      rule_id: hit.rule,
      action: hit.action,
      protocol: hit.protocol,
      source_ip: hit.source,
      destination_ip: hit.destination,
      in_interface: hit.input,
      out_interface: hit.output,
      source_port: hit.sourcePort,
      destination_port: hit.destinationPort,
      length: hit.length,
      lost: 0,
      src_zone: knowledge.zoneOf(hit.input),
      dst_zone: knowledge.zoneOf(hit.output),
      src_user_login: from?.login ?? '',
      src_user_name: from?.name ?? '',
      src_group: from?.group ?? '',
      dst_user_login: to?.login ?? '',
      dst_user_name: to?.name ?? '',
      dst_group: to?.group ?? '',
      src_location_name: origin.name,
      src_location_code: origin.code,
      dst_location_name: goal.name,
      dst_location_code: goal.code,
      dnat_ip: target?.ip ?? '',
      dnat_port: target?.port ?? noNumber,
      dnat_rule_id: ruleNumber(dnatHit),
      snat_ip: snatHit ? knowledge.snatAddress(snatHit.rule, snatHit.output) : '',
      snat_rule_id: ruleNumber(snatHit),
      called_ip: dnatHit?.destination ?? hit.destination,
      called_port: dnatHit?.destinationPort ?? hit.destinationPort,
      filter_rule_id: filterTables.has(hit.table) ? ruleNumber(hit) : noNumber,
      journal: journalled.has(hit.table) && !isPart ? 'yes' : '',
    },
  }
}

/** A packet that was seen behind the translation says itself where it went. */
function sentTo(dnat: Hit, hit: Hit, knowledge: HitKnowledge): { readonly ip: string; readonly port: number } | null {
  if (dnat !== hit) return { ip: hit.destination, port: hit.destinationPort }
  const target = knowledge.dnatTarget(dnat.rule)
  return target ? translated(target, dnat.destination, dnat.destinationPort) : null
}

const ruleNumber = (hit: Hit | null): number => Number(hit?.rule ?? noNumber) || noNumber

export const lostRecord = (lost: number, time: number): NewRecord => ({
  kind: 'firewall',
  time,
  priority: warning,
  ...source,
  message: describeLost(lost),
  fields: { table: 'SYS', action: 'lost', length: 0, lost },
})
