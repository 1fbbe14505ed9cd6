// Endpoints that answer questions about the rules and change nothing. What takes long is left to a worker.

import { createHash } from 'node:crypto'
import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { jsonReply } from '../../core/area/raw-reply.ts'
import type { ReplyOf } from '../../core/contract/endpoint.ts'
import { invalid } from '../../core/contract/error.ts'
import { read } from '../../core/model/slots.ts'
import { packFacts } from '../../core/workers/shared-facts.ts'
import { createSlices, inSlices } from '../../core/workers/slices.ts'
import { parseSpan } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { userSessionsService } from '../authorization/service.ts'
import { conflictsService } from '../health/service.ts'
import { namesService } from '../objects/service.ts'
import { watch } from './config.ts'
import { findPlaces } from './connections.ts'
import {
  explainPacket as explainEndpoint,
  listTouching,
  lookUpName,
  showHygiene,
  type TouchingRule,
} from './contract-explain.ts'
import { expiredRules, explainPacket, isWithinSchedules } from './explain.ts'
import { localStamp } from './jobs.ts'
import { findPeople, membersOf, othersFinder } from './people.ts'
import { type ExplainQuestion, foreignNotes, type HygieneQuestion, withNotes } from './reading.ts'
import { hitCountersService } from './service.ts'
import { touchingRules } from './touching.ts'

export const explainRoutes: readonly Route[] = [
  handle(explainEndpoint, async (context) => {
    const { body, config, services } = context
    const now = Math.floor(services.clock.now().getTime() / 1000)
    const facts = services.facts()
    const people = findPeople(config, services.of(userSessionsService), body.packet)
    const notes = foreignNotes(await services.of(conflictsService).recent())
    const isRunning = body.revision === undefined && body.change === undefined
    // The rules in force are resolved already; for anything else thousands have to be resolved first.
    if (isRunning && isWithinSchedules(facts, body.packet.time ?? now)) {
      const known = { ...people, findOthers: othersFinder(config, services.of(userSessionsService)) }
      const explained = explainPacket(config, facts, body.packet, known, now)
      return withNotes(explained, notes) as ReplyOf<typeof explainEndpoint>
    }
    const users = await inSlices(findPlaces(config, services.of(userSessionsService)))
    const question: ExplainQuestion = { ...(await askedState(context)), packet: body.packet, people, users, now, notes }
    const input = { question, facts: await packFacts(facts) }
    return jsonReply(await services.reader.run('explain', input, context))
  }),
  handle(listTouching, async ({ config, query: { address }, services }) => {
    const span = parseSpan(address)
    if (!span) throw invalid('address', say`Must be an IPv4 address or network.`)
    const members = membersOf(config, services.of(userSessionsService).at(address)?.userId)
    const slices = createSlices()
    const found: TouchingRule[] = []
    for (const rule of touchingRules(config, services.facts(), { span, members })) {
      if (rule) found.push(rule)
      await slices()
    }
    return found
  }),
  handle(lookUpName, async ({ query: { name }, services }) => {
    const names = services.of(namesService)
    if (!names) return { addresses: [], error: say`This gateway asks no DNS server.` }
    const found = await names.lookUp(name)
    return 'fault' in found ? { addresses: [], error: found.fault } : { addresses: [...found.addresses], error: null }
  }),
  handle(showHygiene, async (context) => {
    const { config, services } = context
    const facts = services.facts()
    const { revision } = services.engine
    const expired = expiredRules(config, localStamp(services.clock.now(), facts.timeZone))
    // Without counting nothing is known about hits.
    const unhit = read(config, watch).enabled ? unhitLines(await services.of(hitCountersService).current()) : ''
    const packed = await packFacts(facts)
    const question: HygieneQuestion = { revision, unhit, expired }
    const key = createHash('sha256')
      .update(`${packed.id} ${JSON.stringify(question)}`)
      .digest('hex')
    return jsonReply(await services.reader.runOnce('hygiene', key, { question, facts: packed }, context))
  }),
]

const unhitLines = (hits: ReadonlyMap<string, { readonly packets: number; readonly since: number }>): string =>
  [...hits].flatMap(([origin, { packets, since }]) => (packets === 0 ? [`${origin} ${since}`] : [])).join('\n')

/** The running configuration, that of a revision, or the one that a call would produce. */
async function askedState({
  body: { revision, change },
  services,
  preview,
}: Context<typeof explainEndpoint>): Promise<Pick<ExplainQuestion, 'revision' | 'changes'>> {
  if (change !== undefined && revision !== undefined)
    throw invalid('change', say`Send either a revision or a change, not both.`)
  if (change === undefined) return { revision: revision ?? services.engine.revision, changes: [] }
  const previewed = await preview(change)
  // Values before the change are not needed to make it.
  return { ...previewed, changes: previewed.changes.map((one) => ({ ...one, before: null })) }
}
