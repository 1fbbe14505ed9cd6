// Endpoints of the security events and their reports.

import { type Context, handle, type Route, signedIn } from '../../core/area/handle.ts'
import { type RawReply, rawReply } from '../../core/area/raw-reply.ts'
import { newId } from '../../core/area/routes.ts'
import { GatewayError, invalid, notFound } from '../../core/contract/error.ts'
import { findIn } from '../../core/model/item-index.ts'
import { addTo } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { SumRow } from '../../domain/logs/store.ts'
import { nameOfTactic } from '../../domain/signatures/names.ts'
import type { Rule } from '../../domain/signatures/rule.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { printPcap } from '../../shared/net/pcap.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { profiles as applicationProfiles, applications } from '../application-profiles/public.ts'
import { exceptionList } from '../firewall/public.ts'
import { capturesService } from '../inspection/service.ts'
import {
  addException,
  catalogueOf,
  exceptionFault,
  profileRules,
  profiles,
  template,
} from '../intrusion-prevention/public.ts'
import { signaturesService } from '../intrusion-prevention/service.ts'
import { askedOf, bucketsAnswer, journalAnswer, tailAnswer, timelineSums, topSums } from '../logs/public.ts'
import { logsService, refreshLogsService } from '../logs/service.ts'
import { countryName, ipAddresses, ipAddressObjects } from '../objects/public.ts'
import * as contract from './contract.ts'
import { actionOf, captureOf, exceptedHosts, type FoundEvent, firewallRuleOf, packetOf, shownEvent } from './events.ts'

const journal = { view: 'security', columns: contract.eventColumns }
/** Has columns that the journal does not show. */
const details = { view: 'security_details', columns: contract.eventColumns }

const columnsOfKinds = {
  signatures: 'signature_id',
  profiles: 'profile_id',
  sources: 'src_ip',
  destinations: 'dst_ip',
  classtypes: 'classtype',
  tactics: 'mitre_tactic_id',
  countries: 'src_location_code',
  rules: 'rule',
  applications: 'application',
  results: 'result',
  severities: 'severity',
} as const satisfies Readonly<Record<contract.TopKind, string>>

const sums = ['blocked'] as const

const amountsOf = ({ records = 0, sums: [blocked = 0] = [] }: Partial<SumRow> = {}) => ({ events: records, blocked })

const signatureOf = ({ config, services }: Pick<Context, 'config' | 'services'>, sid: number): Rule | undefined =>
  catalogueOf(config, services.of(signaturesService)?.current()).find(sid)

/** What a value of a report is called now; empty where it is not known or says enough itself. */
function titleOf(context: Context, kind: contract.TopKind, value: string): string {
  const { config, services } = context
  if (value === '') return ''
  switch (kind) {
    case 'signatures':
      return signatureOf(context, Number(value))?.signature.msg ?? ''
    case 'profiles':
      if (value === template.id) return template.name
      return (findIn(config, profiles, value) ?? findIn(config, applicationProfiles, value))?.name ?? ''
    case 'classtypes':
      return catalogueOf(config, services.of(signaturesService)?.current()).classtypes.get(value) ?? ''
    case 'tactics':
      return nameOfTactic(value)
    case 'countries':
      return countryName(value)
    case 'applications':
      return applications.find(({ id }) => id === value)?.name ?? ''
    default:
      return ''
  }
}

async function findEvent(context: Context, id: string): Promise<FoundEvent> {
  const { services, signal } = context
  if (!/^security\.\d{1,15}$/.test(id)) throw notFound(say`security event with the id ${id.slice(0, 80)}`)
  await services.of(refreshLogsService)()
  const where = { kind: 'equals', column: 'id', cells: [id] } as const
  const question = { ...askedOf(context, {}, details), where, order: [], offset: 0, limit: 1 }
  const found = await services.of(logsService).find(question, { owner: signedIn(context).adminId, signal })
  const pieces: Uint8Array[] = []
  for await (const { bytes } of found.texts(null)) pieces.push(bytes)
  const text = Buffer.concat(pieces).toString()
  if (text === '') throw notFound(say`security event with the id ${id}`)
  return JSON.parse(text) as FoundEvent
}

/** Why no exception of the signature can be made; empty when it can. */
function signatureFault(context: Context, found: FoundEvent): SaidText {
  if (found.module === 'application')
    return say`It is an application and not a signature: allow it in the profile of application control.`
  const fault = exceptionFault(context.config, found.profile_id)
  if (fault !== null) return fault
  return signatureOf(context, found.signature_id) ? '' : say`The signature is not known any more.`
}

const addressFault = (found: FoundEvent): SaidText => {
  const isKnown = [found.src_ip, found.dst_ip].some((address) => parseAddress(address) !== null)
  return isKnown ? '' : say`Exceptions of hosts are made for IPv4 addresses only.`
}

type ExceptionContext = Context<typeof contract.addException>

const nothing = { sid: null, profile_id: null, profile_rule_id: null, bypass_id: null }

function exceptSignature(context: ExceptionContext, found: FoundEvent) {
  const { body, change, services } = context
  const fault = signatureFault(context, found)
  const rule = signatureOf(context, found.signature_id)
  if (fault !== '' || !rule) throw new GatewayError('conflict', fault)
  const hosts = exceptedHosts(found, body.side ?? 'both')
  const comment = body.comment ?? `Exception of ${found.signature}`.slice(0, 255)
  return change((config, tools) => {
    const ruleId = tools.nextId(profileRules)
    const exception = { profileId: found.profile_id, rule, ...hosts, comment, ruleId }
    const isTaken = (sid: number): boolean => services.of(signaturesService)?.current().find(sid) !== undefined
    const [next, sid] = addException(config, exception, isTaken)
    const made = { sid, profile_id: found.profile_id, profile_rule_id: ruleId }
    return [next, { kind: 'signature' as const, ...nothing, ...made }] as const
  })
}

function exceptAddress({ body, change }: ExceptionContext, found: FoundEvent) {
  if (body.side === 'both') throw invalid('side', say`An exception of a host is about the source or the destination.`)
  const address = body.side === 'destination' ? found.dst_ip : found.src_ip
  if (parseAddress(address) === null)
    throw invalid('side', say`${address} is not an IPv4 address; exceptions of hosts are made for those only.`)
  const comment = body.comment ?? `Exception of ${found.signature}`.slice(0, 255)
  return change((config, tools) => {
    const [object, withObject] = hostObject(config, address, () => newId(ipAddressObjects, tools)[0])
    const [id] = newId(exceptionList, tools)
    const next = addTo(withObject, exceptionList, id, { aliases: [object], comment, enabled: true })
    return [next, { kind: 'address' as const, ...nothing, bypass_id: String(id) }] as const
  })
}

/** Exceptions name objects: one that has the address, or a new one. */
function hostObject(config: Config, address: string, newObjectId: () => string | number): readonly [string, Config] {
  const known = read(config, ipAddresses).find(({ value }) => value === address)
  if (known) return [known.id, config]
  const id = String(newObjectId())
  return [id, addTo(config, ipAddressObjects, id, { title: address, value: address, comment: '' })]
}

async function captureReply(context: Context, id: string): Promise<RawReply> {
  const { services, signal } = context
  const found = await findEvent(context, id)
  const kept = (await services.of(capturesService)?.find(captureOf(found), signal)) ?? []
  const own = packetOf(found)
  const packets = kept.length > 0 ? kept : own ? [own] : []
  if (packets.length === 0)
    throw new GatewayError(
      'not_found',
      say`The packets of this event are not kept any more, and the event has none itself.`,
    )
  context.setHeader('content-disposition', `attachment; filename="${id}.pcap"`)
  return rawReply(contract.captureType, printPcap(packets))
}

export const routes: readonly Route[] = [
  handle(contract.eventJournal, (context) =>
    journalAnswer(context, context.query, askedOf(context, context.query, journal), contract.eventColumns),
  ),
  handle(contract.eventBuckets, (context) =>
    bucketsAnswer(context, context.query, askedOf(context, context.query, journal)),
  ),
  handle(contract.eventTail, (context) =>
    tailAnswer(context, context.query.after, askedOf(context, context.query, journal)),
  ),
  handle(contract.eventTop, async (context) => {
    const { query } = context
    const { kind } = query
    const question = { by: columnsOfKinds[kind], ends: null, sums, order: 'records' }
    const { rows, all, isComplete } = await topSums(context, query, askedOf(context, query, details), question)
    return {
      data: rows.map((row) => ({ value: row.value, title: titleOf(context, kind, row.value), ...amountsOf(row) })),
      total: amountsOf(all),
      complete: isComplete,
    }
  }),
  handle(contract.eventTimeline, (context) => {
    const asked = askedOf(context, context.query, details)
    return timelineSums(context, context.query, asked, { by: 'severity', sums }, timelineStep)
  }),
  handle(contract.showEvent, async (context) => {
    const found = await findEvent(context, context.params.event_id)
    const fault = signatureFault(context, found)
    const { category, revision, payload, packet, flow_start } = found
    return {
      event: shownEvent(found),
      category,
      revision,
      payload,
      packet,
      flow_start: Math.floor(flow_start / 1_000_000),
      action: actionOf(found),
      signature_text: found.module === 'ips' ? (signatureOf(context, found.signature_id)?.text ?? '') : '',
      firewall_rule: firewallRuleOf(context.config, found),
      exceptions: [
        ...(fault === '' ? (['signature'] as const) : []),
        ...(addressFault(found) === '' ? (['address'] as const) : []),
      ],
      no_exception: fault,
    }
  }),
  handle(contract.eventCapture, (context) => captureReply(context, context.params.event_id)),
  handle(contract.addException, async (context) => {
    const found = await findEvent(context, context.params.event_id)
    return context.body.kind === 'signature' ? exceptSignature(context, found) : exceptAddress(context, found)
  }),
]

function timelineStep(from: number, rows: readonly SumRow[]) {
  const of = (severity: number): number => rows.find(({ value }) => value === String(severity))?.records ?? 0
  const { events, blocked } = amountsOf({
    records: rows.reduce((sum, { records }) => sum + records, 0),
    sums: [rows.reduce((sum, row) => sum + (row.sums[0] ?? 0), 0)],
  })
  return {
    from,
    events,
    blocked,
    allowed: events - blocked,
    critical: of(1),
    important: of(2),
    warning: of(3),
    unclassified: of(4),
    unrecognised: of(255),
  }
}
