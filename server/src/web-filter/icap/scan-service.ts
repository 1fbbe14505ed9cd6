// The ICAP service that has files checked for viruses before a client gets them. What cannot be checked is refused or passes,
// as configured; it never passes silently because the antivirus program is away.

import { ClamdStream, type ScanVerdict } from './clamd.ts'
import type { Exchange } from './exchange.ts'
import { HoldRoom } from './held-body.ts'
import { fieldOf, statusOf, targetOf } from './http-head.ts'
import { type BodyJudge, judgeBody, judgedByBoth } from './judge-body.ts'
import { blockedByVirus, headOfPage, languageOf, notChecked, printPage, type Refusal } from './pages.ts'
import { createIcapServer } from './server.ts'
import { passBy, type WordsService } from './words-service.ts'

/** A longer file passes by; of one without a length this much is kept back and checked. Below the limit of clamd. */
export const maxScanBytes = 16 * 1024 * 1024
const room = { oneBytes: maxScanBytes, clientBytes: 4 * maxScanBytes, allBytes: 256 * 1024 * 1024 }
/** Slow files must not get past: only length releases them. */
const holdMs = 24 * 3_600_000

/** Played or read while they arrive, often without an end; nothing runs them. */
const passing = /^(?:audio|video)\/|^text\/event-stream/i

/** What happened after the head of the reply was sent, or because the check was not possible. */
export interface ScanNote {
  readonly what: 'cut' | 'unchecked'
  /** The virus, or why it was not checked. */
  readonly reason: string
  readonly client: string
  readonly url: string
}

export interface ScanServiceOptions {
  /** Of clamd. */
  readonly socket: string
  /** Judges the text of pages in the same go, where both are on. */
  readonly words?: Pick<WordsService, 'judgeFor'>
  readonly onNote: (note: ScanNote) => void
  readonly onFault: (error: unknown) => void
  /** How long clamd may be silent about a file. */
  readonly answerMs?: number
}

export interface ScanService {
  readonly listen: (port: number) => Promise<number>
  /** What happens to files that cannot be checked, from the next one on. */
  readonly update: (onFailure: 'block' | 'pass') => void
  readonly counts: () => { readonly checked: number; readonly refused: number; readonly unchecked: number }
  readonly close: () => Promise<void>
}

export function createScanService(options: ScanServiceOptions): ScanService {
  const holding = new HoldRoom(room)
  const counts = { checked: 0, refused: 0, unchecked: 0 }
  let onFailure: 'block' | 'pass' = 'block'

  async function respond(exchange: Exchange): Promise<void> {
    const { response, hasBody } = exchange
    const length = Number(fieldOf(response, 'content-length') ?? 0)
    const isPassing = passing.test(fieldOf(response, 'content-type') ?? '')
    if (!hasBody || isPassing || length > maxScanBytes || statusOf(response) < 200) {
      await passBy(exchange)
      return
    }
    const page = options.words?.judgeFor(exchange) ?? null
    const file = judgeOf(exchange)
    await judgeBody(exchange, page === null ? file : judgedByBoth(page, file), holding, holdMs)
  }

  function judgeOf(exchange: Exchange): BodyJudge {
    const stream = new ClamdStream(options.socket, options.answerMs)
    let verdict: ScanVerdict = { kind: 'clean' }
    const note = (what: ScanNote['what'], reason: string) =>
      options.onNote({ what, reason, client: exchange.client, url: targetOf(exchange.request) })
    const reason = () =>
      verdict.kind === 'infected' ? verdict.virus : verdict.kind === 'unknown' ? verdict.reason : ''
    return {
      push: async (piece) => {
        await stream.push(piece)
        return 'open'
      },
      end: async () => {
        verdict = await stream.end()
        counts.checked++
        if (verdict.kind === 'clean') return 'over'
        if (verdict.kind === 'infected') return 'refused'
        counts.unchecked++
        note('unchecked', verdict.reason)
        // Downloads of one client can keep it busy, and must not have the files of others pass.
        return onFailure === 'block' || verdict.isLate ? 'refused' : 'over'
      },
      close: () => stream.close(),
      early: (head) => head,
      refuse: async () => {
        counts.refused++
        const language = languageOf(fieldOf(exchange.request, 'accept-language'))
        const answer: Refusal =
          verdict.kind === 'infected' ? blockedByVirus(language, verdict.virus) : notChecked(language)
        const body = printPage(answer)
        const field = verdict.kind === 'infected' ? verdict.virus : 'unchecked'
        await exchange.answer(headOfPage(answer, body), [`X-Infection-Found: ${field}`])
        await exchange.send(body)
        await exchange.end()
      },
      // A page of ours must not be saved under the name of the file.
      replace: () => Promise.resolve(false),
      onCut: () => {
        counts.refused++
        note('cut', reason())
      },
    }
  }

  const server = createIcapServer(
    { path: 'antivirus', tag: () => '"portcullis-antivirus-1"', respond },
    options.onFault,
  )
  return {
    listen: (port) => server.listen(port),
    update: (value) => {
      onFailure = value
    },
    counts: () => counts,
    close: () => server.close(),
  }
}
