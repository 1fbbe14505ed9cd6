// The text of an HTML page for the search of words: text of elements, titles, and the attributes that are shown or describe
// the page. Each character is looked at once and nothing is kept but the state, so a page costs time by its length alone.
// Where browsers differ from the simple reading, more text is read rather than less.

import { maxReference, readReference } from './entities.ts'
import type { WordReader } from './words.ts'

/** Between the letters of a word these change nothing that a reader sees. */
const inline = new Set(
  [
    'a',
    'abbr',
    'acronym',
    'b',
    'bdi',
    'bdo',
    'big',
    'cite',
    'code',
    'del',
    'dfn',
    'em',
    'font',
    'i',
    'ins',
    'kbd',
    'mark',
    'nobr',
    'q',
    's',
    'samp',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'tt',
    'u',
    'var',
    'wbr',
  ].map(String),
)

/** Elements whose content is not markup; the value says whether it is read as text. */
const raw: ReadonlyMap<string, boolean> = new Map([
  ...(['script', 'style'] as const).map((name): [string, boolean] => [name, false]),
  ...['title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'].map((name): [string, boolean] => [
    name,
    true,
  ]),
])

const shownAttributes = new Set(['alt', 'title', 'placeholder', 'label', 'aria-label', 'summary'])
const maxName = 16

type State =
  | 'text'
  | 'less'
  | 'name'
  | 'attributes'
  | 'attribute'
  | 'after-attribute'
  | 'before-value'
  | 'value'
  | 'mark'
  | 'comment'
  | 'bogus'
  | 'raw'

const space = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const [less, greater, slash, equals, quote, apostrophe, ampersand, dash] = [60, 62, 47, 61, 34, 39, 38, 45]

/** Whether the character can follow what a reference has so far. */
function isReferencePart(name: string, code: number): boolean {
  if (name === '') return code === 35 || isLetter(code)
  if (!name.startsWith('#')) return isLetter(code) || isDigit(code)
  if (name === '#' && (code | 32) === 120) return true
  const isHex = (name.charCodeAt(1) | 32) === 120
  return isDigit(code) || (isHex && (code | 32) >= 97 && (code | 32) <= 102)
}

export class HtmlText {
  readonly #text: WordReader
  readonly #attributes: WordReader
  #state: State = 'text'
  #name = ''
  #isClosing = false
  #isSelfClosing = false
  #attribute = ''
  #delimiter = 0
  #rawName = ''
  #rawMatched = 0
  #mark = ''
  #dashes = 0
  /** Depth of svg and math, where script, style and title are ordinary elements. */
  #foreign = 0
  /** The reference that is being read; null outside of one. */
  #reference: string | null = null

  constructor(text: WordReader, attributes: WordReader) {
    this.#text = text
    this.#attributes = attributes
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      // In most pages most characters are these.
      if (this.#state === 'text' && this.#reference === null && code !== less && code !== ampersand)
        this.#text.push(code)
      else this.#read(code)
    }
  }

  end(): void {
    this.#endReference(false)
    this.#text.end()
    this.#attributes.end()
  }

  #read(code: number): void {
    if (this.#reference !== null && this.#isInReference(code)) return
    switch (this.#state) {
      case 'text':
        if (code === less) this.#state = 'less'
        else this.#emit(code)
        return
      case 'less':
        this.#afterLess(code)
        return
      case 'name':
        if (space(code) || code === slash || code === greater) {
          this.#inTag(code)
          return
        }
        if (this.#name.length < maxName) this.#name += String.fromCharCode(code).toLowerCase()
        return
      case 'attributes':
        this.#inTag(code)
        return
      case 'attribute':
        if (code === equals) this.#state = 'before-value'
        else if (space(code)) this.#state = 'after-attribute'
        else if (code === slash || code === greater) this.#inTag(code)
        else if (this.#attribute.length < maxName) this.#attribute += String.fromCharCode(code).toLowerCase()
        return
      case 'after-attribute':
        if (code === equals) this.#state = 'before-value'
        else this.#inTag(code)
        return
      case 'before-value':
        if (space(code)) return
        if (code === greater) {
          this.#inTag(code)
          return
        }
        this.#delimiter = code === quote || code === apostrophe ? code : 0
        this.#state = 'value'
        if (this.#delimiter === 0) this.#inValue(code)
        return
      case 'value':
        this.#inValue(code)
        return
      case 'mark':
        this.#afterMark(code)
        return
      case 'comment':
        this.#inComment(code)
        return
      case 'bogus':
        if (code === greater) this.#state = 'text'
        // In svg and math this may be a section of text.
        else if (this.#foreign > 0) this.#text.push(code)
        return
      case 'raw':
        this.#inRaw(code)
        return
    }
  }

  /** Text of an element or of an attribute that counts. */
  #emit(code: number): void {
    if (code === ampersand) this.#reference = ''
    else (this.#state === 'value' ? this.#attributes : this.#text).push(code)
  }

  /** Whether the character belongs to the reference. */
  #isInReference(code: number): boolean {
    const name = this.#reference ?? ''
    if (code === 59) {
      this.#endReference(true)
      return true
    }
    const isPart = isReferencePart(name, code)
    if (!isPart || name.length >= maxReference) {
      this.#endReference(false)
      return false
    }
    const isZeroInFront = code === 48 && (name === '#' || name === '#x' || name === '#X')
    if (!isZeroInFront) this.#reference = name + String.fromCharCode(code)
    return true
  }

  #endReference(hasSemicolon: boolean): void {
    const name = this.#reference
    this.#reference = null
    if (name !== null) (this.#state === 'value' ? this.#attributes : this.#text).text(readReference(name, hasSemicolon))
  }

  #afterLess(code: number): void {
    if (isLetter(code)) {
      this.#name = String.fromCharCode(code).toLowerCase()
      this.#isSelfClosing = false
      this.#state = 'name'
    } else if (code === slash && !this.#isClosing) this.#isClosing = true
    else if (this.#isClosing) {
      this.#isClosing = false
      this.#state = code === greater ? 'text' : 'bogus'
    } else if (code === 33) {
      this.#mark = ''
      this.#state = 'mark'
    } else if (code === 63) this.#state = 'bogus'
    else {
      this.#text.end()
      this.#state = 'text'
      this.#read(code)
    }
  }

  #inTag(code: number): void {
    if (code === greater) {
      this.#endTag()
      return
    }
    this.#isSelfClosing = code === slash
    if (space(code) || code === slash) {
      // Spaces behind the name of an attribute may come before its value.
      if (this.#state !== 'after-attribute' || code === slash) this.#state = 'attributes'
      return
    }
    this.#attribute = String.fromCharCode(code).toLowerCase()
    this.#state = 'attribute'
  }

  get #isShown(): boolean {
    return shownAttributes.has(this.#attribute) || (this.#attribute === 'content' && this.#name === 'meta')
  }

  #inValue(code: number): void {
    const isEnd = this.#delimiter === 0 ? space(code) || code === greater : code === this.#delimiter
    if (!isEnd) {
      if (this.#isShown) this.#emit(code)
      return
    }
    this.#attributes.end()
    this.#state = 'attributes'
    if (code === greater) this.#endTag()
  }

  #endTag(): void {
    const [name, isClosing] = [this.#name, this.#isClosing]
    this.#isClosing = false
    this.#state = 'text'
    if (!inline.has(name)) this.#text.end()
    if (name === 'svg' || name === 'math') {
      if (isClosing) this.#foreign = Math.max(0, this.#foreign - 1)
      else if (!this.#isSelfClosing) this.#foreign++
    } else if (!isClosing && this.#foreign === 0 && raw.has(name)) {
      this.#rawName = name
      this.#rawMatched = 0
      this.#state = 'raw'
    }
  }

  #afterMark(code: number): void {
    if (code === dash) {
      this.#mark += '-'
      if (this.#mark !== '--') return
      this.#dashes = 2
      this.#state = 'comment'
    } else {
      this.#state = 'bogus'
      this.#read(code)
    }
  }

  #inComment(code: number): void {
    if (code === dash) this.#dashes = Math.min(3, this.#dashes + 1)
    else if (code === greater && this.#dashes >= 2) this.#state = 'text'
    // `--!>` ends a comment too.
    else if (code !== 33 || this.#dashes < 2) this.#dashes = 0
  }

  /** Until the end tag of the element; everything else is its content. */
  #inRaw(code: number): void {
    const closing = `</${this.#rawName}`
    if (this.#rawMatched === closing.length) {
      if (space(code) || code === slash || code === greater) {
        this.#text.end()
        this.#name = this.#rawName
        this.#isClosing = true
        this.#state = 'attributes'
        this.#inTag(code)
        return
      }
      this.#rawMatched = 0
    }
    const expected = closing.charCodeAt(this.#rawMatched)
    if (code === expected || (isLetter(code) && (code | 32) === expected)) this.#rawMatched++
    else this.#rawMatched = code === less ? 1 : 0
    if (raw.get(this.#rawName) === true) this.#emit(code)
  }
}
