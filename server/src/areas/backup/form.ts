// Reads the one file of a multipart form (RFC 7578). Strict: one field, whole parts, nothing before or after them. The
// boundary is the first line of the body itself, so what a header says about it does not matter.

import { GatewayError, invalid } from '../../contract/error.ts'

const maxPartHeaders = 4_096
/** RFC 2046: 1 to 70 characters of a small set. */
const openingForm = /^--[0-9A-Za-z'()+_,./:=? -]{1,70}$/
const nameForm = /^content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="([^"\r\n]*)"/im

export function readFormFile(body: Buffer, field: string): Buffer {
  const lineEnd = body.subarray(0, 80).indexOf('\r\n')
  const opening = body.toString('latin1', 0, Math.max(lineEnd, 0))
  if (!openingForm.test(opening)) throw invalid(field, `Must come as the field ${field} of a multipart form.`)
  const parts = partsOf(body, opening)
  const strangers = parts.filter((part) => part.name !== field)
  if (strangers.length > 0) {
    const problems = strangers.map(({ name }) => ({
      field: name.slice(0, 80),
      message: 'This field is not known here.',
    }))
    throw new GatewayError('invalid', 'The form has fields that are not known here.', { problems })
  }
  const [file, second] = parts
  if (!file) throw invalid(field, 'This field is missing.')
  if (second) throw invalid(field, 'Must stand once.')
  return file.content
}

interface Part {
  readonly name: string
  readonly content: Buffer
}

const maxParts = 16

/** `opening` is the boundary with its two hyphens; the body begins with it. */
function partsOf(raw: Buffer, opening: string): Part[] {
  const delimiter = Buffer.from(`\r\n${opening}`)
  const parts: Part[] = []
  let at = opening.length
  for (;;) {
    const mark = raw.toString('latin1', at, at + 2)
    if (mark === '--') break
    if (mark !== '\r\n') throw broken('a boundary is followed by something else')
    const end = raw.indexOf(delimiter, at)
    if (end < 0) throw broken('its last boundary is missing')
    if (parts.length === maxParts) throw broken('it has too many parts')
    parts.push(readPart(raw.subarray(at, end)))
    at = end + delimiter.length
  }
  const rest = raw.toString('latin1', at + 2, at + 6)
  if (rest !== '' && rest !== '\r\n') throw broken('something follows its end')
  return parts
}

/** `part` begins with the line break after its boundary. */
function readPart(part: Buffer): Part {
  const split = part.indexOf('\r\n\r\n')
  if (split < 0 || split > maxPartHeaders) throw broken('a part has no headers')
  const name = nameForm.exec(part.toString('utf8', 2, split))?.[1]
  if (name === undefined) throw broken('a part has no name')
  return { name, content: part.subarray(split + 4) }
}

const broken = (why: string): GatewayError => new GatewayError('malformed', `The form cannot be read: ${why}.`)
