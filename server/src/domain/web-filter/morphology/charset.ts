// The encoding of a page: the byte order mark, the header, the declaration in the page, else UTF-8 or, where the bytes are
// not UTF-8, windows-1251. It takes the bytes in pieces.

const prescanBytes = 1024
const fallback = 'windows-1251'

/** Null for a label that browsers do not know either. */
function decoderOf(label: string | null): TextDecoder | null {
  if (label === null) return null
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

const isLabelPart = (character: string): boolean => /^[A-Za-z0-9_:.-]$/.test(character)

/** The value after `name=` from there on, with or without quotation marks. */
function valueAfter(text: string, name: string, from: number): string | null {
  const at = text.indexOf(name, from)
  if (at < 0) return null
  let place = at + name.length
  const skip = (characters: string) => {
    while (place < text.length && characters.includes(text.charAt(place))) place++
  }
  skip(' \t\r\n')
  if (text.charAt(place) !== '=') return null
  place++
  skip(' \t\r\n"\'')
  let end = place
  while (end < text.length && end - place < 40 && isLabelPart(text.charAt(end))) end++
  return end > place ? text.slice(place, end) : null
}

export const charsetOfType = (contentType: string): string | null => valueAfter(contentType.toLowerCase(), 'charset', 0)

/** Of the first bytes; a page that can be read so far is not UTF-16, whatever it says. */
function declaredIn(head: Uint8Array): string | null {
  const text = Buffer.from(head).toString('latin1').toLowerCase()
  const xml = text.startsWith('<?xml') ? valueAfter(text.slice(0, text.indexOf('?>') + 1), 'encoding', 0) : null
  const meta = text.indexOf('<meta')
  const label = xml ?? (meta < 0 ? null : valueAfter(text, 'charset', meta))
  return label?.startsWith('utf-16') === true ? 'utf-8' : label
}

function markedIn(head: Uint8Array): string | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null
}

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80)

/** Whether the piece can be UTF-8; its end may be in the middle of a character. */
function canBeUtf8(piece: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(piece, { stream: true })
    return true
  } catch {
    return false
  }
}

export class PageDecoder {
  readonly #ofHeader: TextDecoder | null
  #decoder: TextDecoder | null = null
  #isScanned = false
  #head: Uint8Array[] = []
  #headBytes = 0

  constructor(contentType: string) {
    this.#ofHeader = decoderOf(charsetOfType(contentType))
  }

  push(bytes: Uint8Array): string {
    if (this.#decoder !== null) return this.#decoder.decode(bytes, { stream: true })
    if (this.#isScanned) return this.#guess(bytes)
    this.#head.push(bytes)
    this.#headBytes += bytes.length
    return this.#headBytes < prescanBytes ? '' : this.#scan()
  }

  end(): string {
    const rest = this.#isScanned ? '' : this.#scan()
    return rest + (this.#decoder?.decode() ?? '')
  }

  #scan(): string {
    const head = Buffer.concat(this.#head)
    this.#head = []
    this.#isScanned = true
    this.#decoder = decoderOf(markedIn(head)) ?? this.#ofHeader ?? decoderOf(declaredIn(head.subarray(0, prescanBytes)))
    return this.#decoder === null ? this.#guess(head) : this.#decoder.decode(head, { stream: true })
  }

  /** Nothing says what it is: the first bytes that are not ASCII do. */
  #guess(bytes: Uint8Array): string {
    if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    this.#decoder = new TextDecoder(canBeUtf8(bytes) ? 'utf-8' : fallback)
    return this.#decoder.decode(bytes, { stream: true })
  }
}
