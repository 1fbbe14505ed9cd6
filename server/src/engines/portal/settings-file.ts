// The settings file of the portal: JSON with exactly these fields. Areas print it; the portal reads it and accepts nothing else,
// because applyd does not look into it.

export const portalLanguages = ['en', 'ru'] as const
export type PortalLanguage = (typeof portalLanguages)[number]

/** Texts of the administrator; an empty one means the portal's own. */
export interface PortalWords {
  readonly title: string
  readonly text: string
}

export interface PortalFile {
  /** For browsers that ask for no language of the portal. */
  readonly language: PortalLanguage
  readonly words: Readonly<Record<PortalLanguage, PortalWords>>
  /** #rrggbb */
  readonly accent: string
  /** The name or address that clients are sent to; empty: the gateway's address in their network. */
  readonly host: string
  /** The gateway's own addresses in local networks. Connections to others are refused. */
  readonly addresses: readonly string[]
  /** IANA name, for times on pages. */
  readonly timeZone: string
}

export const maxTitle = 80
export const maxText = 2_000
const maxAddresses = 4_096

const printed = ['language', 'words', 'accent', 'host', 'addresses', 'timeZone'] as const satisfies (keyof PortalFile)[]

/** A list of keys makes the order of fields fixed, whatever the order in which the value was made. */
const keys = [...printed, ...portalLanguages, 'title', 'text']

export const printPortalFile = (file: PortalFile): string => `${JSON.stringify(file, keys, 2)}\n`

const accentForm = /^#[0-9a-f]{6}$/
const hostForm = /^(?:|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)$/
const addressForm = /^\d{1,3}(?:\.\d{1,3}){3}$/
const zoneForm = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** The file, or what is wrong with it. */
export function parsePortalFile(text: string): PortalFile | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'It is not JSON.'
  }
  if (!hasExactly(value, printed)) return `It does not have exactly the fields ${printed.join(', ')}.`
  const { language, words, accent, host, addresses, timeZone } = value
  if (!portalLanguages.some((one) => one === language)) return 'The language is not one of the portal.'
  if (!hasExactly(words, portalLanguages) || !Object.values(words).every(isWords)) return 'The texts are not allowed.'
  if (!isForm(accent, accentForm)) return 'The colour is not allowed.'
  if (!isForm(host, hostForm)) return 'The host is not allowed.'
  if (!isForm(timeZone, zoneForm)) return 'The time zone is not allowed.'
  const isList = Array.isArray(addresses) && addresses.length <= maxAddresses
  if (!isList || !addresses.every((one) => isForm(one, addressForm))) return 'The addresses are not allowed.'
  // Cast: each field was checked above.
  return value as unknown as PortalFile
}

function hasExactly<K extends string>(value: unknown, names: readonly K[]): value is Record<K, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const own = Object.keys(value)
  return own.length === names.length && names.every((name) => own.includes(name))
}

const isForm = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value)

const isWords = (value: unknown): boolean =>
  hasExactly(value, ['title', 'text']) && isShort(value.title, maxTitle) && isShort(value.text, maxText)

const isShort = (value: unknown, most: number): boolean => typeof value === 'string' && [...value].length <= most
