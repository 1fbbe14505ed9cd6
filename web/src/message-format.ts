// Reads an English text with `{values}` and plurals into what the formatter takes. Catalogs are compiled at build; English texts are
// the ids themselves and have no catalog. They use only this part of the syntax, which a test compares with the full reader.

type Part = string | [name: string] | [name: string, format: 'plural', options: Record<string, Part[]>]

/** Throws for what it cannot read, as the full reader does. */
export function readMessage(text: string): Part[] {
  const reader: Reader = { text, at: 0 }
  const parts = readParts(reader, false)
  if (reader.at < text.length) throw fault(reader)
  return parts
}

interface Reader {
  readonly text: string
  at: number
}

const fault = ({ text, at }: Reader): Error => new Error(`cannot read "${text}" at ${at + 1}`)

function readParts(reader: Reader, isPlural: boolean): Part[] {
  const parts: Part[] = []
  let plain = ''
  const endPlain = (): void => {
    if (plain !== '') parts.push(plain)
    plain = ''
  }
  while (reader.at < reader.text.length && reader.text[reader.at] !== '}') {
    const character = reader.text[reader.at] ?? ''
    if (character === '{' || (character === '#' && isPlural)) {
      endPlain()
      parts.push(character === '{' ? readValue(reader) : '#')
      if (character === '#') reader.at++
    } else {
      plain += character
      reader.at++
    }
  }
  endPlain()
  return parts
}

/** Texts of ours quote no brace, and an apostrophe is an apostrophe. */
function take(reader: Reader, form: RegExp): string {
  form.lastIndex = reader.at
  const found = form.exec(reader.text)
  if (!found) throw fault(reader)
  reader.at = form.lastIndex
  return found[1] ?? ''
}

function readValue(reader: Reader): Part {
  const name = take(reader, /\{\s*(\w+)\s*/y)
  if (reader.text[reader.at] === '}') {
    reader.at++
    return [name]
  }
  take(reader, /,\s*plural\s*,\s*/y)
  const options: Record<string, Part[]> = {}
  while (reader.text[reader.at] !== '}') {
    const option = take(reader, /=?(\w+)\s*\{/y)
    options[option] = readParts(reader, true)
    take(reader, /\}\s*/y)
  }
  reader.at++
  return [name, 'plural', options]
}
