// Secrets in files of engines. A plan holds them sealed: what is rendered, compared, shown in dry runs and kept in memory is
// ciphertext. They are filled in on the way to applyd, which is the only one who needs them. Pure.

/** How a secret is written in the language of its file: the writer of that language quotes it. */
export type SecretForm = 'snmp' | 'pem'

export interface SealedPart {
  readonly form: SecretForm
  /** Where the vault binds it to. */
  readonly place: string
  readonly sealed: string
}

// Control characters never enter the configuration as text, and writers refuse them, so no text of an administrator is a mark.
const [first, last] = ['\u0002', '\u0003']
const ownPattern = `${first}(snmp|pem) ([a-z0-9_./-]+) ([A-Za-z0-9_.-]+)${last}`
const marks = new RegExp(ownPattern, 'gu')

/** Stands for the secret in the text of a file. */
export function markOf({ form, place, sealed }: SealedPart): string {
  const mark = `${first}${form} ${place} ${sealed}${last}`
  if (mark.replace(marks, '') !== '') throw new Error(`not a sealed secret: ${JSON.stringify(place)}`)
  return mark
}

export const fillMarks = (text: string, fill: (part: SealedPart) => string): string =>
  text.includes(first)
    ? text.replace(marks, (_, form: SecretForm, place: string, sealed: string) => fill({ form, place, sealed }))
    : text

/** For everything that people read. */
export const hideMarks = (text: string): string => fillMarks(text, () => '***')
