// In which channel an accepted connection is inspected, if in any: what compile-inspection.ts tells the kernel, for one packet. Pure.

import { type Cut, concerns, type Flow } from './evaluate-match.ts'
import type { InspectionResult, Outcome } from './evaluate-trace.ts'
import type { InspectionStage } from './model.ts'

type Decided = Pick<Outcome, 'path' | 'decidedBy' | 'verdict'>

/** Exceptions and the older rules are for forwarded traffic alone. */
export function inspect(
  stage: InspectionStage | null,
  flow: Flow,
  { path, decidedBy, verdict }: Decided,
): InspectionResult | Cut | null {
  if (stage === null || verdict !== 'accept' || path === 'none') return null
  const channel = (decidedBy.kind === 'rule' ? decidedBy.rule.inspection : undefined) ?? 0
  const asked: InspectionResult = channel === 0 ? { kind: 'none' } : { kind: 'inspected', channel, older: null }
  if (path !== 'forward') return asked
  // The older rules are looked at first: who is excepted would not have been inspected without them either.
  const found = askOlder(stage, flow, channel)
  if (found !== null && 'at' in found) return found
  const result = found ?? asked
  if (result.kind !== 'inspected') return result
  for (const { origin, hosts } of stage.exceptions) {
    const isExcepted = concerns(hosts, flow)
    if (typeof isExcepted === 'object') return isExcepted
    if (isExcepted) return { kind: 'excepted', origin }
  }
  return result
}

/** The first rule whose hosts match decides, also where it adds nothing to the channel. */
function askOlder({ older }: InspectionStage, flow: Flow, channel: number): InspectionResult | Cut | null {
  for (const { origin, hosts, channels } of older) {
    const isMeant = hosts === null || concerns(hosts, flow)
    if (typeof isMeant === 'object') return isMeant
    if (!isMeant) continue
    const to = channels[channel]
    return to === undefined ? null : { kind: 'inspected', channel: to, older: origin }
  }
  return null
}
