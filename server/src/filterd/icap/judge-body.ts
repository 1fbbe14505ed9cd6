// How a body is judged before the client gets it, no matter who judges. It is kept back whole. Squid 5 stops reading at 64 KB until
// the answer begins, so the head is sent shortly before, and the body is still kept back: what is found later replaces the
// body, or ends the connection (decision 80).

import type { Exchange } from './exchange.ts'
import { HeldBody, type HoldRoom } from './held-body.ts'
import type { HttpHead } from './http-head.ts'

/** Below the 64 KB at which Squid waits for an answer, by more than one read of it. */
export const headAfterBytes = 48 * 1024

export type Verdict = 'open' | 'over' | 'refused'

export interface BodyJudge {
  /** `open`: more is needed. `over`: nothing that follows matters. */
  readonly push: (piece: Buffer) => Promise<Verdict>
  /** At the end of the body. */
  readonly end: () => Promise<Verdict>
  /** The body is not kept back from here on: the client gets each piece when it was pushed. */
  readonly passing?: () => void
  readonly close: () => void
  /** The head that is sent before the verdict. */
  readonly early: (head: HttpHead) => HttpHead
  /** Nothing was sent yet. */
  readonly refuse: () => Promise<void>
  /** The head was sent and nothing of the body. False: it cannot be replaced, the connection is cut. */
  readonly replace: () => Promise<boolean>
  /** A part of the body was sent: the connection is cut. */
  readonly onCut: () => void
}

/**
 * Two judges of one body; the first that refuses it answers. Two services in a row are not possible: the second would wait
 * for the body that the first keeps back, and Squid for the head of the second.
 */
export function judgedByBoth(first: BodyJudge, second: BodyJudge): BodyJudge {
  let refuser = first
  let open: readonly BodyJudge[] = [first, second]
  const ask = async (question: (judge: BodyJudge) => Promise<Verdict>): Promise<Verdict> => {
    for (const judge of open) {
      const verdict = await question(judge)
      if (verdict === 'over') open = open.filter((one) => one !== judge)
      if (verdict !== 'refused') continue
      refuser = judge
      return 'refused'
    }
    return open.length === 0 ? 'over' : 'open'
  }
  return {
    push: (piece) => ask((judge) => judge.push(piece)),
    end: () => ask((judge) => judge.end()),
    passing: () => {
      first.passing?.()
      second.passing?.()
    },
    close: () => {
      first.close()
      second.close()
    },
    early: (head) => second.early(first.early(head)),
    refuse: () => refuser.refuse(),
    replace: () => refuser.replace(),
    onCut: () => refuser.onCut(),
  }
}

/** Judges the body and answers. `holdMs` is how long a body may be kept back after it began. */
export async function judgeBody(exchange: Exchange, judge: BodyJudge, room: HoldRoom, holdMs: number): Promise<void> {
  const held = new HeldBody(room, exchange.client)
  try {
    await run(exchange, judge, held, performance.now() + holdMs)
  } finally {
    held.release()
    judge.close()
  }
}

async function run(exchange: Exchange, judge: BodyJudge, held: HeldBody, heldUntil: number): Promise<void> {
  type Stage = 'gathering' | 'head-sent' | 'passing'
  let stage = 'gathering' as Stage
  let verdict: Verdict = 'open'

  const sendHead = async () => {
    if (stage === 'gathering') await exchange.answer(judge.early(exchange.response))
    stage = stage === 'gathering' ? 'head-sent' : stage
  }
  const pass = async () => {
    await sendHead()
    stage = 'passing'
    judge.passing?.()
    for (const piece of held.release()) await exchange.send(piece)
  }
  const refuse = async () => {
    if (stage === 'gathering') await judge.refuse()
    else if (stage === 'passing' || !(await judge.replace())) {
      judge.onCut()
      exchange.cut()
    }
  }

  for (;;) {
    const piece = await exchange.next(stage === 'passing' ? undefined : Math.max(1, heldUntil - performance.now()))
    if (piece === 'late') {
      // Something that never ends, such as messages as they come.
      if (exchange.isPreview) {
        await exchange.leave()
        return
      }
      await pass()
      continue
    }
    if (piece === 'end') break
    if (piece === 'pause') {
      if (verdict === 'over') {
        await exchange.leave()
        return
      }
      await exchange.continue()
      continue
    }
    if (verdict === 'open') verdict = await judge.push(piece)
    if (verdict === 'refused') {
      await refuse()
      return
    }
    if (stage === 'passing') await exchange.send(piece)
    else held.add(piece)
    // The proxy takes an answer only after the preview.
    if (stage === 'passing' || exchange.isPreview) continue
    if (verdict === 'over' || held.isFull) await pass()
    else if (held.bytes >= headAfterBytes) await sendHead()
  }

  if (verdict === 'open') verdict = await judge.end()
  if (verdict === 'refused') await refuse()
  else if (stage === 'gathering' && exchange.canLeave) await exchange.leave()
  else {
    if (stage === 'gathering') await exchange.answer(exchange.response)
    for (const piece of held.release()) await exchange.send(piece)
    await exchange.end()
  }
}
