// The entry of the worker for expensive reads: past revisions, explanations, live connections and the hygiene of rules. It has a connection of
// its own to the database, so that no large configuration crosses between threads, and answers in bytes.

import { workerData } from 'node:worker_threads'
import { answerConnections, type ConnectionsQuestion } from '../../areas/firewall/connections.ts'
import { firewall } from '../../areas/firewall/index.ts'
import {
  answerExplain,
  answerHygiene,
  type ExplainQuestion,
  type HygieneQuestion,
} from '../../areas/firewall/reading.ts'
import { parseEnds } from '../../areas/monitor/runs/conntrack.ts'
import { RevisionReader } from '../../core/config/revision-reader.ts'
import { notFound } from '../../core/contract/error.ts'
import { Database, readOnlyData } from '../../core/database/database.ts'
import type { Config } from '../../core/model/slots.ts'
import { type ConnectionLine, encodeConnections } from '../../core/workers/connection-lines.ts'
import { jsonBytes, jsonBytesOfList, jsonBytesWithList } from '../../core/workers/json-bytes.ts'
import { serveTasks } from '../../core/workers/serve.ts'
import { createFactsReceiver, type PackedFacts } from '../../core/workers/shared-facts.ts'
import type { RefusedConnection } from '../../domain/policy/refused-connections.ts'
import { say } from '../../shared/said.ts'

export interface ReaderData {
  /** The database of the gateway. */
  readonly path: string
}

interface Asked<Q> {
  readonly question: Q
  readonly facts: PackedFacts
}

const { path } = workerData as ReaderData
const database = new Database(path, undefined, readOnlyData)
/** Only what the rules depend on: a gateway may have fifty thousand users beside them. */
const rules = new RevisionReader(database, [...firewall.slots, ...(firewall.reads ?? [])])
const factsOf = createFactsReceiver()

const found = (config: Config | null, revision: number): Config => {
  if (!config) throw notFound(say`revision ${revision}`)
  return config
}

export const readerTasks = {
  explain: ({ question, facts }: Asked<ExplainQuestion>) => {
    const { revision, changes } = question
    return jsonBytes(answerExplain(found(rules.configAt(revision, changes), revision), factsOf(facts), question))
  },
  connections: ({ question, facts }: Asked<ConnectionsQuestion>) => {
    const configOf = ({ revision, changes }: ConnectionsQuestion['before']): Config =>
      found(rules.configAt(revision, changes), revision)
    const [before, after] = [configOf(question.before), configOf(question.after)]
    const { listed, ...counts } = answerConnections(before, after, factsOf(facts), question, parseEnds)
    return encodeConnections(counts, listed.flatMap(lineOf))
  },
  hygiene: ({ question, facts }: Asked<HygieneQuestion>) => {
    const config = found(rules.configAt(question.revision), question.revision)
    return jsonBytesOfList(answerHygiene(config, factsOf(facts), question))
  },
  revision: async (revision: number) => {
    // Old changes are read through the upgrades of every area, which other questions do not need.
    const { areas } = await import('../../areas/index.ts')
    const reader = new RevisionReader(
      database,
      areas.flatMap(({ slots }) => slots),
    )
    const described = reader.describe(revision)
    if (!described) throw notFound(say`revision ${revision}`)
    const { changes, ...info } = described
    return jsonBytesWithList(info, 'changes', changes)
  },
}

function lineOf({ connection, refusedBy: rule, user }: RefusedConnection): ConnectionLine[] {
  const { protocol, source, sourcePort, destination, destinationPort } = connection
  if ((protocol !== 'tcp' && protocol !== 'udp') || sourcePort === null || destinationPort === null) return []
  return [{ protocol, source, sourcePort, destination, destinationPort, rule, user }]
}

serveTasks(readerTasks)
