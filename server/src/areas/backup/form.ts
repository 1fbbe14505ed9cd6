// Reads the one file of a multipart form (RFC 7578) as it comes. Strict: one field, whole parts, nothing before or after
// them. The boundary is the first line of the body itself, so what a header says about it does not matter.

import { GatewayError, invalid } from '../../contract/error.ts'

const maxPartHeaders = 4_096
const maxParts = 16
const maxOpening = 80
/** RFC 2046: 1 to 70 characters of a small set. */
const openingForm = /^--[0-9A-Za-z'()+_,./:=? -]{1,70}$/
const nameForm = /^content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="([^"\r\n]*)"/im
const lineBreak = '\r\n'

/**
 * The bytes of the file. Whether the rest of the form is as it must be shows only at its end: what was given out before a
 * refusal counts for nothing.
 */
export async function* readFormFile(body: AsyncIterable<Buffer>, field: string): AsyncGenerator<Buffer> {
  const form = new Inflow(body)
  const opening = await form.take(lineBreak, maxOpening, false)
  if (opening === null || !openingForm.test(opening.toString('latin1')))
    throw invalid(field, `Must come as the field ${field} of a multipart form.`)
  const delimiter = `${lineBreak}${opening.toString('latin1')}`
  const strangers: string[] = []
  let files = 0
  for (let parts = 0; !(await isEnd(form)); parts++) {
    if (parts === maxParts) throw broken('it has too many parts')
    const name = await readName(form, delimiter)
    if (name === field) files++
    else strangers.push(name)
    for await (const piece of form.until(delimiter)) if (name === field && files === 1) yield piece
  }
  const rest = (await form.peek(3)).toString('latin1')
  if (rest !== '' && rest !== lineBreak) throw broken('something follows its end')
  if (strangers.length > 0) throw unknownFields(strangers)
  if (files === 0) throw invalid(field, 'This field is missing.')
  if (files > 1) throw invalid(field, 'Must stand once.')
}

/** After a boundary: a line break and a further part, or the end. */
async function isEnd(form: Inflow): Promise<boolean> {
  const mark = (await form.peek(2)).toString('latin1')
  if (mark !== '--' && mark !== lineBreak) throw broken('a boundary is followed by something else')
  if (mark === '--') form.skip(2)
  return mark === '--'
}

/** Leaves the form at the content of the part. */
async function readName(form: Inflow, delimiter: string): Promise<string> {
  const headers = await form.take(`${lineBreak}${lineBreak}`, maxPartHeaders, true)
  if (headers === null || headers.includes(delimiter)) throw broken('a part has no headers')
  const name = nameForm.exec(headers.toString('utf8', lineBreak.length))?.[1]
  if (name === undefined) throw broken('a part has no name')
  return name
}

function unknownFields(names: readonly string[]): GatewayError {
  const problems = names.map((name) => ({ field: name.slice(0, 80), message: 'This field is not known here.' }))
  return new GatewayError('invalid', 'The form has fields that are not known here.', { problems })
}

const broken = (why: string): GatewayError => new GatewayError('malformed', `The form cannot be read: ${why}.`)

/** What has come so far and was not taken yet, and the way to more of it. */
class Inflow {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(body: AsyncIterable<Buffer>) {
    this.#source = body[Symbol.asyncIterator]()
  }

  /** False when nothing more comes. */
  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    return true
  }

  /** Up to so many of the next bytes; fewer only at the end. */
  async peek(count: number): Promise<Buffer> {
    for (let hasMore = true; hasMore && this.#held.length < count; ) hasMore = await this.#more()
    return this.#held.subarray(0, count)
  }

  skip(count: number): void {
    this.#held = this.#held.subarray(count)
  }

  /** Everything before the mark, when it comes within so many bytes. With `passes` the mark itself is taken too. */
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

  /** Everything before the mark, in pieces; the mark is taken too. */
  async *until(mark: string): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#held.indexOf(mark)
      const given = this.#held.subarray(0, end < 0 ? Math.max(0, this.#held.length - mark.length + 1) : end)
      this.skip(given.length)
      if (given.length > 0) yield given
      if (end >= 0) return this.skip(mark.length)
      if (!(await this.#more())) throw broken('its last boundary is missing')
    }
  }
}
