// Asks the gateway about a packet: a name is resolved first, then the way through the running configuration, a revision or the
// draft, and the same packet at the revision before for comparison.

import { listRevisions } from '@gateway/server/contract/configuration'
import { explainPacket, lookUpName } from '@gateway/server/contract/firewall'
import { useEffect, useState } from 'react'
import { wireCall } from '../../../api/apply.ts'
import { call } from '../../../api/call.ts'
import type { PlannedCall } from '../../../api/change.ts'
import { Failure } from '../../../api/failure.ts'
import { type Connection, guessInterface } from './guess.ts'
import { bodyOfPacket, isName, type PacketBody, type PacketDraft } from './packet.ts'
import type { Explanation } from './path.ts'

export interface Answer {
  readonly packet: PacketDraft
  readonly body: PacketBody
  readonly explanation: Explanation
  /** Of a name: all its addresses; the first was traced. */
  readonly addresses: readonly string[]
  readonly isGuessed: boolean
  /** The same packet elsewhere. */
  readonly other: { readonly revision: number; readonly explanation: Explanation } | null
}

export type Trace =
  | { readonly state: 'idle' | 'waiting' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'unnamed'; readonly name: string; readonly reason: string }
  | { readonly state: 'done'; readonly answer: Answer }

export interface TraceQuestion {
  readonly packet: PacketDraft | null
  readonly connections: readonly Connection[]
  readonly against: 'running' | 'revision' | 'draft'
  readonly revision: number | null
  readonly draftCalls: readonly PlannedCall[]
}

export function useTrace(question: TraceQuestion): Trace & { readonly again: () => void } {
  const [trace, setTrace] = useState<Trace>({ state: 'idle' })
  const [round, setRound] = useState(0)
  const { packet, against, revision, draftCalls } = question
  const key = JSON.stringify([packet, against, revision, draftCalls.map(wireCall)])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the question; `round` asks once more
  useEffect(() => {
    if (packet === null) {
      setTrace({ state: 'idle' })
      return
    }
    const controller = new AbortController()
    const isCurrent = (): boolean => !controller.signal.aborted
    setTrace({ state: 'waiting' })
    void ask(question, packet, controller.signal).then(
      (next) => {
        if (!isCurrent()) return
        setTrace(next)
        if (next.state === 'done' && against === 'running')
          void compare(next.answer, controller.signal).then((other) => {
            if (isCurrent() && other) setTrace({ state: 'done', answer: { ...next.answer, other } })
          })
      },
      (error: unknown) => {
        if (!isCurrent()) return
        if (!(error instanceof Failure)) throw error
        setTrace({ state: 'failed', failure: error })
      },
    )
    return () => controller.abort()
  }, [key, round])
  return { ...trace, again: () => setRound((now) => now + 1) }
}

async function ask(question: TraceQuestion, packet: PacketDraft, signal: AbortSignal): Promise<Trace> {
  const addresses = isName(packet.destination) ? await resolve(packet.destination, signal) : null
  if (addresses !== null && 'reason' in addresses)
    return { state: 'unnamed', name: packet.destination, reason: addresses.reason }
  const [destination = packet.destination] = addresses ?? []
  const isGuessed = packet.incoming === ''
  const incoming = isGuessed
    ? guessInterface(packet.source, question.connections)
    : packet.incoming === 'gateway'
      ? null
      : packet.incoming
  const body = bodyOfPacket(packet, destination, incoming)
  const { data: explanation } = await call(explainPacket, { body: { packet: body, ...stateOf(question) }, signal })
  return { state: 'done', answer: { packet, body, explanation, addresses: addresses ?? [], isGuessed, other: null } }
}

async function resolve(name: string, signal: AbortSignal): Promise<readonly string[] | { readonly reason: string }> {
  const { data } = await call(lookUpName, { query: { name }, signal })
  return data.addresses.length === 0 ? { reason: data.error ?? '' } : data.addresses
}

function stateOf({ against, revision, draftCalls }: TraceQuestion) {
  if (against === 'revision' && revision !== null) return { revision }
  const [first] = draftCalls
  if (against !== 'draft' || !first) return {}
  const calls = draftCalls.map(wireCall).map(({ method, path, ...rest }) => ({
    method: method as 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path,
    ...('body' in rest ? { body: rest.body } : {}),
  }))
  const [only] = calls
  if (calls.length === 1 && only) return { change: only }
  return { change: { method: 'POST', path: '/config/changes', body: { calls } } as const }
}

/** What the revision before the newest made of the same packet; null when there is none or it says the same. */
async function compare({ body, explanation }: Answer, signal: AbortSignal): Promise<Answer['other']> {
  try {
    const { data } = await call(listRevisions, { query: { limit: 2 }, signal, isBackground: true })
    const before = data.map((one) => one.revision).toSorted((a, b) => b - a)[1]
    if (before === undefined) return null
    const { data: other } = await call(explainPacket, { body: { packet: body, revision: before }, signal })
    const isSame =
      other.verdict === explanation.verdict && other.outcomes[0]?.decided_by === explanation.outcomes[0]?.decided_by
    return isSame ? null : { revision: before, explanation: other }
  } catch {
    return null
  }
}
