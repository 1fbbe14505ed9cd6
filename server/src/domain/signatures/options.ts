// The options of a rule with their places in its text, so that they can be judged, taken out and added. The text is one that parseRule
// takes. Pure.

export interface Option {
  readonly name: string
  /** As written, without the spaces around it; empty for an option without a value. */
  readonly value: string
  /** The first character, and the one behind the semicolon. */
  readonly from: number
  readonly to: number
}

/** Where the options begin, behind the opening parenthesis. */
export const startOfOptions = (text: string): number => text.indexOf('(') + 1

/** Of the text of a whole rule. An option ends at the first semicolon that is not behind a backslash. */
export function optionsOf(text: string): Option[] {
  const options: Option[] = []
  const end = text.lastIndexOf(')')
  let from = startOfOptions(text)
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x3b) {
      options.push(optionOf(text, from, at))
      from = at + 1
    }
  }
  return options
}

function optionOf(text: string, from: number, semicolon: number): Option {
  const whole = text.slice(from, semicolon)
  const colon = whole.indexOf(':')
  const name = (colon < 0 ? whole : whole.slice(0, colon)).trim()
  return { name, value: colon < 0 ? '' : whole.slice(colon + 1).trim(), from, to: semicolon + 1 }
}
