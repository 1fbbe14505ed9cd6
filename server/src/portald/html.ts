// Writes HTML. What is put into a template is text and escaped; only what another template made stays as it is. So a name, a
// login or a text of an administrator never becomes markup. Attributes are always quoted in the templates.

/** Only `html` makes one: the field is private, so no object from elsewhere passes for it. */
export class Markup {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  static of(strings: TemplateStringsArray, values: readonly Part[]): Markup {
    return new Markup(strings.map((text, at) => text + (at < values.length ? Markup.#print(values[at]) : '')).join(''))
  }

  static #print(value: Part): string {
    if (value === null || value === undefined || value === false) return ''
    if (value instanceof Markup) return value.#text
    return Array.isArray(value) ? value.map(Markup.#print).join('') : escapeText(String(value))
  }

  toString(): string {
    return this.#text
  }
}

export type Part = string | number | Markup | null | undefined | false | readonly Part[]

export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Markup => Markup.of(strings, values)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Characters that HTML does not allow, and halves of others, are shown as such. */
const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n]/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (one) => entities[one] ?? '')
