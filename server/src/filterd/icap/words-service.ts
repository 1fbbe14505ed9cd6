// The ICAP service that judges the text of pages by dictionaries. Binary, long and unreadable bodies pass by in the preview.

import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { charsetOfType } from '../../domain/web-filter/morphology/charset.ts'
import { CompiledDictionaries, type WordDictionary } from '../../domain/web-filter/morphology/dictionaries.ts'
import { encodeBody, readCodings } from '../../domain/web-filter/morphology/encodings.ts'
import { canJudge, maxJudgedBytes, PageJudge } from '../../domain/web-filter/morphology/page-judge.ts'
import type { Exchange } from './exchange.ts'
import { HoldRoom } from './held-body.ts'
import { fieldOf, type HttpHead, statusOf, targetOf, without } from './http-head.ts'
import { type BodyJudge, judgeBody, type Verdict } from './judge-body.ts'
import { blockedByWords, headOfPage, languageOf, printPage } from './pages.ts'
import { createIcapServer, type IcapServer } from './server.ts'
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

interface PageHead {
  readonly contentType: string
  readonly contentEncoding: string | null
}

const idForm = /^[A-Za-z0-9_.-]{1,80}$/

export class WordsService {
  readonly #options: WordsServiceOptions
  readonly #holding = new HoldRoom(room)
  readonly #turns = new Turns()
  readonly #server: IcapServer
  readonly #counts = { judged: 0, refused: 0 }
  #compiled: CompiledDictionaries | null = null
  #tag = '"none"'
  #latest = 0

  constructor(options: WordsServiceOptions) {
    this.#options = options
    const service = { path: 'words', tag: () => this.#tag, respond: (exchange: Exchange) => this.#respond(exchange) }
    this.#server = createIcapServer(service, options.onFault)
  }

  /** Gives the port. */
  listen(port: number): Promise<number> {
    return this.#server.listen(port)
  }

  /** Judges with these from the next page on; without any, every page passes. */
  async update(dictionaries: readonly WordDictionary[]): Promise<void> {
    const turn = ++this.#latest
    const text = JSON.stringify(dictionaries)
    const next = dictionaries.length === 0 ? null : await CompiledDictionaries.compile(dictionaries, () => nextTurn())
    // A later update may have been faster.
    if (turn !== this.#latest) return
    this.#compiled = next
    this.#tag = `"${createHash('sha256').update(text).digest('hex').slice(0, 24)}"`
  }

  /** How the text of a reply is judged, for another service that judges it too; null when it is not a page. */
  judgeFor(exchange: Exchange): BodyJudge | null {
    const { response, hasBody, client } = exchange
    const head: PageHead = {
      contentType: fieldOf(response, 'content-type') ?? '',
      contentEncoding: fieldOf(response, 'content-encoding'),
    }
    const length = Number(fieldOf(response, 'content-length') ?? 0)
    if (this.#compiled === null || !hasBody || !canJudge(head) || length > maxPageBytes) return null
    this.#counts.judged++
    const page = new PageJudge(this.#compiled, head, maxJudgedBytes, () => this.#turns.take(client))
    const onRefused = (): void => {
      this.#counts.refused++
    }
    return new WordsJudge({ exchange, head, page, onRefused, onLate: this.#options.onLate })
  }

  counts(): { readonly judged: number; readonly refused: number; readonly heldBytes: number } {
    return { ...this.#counts, heldBytes: this.#holding.bytes }
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #respond(exchange: Exchange): Promise<void> {
    const judge = this.judgeFor(exchange)
    if (judge === null) await passBy(exchange)
    else await judgeBody(exchange, judge, this.#holding, this.#options.holdMs ?? holdMs)
  }
}

interface WordsJudgeParts extends Pick<WordsServiceOptions, 'onLate'> {
  readonly exchange: Exchange
  readonly head: PageHead
  readonly page: PageJudge
  readonly onRefused: () => void
}

/** Judges the text of one page. */
class WordsJudge implements BodyJudge {
  readonly #parts: WordsJudgeParts
  readonly #exchange: Exchange
  readonly #page: PageJudge
  /** A part of a page cannot be replaced by ours. */
  readonly #isWhole: boolean

  constructor(parts: WordsJudgeParts) {
    this.#parts = parts
    this.#exchange = parts.exchange
    this.#page = parts.page
    this.#isWhole = statusOf(parts.exchange.response) !== 206
  }

  async push(piece: Buffer): Promise<Verdict> {
    await this.#page.push(piece)
    return this.#verdict()
  }

  async end(): Promise<Verdict> {
    await this.#page.end()
    return this.#verdict() === 'refused' ? 'refused' : 'over'
  }

  close(): void {
    this.#page.close()
  }

  early(original: HttpHead): HttpHead {
    return this.#isWhole ? without(original, notEarly, ['Cache-Control: no-cache']) : original
  }

  async refuse(): Promise<void> {
    const answer = this.#refusal()
    const body = printPage(answer)
    const id = this.#page.reached?.id ?? ''
    await this.#exchange.answer(headOfPage(answer, body), idForm.test(id) ? [`X-Filter-Words: ${id}`] : [])
    await this.#exchange.send(body)
    await this.#exchange.end()
  }

  async replace(): Promise<boolean> {
    if (!this.#isWhole) return false
    const { contentType, contentEncoding } = this.#parts.head
    const plain = printPage(this.#refusal())
    // The head has announced how the body is written.
    const isWide = charsetOfType(contentType)?.startsWith('utf-16') === true
    const text = isWide ? Buffer.from(`\ufeff${plain.toString('latin1')}`, 'utf16le') : plain
    await this.#exchange.send(await encodeBody(text, readCodings(contentEncoding) ?? []))
    await this.#exchange.end()
    this.#noteLate(false)
    return true
  }

  onCut(): void {
    this.#parts.onRefused()
    this.#noteLate(true)
  }

  #verdict(): Verdict {
    return this.#page.reached !== null ? 'refused' : this.#page.isOver ? 'over' : 'open'
  }

  #refusal() {
    this.#parts.onRefused()
    const language = languageOf(fieldOf(this.#exchange.request, 'accept-language'))
    return blockedByWords(language, this.#page.reached?.title ?? '')
  }

  #noteLate(isCut: boolean): void {
    const { client, request } = this.#exchange
    const dictionary = this.#page.reached?.id ?? ''
    this.#parts.onLate({ dictionary, client, url: targetOf(request), isCut })
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
