// Reads the one file of a multipart form (RFC 7578) as a stream. Strict: one field, complete parts, nothing before or after
// them. The boundary is the first line of the body, so the boundary in the header does not matter.

import { GatewayError, invalid } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'

const maxPartHeaders = 4_096
const maxParts = 16
const maxOpening = 80
/** RFC 2046: 1 to 70 characters of a small set. */
const openingForm = /^--[0-9A-Za-z'()+_,./:=? -]{1,70}$/
const nameForm = /^content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="([^"\r\n]*)"/im
const lineBreak = '\r\n'

/**
 * The bytes of the file. Whether the form is valid is known only at its end: bytes that were yielded before a refusal must be
 * discarded.
 */
export async function* readFormFile(body: AsyncIterable<Buffer>, field: string): AsyncGenerator<Buffer> {
  const form = new Inflow(body)
  const opening = await form.take(lineBreak, maxOpening, false)
  if (opening === null || !openingForm.test(opening.toString('latin1')))
    throw invalid(field, say`Must come as the field ${field} of a multipart form.`)
  const delimiter = `${lineBreak}${opening.toString('latin1')}`
  const unknown: string[] = []
  let files = 0
  for (let parts = 0; !(await isEnd(form)); parts++) {
    if (parts === maxParts) throw broken(say`it has too many parts`)
    const name = await readName(form, delimiter)
    if (name === field) files++
    else unknown.push(name)
    for await (const piece of form.until(delimiter)) if (name === field && files === 1) yield piece
  }
  const rest = (await form.peek(3)).toString('latin1')
  if (rest !== '' && rest !== lineBreak) throw broken('data follows its end')
  if (unknown.length > 0) throw unknownFields(unknown)
  if (files === 0) throw invalid(field, say`This field is missing.`)
  if (files > 1) throw invalid(field, say`Must be sent once.`)
}

/** After a boundary: a line break and another part, or the end. */
async function isEnd(form: Inflow): Promise<boolean> {
  const mark = (await form.peek(2)).toString('latin1')
  if (mark !== '--' && mark !== lineBreak) throw broken(say`a boundary is followed by other data`)
  if (mark === '--') form.skip(2)
  return mark === '--'
}

/** Leaves the form at the content of the part. */
async function readName(form: Inflow, delimiter: string): Promise<string> {
  const headers = await form.take(`${lineBreak}${lineBreak}`, maxPartHeaders, true)
  if (headers === null || headers.includes(delimiter)) throw broken(say`a part has no headers`)
  const name = nameForm.exec(headers.toString('utf8', lineBreak.length))?.[1]
  if (name === undefined) throw broken(say`a part has no name`)
  return name
}

function unknownFields(names: readonly string[]): GatewayError {
  const problems = names.map((name) => ({ field: name.slice(0, 80), message: say`Unknown field.` }))
  return new GatewayError('invalid', say`The form has unknown fields.`, { problems })
}

const broken = (why: string): GatewayError => new GatewayError('malformed', say`The form cannot be read: ${why}.`)

/** The bytes that were received and not consumed yet, and the source of more. */
class Inflow {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(body: AsyncIterable<Buffer>) {
    this.#source = body[Symbol.asyncIterator]()
  }

  /** False at the end of the body. */
  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    return true
  }

  /** Up to `count` of the next bytes; fewer only at the end. */
  async peek(count: number): Promise<Buffer> {
    for (let hasMore = true; hasMore && this.#held.length < count; ) hasMore = await this.#more()
    return this.#held.subarray(0, count)
  }

  skip(count: number): void {
    this.#held = this.#held.subarray(count)
  }

  /** Everything before the mark, if it comes within `limit` bytes. With `passes` the mark itself is consumed too. */
  async take(mark: string, limit: number, passes: boolean): Promise<Buffer | null> {
    for (;;) {
      const end = this.#held.subarray(0, limit + mark.length).indexOf(mark)
      if (end >= 0) {
        const taken = this.#held.subarray(0, end)
        this.skip(passes ? end + mark.length : end)
        return taken
      }
      if (this.#held.length >= limit + mark.length || !(await this.#more())) return null
    }
  }

  /** Everything before the mark, in pieces; the mark is consumed too. */
  async *until(mark: string): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#held.indexOf(mark)
      const given = this.#held.subarray(0, end < 0 ? Math.max(0, this.#held.length - mark.length + 1) : end)
      this.skip(given.length)
      if (given.length > 0) yield given
      if (end >= 0) return this.skip(mark.length)
      if (!(await this.#more())) throw broken(say`its last boundary is missing`)
    }
  }
}
