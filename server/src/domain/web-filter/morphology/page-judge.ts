// Judges the text of one page while it arrives: content encoding, character encoding, markup, words and score, each in
// pieces, so that a page of any size neither holds the event loop nor memory.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { PageDecoder } from './charset.ts'
import { type CompiledDictionaries, PageScore, type WordDictionary } from './dictionaries.ts'
import { BodyDecoder, readCodings } from './encodings.ts'
import { HtmlText } from './html-text.ts'
import { WordReader } from './words.ts'

/** Of a page without its content encoding; the rest is not judged. */
export const maxJudgedBytes = 4 * 1024 * 1024
/** About a millisecond of work. */
const pieceBytes = 16 * 1024

export interface PageHead {
  /** As sent; empty when there is none. */
  readonly contentType: string
  readonly contentEncoding: string | null
}

const mediaType = ({ contentType }: PageHead): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

const pageTypes = ['', 'text/html', 'text/plain', 'text/xml', 'application/xhtml+xml', 'application/xml']

/** Whether the body is a page that can be read. A reply without a type may be one. */
export const canJudge = (head: PageHead): boolean =>
  pageTypes.includes(mediaType(head)) && readCodings(head.contentEncoding) !== null

export class PageJudge {
  readonly #score: PageScore
  readonly #decoder: PageDecoder
  readonly #body: BodyDecoder
  readonly #onText: (text: string) => void
  readonly #onEnd: () => void
  readonly #turn: () => Promise<unknown>

  /** `turn` is waited for before each piece of work. */
  constructor(
    dictionaries: CompiledDictionaries,
    head: PageHead,
    maxBytes = maxJudgedBytes,
    turn: () => Promise<unknown> = () => nextTurn(),
  ) {
    const score = new PageScore(dictionaries)
    const text = new WordReader((word) => score.add(0, word))
    const html = new HtmlText(text, new WordReader((word) => score.add(1, word)))
    const isPlain = mediaType(head) === 'text/plain'
    this.#onText = (piece) => (isPlain ? text.text(piece) : html.push(piece))
    this.#onEnd = () => (isPlain ? text.end() : html.end())
    this.#score = score
    this.#turn = turn
    this.#decoder = new PageDecoder(head.contentType)
    this.#body = new BodyDecoder(readCodings(head.contentEncoding) ?? [], maxBytes, (bytes) => {
      if (score.reached === null) this.#onText(this.#decoder.push(bytes))
    })
  }

  get reached(): WordDictionary | null {
    return this.#score.reached
  }

  /** Whatever follows changes nothing any more. */
  get isOver(): boolean {
    return this.#body.isOver || this.reached !== null
  }

  async push(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.isOver; at += pieceBytes) {
      await this.#turn()
      await this.#body.push(bytes.subarray(at, at + pieceBytes))
    }
  }

  async end(): Promise<void> {
    await this.#body.end()
    if (this.reached !== null) return
    this.#onText(this.#decoder.end())
    this.#onEnd()
  }

  close(): void {
    this.#body.close()
  }
}
