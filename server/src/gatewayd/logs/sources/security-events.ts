// Lines of the event file of the inspection engine as records of the log. An event gets the firewall rule of its connection from
// the lines that such rules write; where that line is not there yet, the event waits for it for a moment. The message that
// collectors get is made when it is sent (domain/logs/security-message.ts).

import { counted } from '../../../core/contract/counted.ts'
import { noNumber } from '../../../domain/logs/kinds.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import { type Sink, warningPriority } from '../../../domain/logs/source.ts'
import { type EveAlert, parseEveLine } from '../../../domain/signatures/eve-line.ts'
import { FileFollower } from './file-follower.ts'
import type { Follower } from './following.ts'
import type { HitKnowledge } from './hit-knowledge.ts'
import type { InspectedConnections } from './inspected-connections.ts'
import { SeenEvents } from './seen-events.ts'

export const securitySource = 'security'

const unit = '{brand}-suricata-event-syncer'
const preventionProgram = { unit, syslogId: 'suricata' }
/** Application control has a unit of its own. */
const applicationProgram = { unit: '{brand}-app-stats', syslogId: '{brand}-app-stats' }

/** The reader of the firewall log writes a line within half of it. */
const ruleMilliseconds = 400

export interface EventsFile {
  readonly path: string
  readonly knowledge: HitKnowledge
  readonly inspected: Pick<InspectedConnections, 'find'>
  readonly sink: Sink
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createEventsFollower({ path, knowledge, inspected, sink, now }: EventsFile): Follower {
  /** Of the lines that were read last, and of which none was handed on yet. */
  let held: EveAlert[] = []
  let faults = 0
  const seen = new SeenEvents()
  let waiting: { readonly position: string; readonly since: number } | null = null
  const hasRoom = (): boolean => sink.hasRoom?.() ?? true

  const note = (message: string): NewRecord => ({
    kind: 'system',
    time: now() * 1000,
    priority: warningPriority,
    ...preventionProgram,
    message,
    fields: {},
  })
  const handOn = (): void => {
    if (!waiting) return
    const records = held.map((alert) => securityRecord(alert, knowledge, inspected))
    if (faults > 0)
      records.push(note(`${counted(faults, 'line')} of the events of the inspection engine could not be read.`))
    sink.append(records, { source: securitySource, position: waiting.position })
    held = []
    faults = 0
    waiting = null
  }
  const isComplete = (): boolean => held.every((alert) => inspected.find(endsOf(alert)) !== undefined)

  const file = new FileFollower(
    {
      path,
      source: securitySource,
      // Everything that is kept is read: the file itself has a limit.
      maxBacklogBytes: Number.POSITIVE_INFINITY,
      records: (bytes) => {
        // In a flood nothing waits for its rule for longer than until the next piece is read.
        handOn()
        for (const line of bytes.toString('utf8').split('\n')) {
          if (line === '') continue
          const read = parseEveLine(line)
          if (read.is === 'alert') {
            if (!seen.isRepeated(read.alert)) held.push(read.alert)
          } else if (read.is === 'fault') faults++
        }
        return []
      },
      lost: (lines) =>
        note(
          `${counted(lines, 'line')} of the events of the inspection engine could not be read: there were too many.`,
        ),
    },
    {
      marks: () => sink.marks(),
      hasRoom,
      append: (records, mark) => {
        if (records.length > 0) sink.append(records)
        waiting = { position: mark?.position ?? '', since: now() }
        if (isComplete()) handOn()
      },
    },
  )
  return {
    step: () => {
      const isMore = file.step()
      if (!isMore && waiting && hasRoom() && (now() - waiting.since >= ruleMilliseconds || isComplete())) handOn()
      return isMore
    },
  }
}

const endsOf = ({ protocol, source, sourcePort, destination, destinationPort }: EveAlert) => ({
  protocol,
  source,
  sourcePort: sourcePort ?? noNumber,
  destination,
  destinationPort: destinationPort ?? noNumber,
})

/** Of syslog, by severity. */
const priorities: Readonly<Record<number, number>> = { 1: 2, 2: 3, 3: 4 }
const noticePriority = 5

const noProfile = { id: '', name: '' }

export function securityRecord(
  alert: EveAlert,
  knowledge: HitKnowledge,
  inspected: Pick<InspectedConnections, 'find'>,
): NewRecord {
  const { time, source, destination } = alert
  const ends = endsOf(alert)
  const rule = inspected.find(ends)
  const ruleId = rule && /^\d{1,15}$/.test(rule.rule) ? Number(rule.rule) : noNumber
  const [from, to] = [knowledge.personAt(source, time), knowledge.personAt(destination, time)]
  const [origin, goal] = [knowledge.countryOf(source), knowledge.countryOf(destination)]
  const application = alert.application === null ? undefined : knowledge.applicationOf(alert.application)
  const isApplication = alert.application !== null
  const channel = alert.channel === null ? undefined : knowledge.channelOf(alert.channel)
  const profile = (isApplication ? channel?.applications : channel?.prevention) ?? noProfile
  const signature = isApplication ? { classtype: '', tactic: '' } : knowledge.signatureOf(alert.sid)
  const name = isApplication ? (application?.name ?? alert.signature) : alert.signature
  return {
    kind: 'security',
    time,
    priority: priorities[alert.severity] ?? noticePriority,
    ...(isApplication ? applicationProgram : preventionProgram),
    message: describe(alert, name),
    fields: {
      module: isApplication ? 'application' : 'ips',
      result: alert.isBlocked ? 'blocked' : 'allowed',
      blocked: alert.isBlocked ? 1 : 0,
      signature: name,
      classtype: signature.classtype,
      category: alert.category,
      tactic: alert.tactic || signature.tactic,
      application: application?.id ?? '',
      app_protocol: alert.appProtocol,
      sid: alert.sid,
      gid: alert.gid,
      revision: alert.revision,
      severity: alert.severity,
      protocol: alert.protocol,
      source_ip: source,
      destination_ip: destination,
      source_port: ends.sourcePort,
      destination_port: ends.destinationPort,
      direction: alert.direction,
      in_interface: rule?.input ?? '',
      src_zone: rule ? knowledge.zoneOf(rule.input) : '',
      dst_zone: rule ? knowledge.zoneOf(rule.output) : '',
      profile_id: profile.id,
      profile: profile.name,
      table: rule?.table ?? '',
      rule: rule && ruleId !== noNumber ? `${rule.table.toLowerCase()}.${ruleId}` : '',
      rule_id: ruleId,
      src_user_id: from?.id ?? '',
      src_user_login: from?.login ?? '',
      src_user_name: from?.name ?? '',
      src_session: from?.session ?? '',
      dst_user_id: to?.id ?? '',
      dst_user_login: to?.login ?? '',
      dst_user_name: to?.name ?? '',
      dst_session: to?.session ?? '',
      src_location_name: origin.name,
      src_location_code: origin.code,
      dst_location_name: goal.name,
      dst_location_code: goal.code,
      host: alert.host,
      url: alert.url,
      user_agent: alert.userAgent,
      ja3: alert.ja3,
      ja4: alert.ja4,
      flow_id: alert.flowId,
      payload: alert.payload,
      packet: alert.packet,
      packets_to_server: alert.packetsToServer,
      packets_to_client: alert.packetsToClient,
      bytes_to_server: alert.bytesToServer,
      bytes_to_client: alert.bytesToClient,
      flow_start: alert.flowStart ?? noNumber,
    },
  }
}

/** As the system journal shows it: `10.0.0.7:5001 -> 192.0.2.9:6881 [BitTorrent] = DROP` for an application. */
function describe(alert: EveAlert, name: string): string {
  const from = withPort(alert.source, alert.sourcePort)
  const to = withPort(alert.destination, alert.destinationPort)
  if (alert.application !== null) return `${from} -> ${to} [${name}] = ${alert.isBlocked ? 'DROP' : 'ALERT'}`
  const word = alert.isBlocked ? 'blocked' : 'allowed'
  return `[${alert.gid}:${alert.sid}:${alert.revision}] ${name} {${alert.protocol}} ${from} -> ${to} ${word}`
}

const withPort = (address: string, port: number | null): string =>
  port === null ? address : address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
