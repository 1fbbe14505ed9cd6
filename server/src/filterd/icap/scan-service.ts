// The ICAP service that has files checked for viruses before a client gets them. What cannot be checked is refused or passes,
// as configured; it never passes silently because the antivirus program is away.

import {
  BodyDecoder,
  type Coding,
  codingNames,
  maxEncodings,
  readCodings,
} from '../../domain/web-filter/morphology/encodings.ts'
import { ClamdStream, type ScanVerdict } from './clamd.ts'
import type { Exchange } from './exchange.ts'
import { HoldRoom } from './held-body.ts'
import { fieldOf, statusOf, targetOf } from './http-head.ts'
import { type BodyJudge, judgeBody, judgedByBoth } from './judge-body.ts'
import { blockedByVirus, headOfPage, languageOf, notChecked, printPage, type Refusal } from './pages.ts'
import { ScanSlots } from './scan-slots.ts'
import { createIcapServer } from './server.ts'
import { passBy, type WordsService } from './words-service.ts'

/** A longer file passes by; of one without a length this much is kept back and checked. Below the limit of clamd. */
export const maxScanBytes = 16 * 1024 * 1024
const room = { oneBytes: maxScanBytes, clientBytes: 4 * maxScanBytes, allBytes: 256 * 1024 * 1024 }
/**
 * The antivirus program has ten threads (render-antivirus.ts), and each is taken from the first byte of a file to its answer. A file that
 * is kept back is sent when it is whole, so that slow servers do not take them; only what goes on while it is judged may last.
 */
const wholeSlots = { all: 6, ofClient: 3 }
const passingSlots = { all: 4, ofClient: 2 }
/** How long clamd may be silent about a file, and how long a file waits for it. */
const patienceMs = 60_000

/** Slow files must not get past: only length releases them. */
const holdMs = 24 * 3_600_000

/** Played or read while they arrive, often without an end; nothing runs them, unless they are something else. */
const passing = /^(?:audio|video)\/|^text\/event-stream/i

/** To be saved as a file, whatever its type. */
const isSaved = (disposition: string | null): boolean => /^\s*"?attachment/i.test(disposition ?? '')

/** How programs, scripts, archives and documents begin: a server can give them the type of a film. */
const fileMarks: readonly Buffer[] = [
  'MZ',
  '\x7fELF',
  'PK',
  'Rar!',
  "7z\xbc\xaf'",
  '\x1f\x8b',
  'BZh',
  '\xfd7zXZ',
  '(\xb5/\xfd',
  'MSCF',
  '%PDF',
  '\xd0\xcf\x11\xe0',
  '{\\rtf',
  '#!',
  '\xca\xfe\xba\xbe',
  '\xcf\xfa\xed\xfe',
  'dex\n',
  'ITSF',
  'L\0\0\0',
  '<',
  '@echo',
  'X5O!',
  '!<arch>',
  '\xed\xab\xee\xdb',
].map((text) => Buffer.from(text, 'latin1'))
const longestMark = 8

/** A small piece that is packed a thousandfold must not fill the memory before the antivirus program takes it. */
const packedBytes = 1024

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
  /** Also how long a file waits for its turn. */
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
  const slots = { whole: new ScanSlots(wholeSlots), passing: new ScanSlots(passingSlots) }
  const { answerMs = patienceMs } = options
  const counts = { checked: 0, refused: 0, unchecked: 0 }
  let onFailure: 'block' | 'pass' = 'block'

  async function respond(exchange: Exchange): Promise<void> {
    const { response, hasBody } = exchange
    const length = Number(fieldOf(response, 'content-length') ?? 0)
    if (!hasBody || length > maxScanBytes) {
      await passBy(exchange)
      return
    }
    const isPlayed =
      passing.test(fieldOf(response, 'content-type') ?? '') && !isSaved(fieldOf(response, 'content-disposition'))
    const page = options.words?.judgeFor(exchange) ?? null
    const file = isPlayed ? judgedUnlessPlayed(judgeOf(exchange)) : judgeOf(exchange)
    await judgeBody(exchange, page === null ? file : judgedByBoth(page, file), holding, holdMs)
  }

  function judgeOf(exchange: Exchange): BodyJudge {
    const scan = new Scan(bodyOf(exchange), async (isPassing) => {
      const release = await (isPassing ? slots.passing : slots.whole).take(exchange.client, answerMs)
      return release && { release, stream: new ClamdStream(options.socket, answerMs) }
    })
    let verdict: ScanVerdict = { kind: 'clean' }
    const note = (what: ScanNote['what'], reason: string) =>
      options.onNote({ what, reason, client: exchange.client, url: targetOf(exchange.request) })
    const reason = () =>
      verdict.kind === 'infected' ? verdict.virus : verdict.kind === 'unknown' ? verdict.reason : ''
    return {
      push: async (piece) => {
        await scan.push(piece)
        return 'open'
      },
      end: async () => {
        verdict = await scan.end()
        counts.checked++
        if (verdict.kind === 'clean' && scan.isUnreadable) {
          counts.unchecked++
          note('unchecked', 'Its content encoding cannot be read.')
          // A server chooses how its file is packed, so this is never let through.
          verdict = { kind: 'unknown', reason: 'encoding' }
          return 'refused'
        }
        if (verdict.kind === 'clean') return 'over'
        if (verdict.kind === 'infected') return 'refused'
        counts.unchecked++
        note('unchecked', verdict.reason)
        // Downloads of one client can keep it busy, and must not have the files of others pass.
        return onFailure === 'block' || verdict.isLate ? 'refused' : 'over'
      },
      passing: () => scan.pass(),
      close: () => scan.close(),
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

interface Place {
  readonly stream: ClamdStream
  readonly release: () => void
}

/** One file on its way to the antivirus program: gathered until it is whole, or from when on it goes on to the client. */
class Scan {
  readonly #body: ReturnType<typeof bodyOf>
  readonly #find: (isPassing: boolean) => Promise<Place | null>
  #gathered: Buffer[] = []
  #isPassing = false
  #isClosed = false
  /** Null: none was free in time. */
  #place: Place | null | undefined

  constructor(body: ReturnType<typeof bodyOf>, find: (isPassing: boolean) => Promise<Place | null>) {
    this.#body = body
    this.#find = find
  }

  async push(piece: Buffer): Promise<void> {
    this.#gathered.push(piece)
    if (this.#isPassing) await this.#send()
  }

  pass(): void {
    this.#isPassing = true
  }

  async end(): Promise<ScanVerdict> {
    await this.#send()
    if (!this.#place) return { kind: 'unknown', reason: 'The antivirus program has too much to do.', isLate: true }
    for (const bytes of await this.#body.rest()) await this.#place.stream.push(bytes)
    return await this.#place.stream.end()
  }

  async #send(): Promise<void> {
    if (this.#place === undefined) {
      this.#place = await this.#find(this.#isPassing)
      // Its client has gone while it waited.
      if (this.#isClosed) this.#leave()
    }
    const pieces = this.#gathered
    this.#gathered = []
    if (!this.#place) return
    for (const piece of pieces)
      for (const part of this.#body.parts(piece))
        for (const bytes of await this.#body.read(part)) await this.#place.stream.push(bytes)
  }

  get isUnreadable(): boolean {
    return this.#body.isUnreadable()
  }

  #leave(): void {
    this.#place?.stream.close()
    this.#place?.release()
  }

  close(): void {
    this.#isClosed = true
    this.#leave()
    this.#body.close()
  }
}

/** The bytes of the file without the content encoding, because the client saves it without. */
function bodyOf({ response }: Exchange) {
  const header = fieldOf(response, 'content-encoding')
  const isTooDeep = codingNames(header).length > maxEncodings
  // Browsers take a body in an encoding that they do not know as it is.
  const codings: readonly Coding[] = readCodings(header) ?? []
  let ready: Uint8Array[] = []
  const take = (): readonly Uint8Array[] => {
    const taken = ready
    ready = []
    return taken
  }
  const decoder =
    codings.length === 0 ? null : new BodyDecoder(codings, maxScanBytes, (bytes) => void ready.push(bytes))
  return {
    *parts(piece: Buffer): Generator<Buffer> {
      if (decoder === null) yield piece
      else for (let at = 0; at < piece.length; at += packedBytes) yield piece.subarray(at, at + packedBytes)
    },
    read: async (part: Buffer): Promise<readonly Uint8Array[]> => {
      if (decoder === null) return [part]
      await decoder.push(part)
      return take()
    },
    rest: async (): Promise<readonly Uint8Array[]> => {
      await decoder?.end()
      return take()
    },
    /** A part of a packed file cannot be unpacked alone. */
    isUnreadable: (): boolean => isTooDeep || (decoder?.isDamaged === true && statusOf(response) !== 206),
    close: () => decoder?.close(),
  }
}

/** What is played passes as soon as its first bytes are known, unless they are those of a program, an archive or a document. */
function judgedUnlessPlayed(judge: BodyJudge): BodyJudge {
  let first: Buffer = Buffer.alloc(0)
  const isFile = () => fileMarks.some((mark) => first.subarray(0, mark.length).equals(mark))
  return {
    ...judge,
    push: async (piece) => {
      if (first.length < longestMark) first = Buffer.concat([first, piece.subarray(0, longestMark)])
      return first.length >= longestMark && !isFile() ? 'over' : judge.push(piece)
    },
  }
}
