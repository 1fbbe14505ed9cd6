// The ICAP service that judges the text of pages by dictionaries. Binary, long and unreadable bodies pass by in the preview.

import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { charsetOfType } from '../../domain/web-filter/morphology/charset.ts'
import { CompiledDictionaries, type WordDictionary } from '../../domain/web-filter/morphology/dictionaries.ts'
import { encodeBody, readCodings } from '../../domain/web-filter/morphology/encodings.ts'
import { canJudge, maxJudgedBytes, PageJudge } from '../../domain/web-filter/morphology/page-judge.ts'
import type { Exchange } from './exchange.ts'
import { HoldRoom } from './held-body.ts'
import { fieldOf, statusOf, targetOf, without } from './http-head.ts'
import { type BodyJudge, judgeBody } from './judge-body.ts'
import { blockedByWords, headOfPage, languageOf, printPage } from './pages.ts'
import { createIcapServer } from './server.ts'
import { Turns } from './turns.ts'

/** Of a body as sent; a longer one passes by, and of one without a length this much is kept back. */
export const maxPageBytes = 2 * 1024 * 1024
const room = { oneBytes: maxPageBytes, clientBytes: 32 * 1024 * 1024, allBytes: 128 * 1024 * 1024 }
const holdMs = 15_000

/** Of a head that is sent before the page is judged: whatever would let a cache keep our page for that of the site. */
const notEarly = new Set([
  'content-length',
  'etag',
  'last-modified',
  'expires',
  'cache-control',
  'pragma',
  'age',
  'accept-ranges',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
  'trailer',
  'transfer-encoding',
])

/** A page that words refused after its head, or a part of it, was sent: only the log of the process has it. */
export interface LateRefusal {
  readonly dictionary: string
  readonly client: string
  readonly url: string
  readonly isCut: boolean
}

export interface WordsServiceOptions {
  readonly onLate: (refusal: LateRefusal) => void
  readonly onFault: (error: unknown) => void
  readonly holdMs?: number
}

export interface WordsService {
  /** Gives the port. */
  readonly listen: (port: number) => Promise<number>
  /** Judges with these from the next page on; without any, every page passes. */
  readonly update: (dictionaries: readonly WordDictionary[]) => Promise<void>
  /** How the text of a reply is judged, for another service that judges it too; null when it is not a page. */
  readonly judgeFor: (exchange: Exchange) => BodyJudge | null
  readonly counts: () => { readonly judged: number; readonly refused: number; readonly heldBytes: number }
  readonly close: () => Promise<void>
}

const idForm = /^[A-Za-z0-9_.-]{1,80}$/

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps that should be functions of their own
export function createWordsService(options: WordsServiceOptions): WordsService {
  const holding = new HoldRoom(room)
  const turns = new Turns()
  let compiled: CompiledDictionaries | null = null
  let tag = '"none"'
  let latest = 0
  const counts = { judged: 0, refused: 0 }

  function judgeFor(exchange: Exchange): BodyJudge | null {
    const { response, hasBody } = exchange
    const head = {
      contentType: fieldOf(response, 'content-type') ?? '',
      contentEncoding: fieldOf(response, 'content-encoding'),
    }
    const length = Number(fieldOf(response, 'content-length') ?? 0)
    if (compiled === null || !hasBody || !canJudge(head) || length > maxPageBytes) return null
    counts.judged++
    return judgeOf(exchange, compiled, head)
  }

  async function respond(exchange: Exchange): Promise<void> {
    const judge = judgeFor(exchange)
    if (judge === null) await passBy(exchange)
    else await judgeBody(exchange, judge, holding, options.holdMs ?? holdMs)
  }

  function judgeOf(
    exchange: Exchange,
    dictionaries: CompiledDictionaries,
    head: { readonly contentType: string; readonly contentEncoding: string | null },
  ): BodyJudge {
    const page = new PageJudge(dictionaries, head, maxJudgedBytes, () => turns.take(exchange.client))
    const verdict = () => (page.reached !== null ? 'refused' : page.isOver ? 'over' : 'open')
    const isWhole = statusOf(exchange.response) !== 206
    const refusal = () => {
      counts.refused++
      const language = languageOf(fieldOf(exchange.request, 'accept-language'))
      return blockedByWords(language, page.reached?.title ?? '')
    }
    const late = (isCut: boolean) =>
      options.onLate({
        dictionary: page.reached?.id ?? '',
        client: exchange.client,
        url: targetOf(exchange.request),
        isCut,
      })
    return {
      push: async (piece) => {
        await page.push(piece)
        return verdict()
      },
      end: async () => {
        await page.end()
        return verdict() === 'refused' ? 'refused' : 'over'
      },
      close: () => page.close(),
      early: (original) => (isWhole ? without(original, notEarly, ['Cache-Control: no-cache']) : original),
      refuse: async () => {
        const answer = refusal()
        const body = printPage(answer)
        const id = page.reached?.id ?? ''
        await exchange.answer(headOfPage(answer, body), idForm.test(id) ? [`X-Filter-Words: ${id}`] : [])
        await exchange.send(body)
        await exchange.end()
      },
      replace: async () => {
        if (!isWhole) return false
        const plain = printPage(refusal())
        // The head has announced how the body is written.
        const isWide = charsetOfType(head.contentType)?.startsWith('utf-16') === true
        const text = isWide ? Buffer.from(`\ufeff${plain.toString('latin1')}`, 'utf16le') : plain
        await exchange.send(await encodeBody(text, readCodings(head.contentEncoding) ?? []))
        await exchange.end()
        late(false)
        return true
      },
      onCut: () => {
        counts.refused++
        late(true)
      },
    }
  }

  const server = createIcapServer({ path: 'words', tag: () => tag, respond }, options.onFault)
  return {
    listen: (port) => server.listen(port),
    update: async (dictionaries) => {
      const turn = ++latest
      const text = JSON.stringify(dictionaries)
      const next = dictionaries.length === 0 ? null : await CompiledDictionaries.compile(dictionaries, () => nextTurn())
      // A later update may have been faster.
      if (turn !== latest) return
      compiled = next
      tag = `"${createHash('sha256').update(text).digest('hex').slice(0, 24)}"`
    },
    judgeFor,
    counts: () => ({ ...counts, heldBytes: holding.bytes }),
    close: () => server.close(),
  }
}

/** As it is; where the proxy wants the body back, it gets it piece by piece. */
export async function passBy(exchange: Exchange): Promise<void> {
  if (exchange.canLeave) {
    // What is in the preview is read, so that the next request starts behind it.
    for (let piece = await exchange.next(); piece !== 'pause' && piece !== 'end' && exchange.isPreview; )
      piece = await exchange.next()
    await exchange.leave()
    return
  }
  await exchange.answer(exchange.response)
  for (let piece = await exchange.next(); piece !== 'end'; piece = await exchange.next())
    if (typeof piece !== 'string') await exchange.send(piece)
  await exchange.end()
}
