// Every text that the console shows, and the catalogs that hold them: what a source file marks with `t` or `msg`, and what pages
// take from the contract. Each text has one home, so that it has one translation.

import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { faultWords, typeWords } from '@gateway/server/core/faults'
import { codeOf } from '@gateway/server/shared/said'
import PO from 'pofile'
import type { Schema } from '../../src/contract/schema.ts'
import { textsOf } from '../../src/contract/words.ts'

const web = join(import.meta.dirname, '..', '..')
const sources = join(web, 'src')
const messages = join(sources, 'messages')
const contracts = join(web, '..', 'server', 'src', 'areas')

/** Where a text is that several folders use. */
const sharedHome = 'words'
const contractHome = 'server-contract'

/** By text: the folders that use it. */
export type Uses = ReadonlyMap<string, ReadonlySet<string>>

const sourceFiles = (): string[] =>
  globSync('**/*.{ts,tsx}', { cwd: sources })
    .filter((path) => !/\.test\.tsx?$|\.d\.ts$|^reference\//.test(path))
    .sort()

/** What the console consists of, without its tests and the API reference. */
export const readSources = (): { readonly path: string; readonly code: string }[] =>
  sourceFiles().map((path) => ({ path, code: readFileSync(join(sources, path), 'utf8') }))

/** `pages/dhcp/leases.tsx` belongs to `dhcp`, `app/shell.tsx` to `app`, a file beside them to `app` too. */
function homeOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  if (first === 'pages') return second.includes('.') ? 'app' : second
  return first.includes('.') ? 'app' : first
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line)

/** The file without comments, in which a text may be marked as an example. */
export const withoutComments = (code: string): string =>
  code
    .split('\n')
    .map((line) => (isComment(line) ? '' : line))
    .join('\n')

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`/y

const unquote = (quoted: string): string =>
  quoted.slice(1, -1).replaceAll(/\\(u\{?([0-9a-fA-F]{4,6})\}?|.)/g, (_, one: string, code?: string) => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
    return one === 'n' ? '\n' : one
  })

/** Texts in `t('...')` and `msg('...')`, also where one is written in several pieces. */
export function markedTexts(code: string): string[] {
  const text = withoutComments(code)
  const found: string[] = []
  for (const match of text.matchAll(/(?<![\w.$])(?:t|msg)\(\s*/g)) {
    const pieces = readPieces(text, match.index + match[0].length)
    if (pieces.length > 0) found.push(pieces.join(''))
  }
  return found
}

function readPieces(text: string, start: number): string[] {
  const pieces: string[] = []
  for (let at = start; ; ) {
    literal.lastIndex = at
    const quoted = literal.exec(text)?.[0]
    if (quoted === undefined) return pieces
    pieces.push(unquote(quoted))
    const joined = /^\s*\+\s*/.exec(text.slice(at + quoted.length, at + quoted.length + 200))
    if (!joined) return pieces
    at += quoted.length + joined[0].length
  }
}

function add(uses: Map<string, Set<string>>, text: string, home: string): void {
  if (text === '') return
  const homes = uses.get(text)
  if (homes) homes.add(home)
  else uses.set(text, new Set([home]))
}

interface ContractEndpoint {
  readonly method: string
  readonly path: string
  readonly query: Schema
  readonly body: Schema | null
  readonly reply: Schema | null
  readonly effect: string
  readonly summary: string
}

const isEndpoint = (value: object): value is ContractEndpoint =>
  'method' in value && 'path' in value && 'reply' in value

/** All endpoints in the values that a contract exports; schemas are not searched. */
function endpointsIn(value: unknown, seen: Set<object>): ContractEndpoint[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || seen.has(value)) return []
  seen.add(value)
  if (isEndpoint(value)) return [value]
  if ('type' in value || 'anyOf' in value) return []
  return Object.values(value).flatMap((inner) => endpointsIn(inner, seen))
}

/** The end of a template that begins at `start`, and its text with `{0}` for its first value. */
function readTemplate(code: string, start: number): { readonly text: string; readonly end: number } {
  let text = ''
  let values = 0
  for (let at = start; at < code.length; at++) {
    const letter = code[at]
    if (letter === '`') return { text, end: at }
    if (letter === '\\') text += code[++at]
    else if (letter === '$' && code[at + 1] === '{') {
      text += `{${values++}}`
      at = endOfValue(code, at + 2)
    } else text += letter
  }
  throw new Error(`a template is not closed: ${code.slice(start, start + 60)}`)
}

/** The brace that closes a value, which may hold texts and templates itself. */
function endOfValue(code: string, start: number): number {
  let depth = 1
  for (let at = start; at < code.length; at++) {
    const letter = code[at]
    if (letter === '`') at = readTemplate(code, at + 1).end
    else if (letter === "'") at = code.indexOf("'", at + 1)
    else if (letter === '{') depth++
    else if (letter === '}' && --depth === 0) return at
  }
  throw new Error(`a value is not closed: ${code.slice(start, start + 60)}`)
}

/** Numbers with their words, and words for the kinds of things, which are values of sentences. */
function wordsIn(code: string): string[] {
  const numbers = [...code.matchAll(/\bcounted\([^']*?, '([^']+)'(?:, '([^']+)')?\)/g)]
  const nouns = [...code.matchAll(/\b(?:noun: |mustExist\(|mustBeOfKind\(|kindFault\(\w+, )'([^']+)'/g)]
  return [
    ...numbers.flatMap(([, one = '', many = `${one}s`]) => [`{0} ${one}`, `{0} ${many}`]),
    ...nouns.map(([, noun = '']) => noun),
  ]
}

/** Sentences of the gateway: say`…`, with `{0}` for its first value, and words that are values of them. */
export function saidTexts(): string[] {
  const server = join(contracts, '..')
  const texts = globSync('**/*.ts', { cwd: server })
    .filter((path) => !path.endsWith('.test.ts') && path !== 'shared/said.ts')
    .sort()
    .flatMap((path) => {
      const code = withoutComments(readFileSync(join(server, path), 'utf8'))
      const said = [...code.matchAll(/\bsay`/g)].map(({ index }) => readTemplate(code, index + 4).text)
      return [...said, ...wordsIn(code)]
    })
  // One of marks alone is the same in every language.
  return [...new Set(texts)].filter((text) => /[a-z]/i.test(text.replaceAll(/\{\d+\}/g, '')))
}

const codesFile = join(web, 'test', 'safety', 'sentence-codes.txt')

/** All codes that an answer of the gateway may carry, and their texts. */
export const listCodes = (): { readonly code: string; readonly text: string }[] =>
  [...new Set([...saidTexts(), ...Object.values(faultWords)])]
    .map((text) => ({ code: codeOf(text), text }))
    .sort((one, other) => (one.code < other.code ? -1 : 1))

export const printCodes = (): string =>
  listCodes()
    .map(({ code, text }) => `${code}: ${text}\n`)
    .join('')
export const readCodes = (): string => (existsSync(codesFile) ? readFileSync(codesFile, 'utf8') : '')
export const writeCodes = (): void => writeFileSync(codesFile, printCodes())

async function contractTexts(): Promise<string[]> {
  const seen = new Set<object>()
  const texts: string[] = [...Object.values(faultWords), ...Object.values(typeWords)]
  for (const path of globSync('*/contract.ts', { cwd: contracts }).sort()) {
    const exported = (await import(join(contracts, path))) as object
    for (const { query, body, reply, effect, summary } of endpointsIn({ ...exported }, seen)) {
      // The reason of the revision that a call makes.
      if (effect === 'configuration') texts.push(summary)
      texts.push(...textsOf(body), ...textsOf(query, { isForm: false }), ...textsOf(reply, { isForm: false }))
    }
  }
  const { fixedCategories } = (await import(join(contracts, 'content-filter', 'catalogue.ts'))) as {
    readonly fixedCategories: readonly { readonly name: string; readonly comment: string }[]
  }
  return [...texts, ...saidTexts(), ...fixedCategories.flatMap(({ name, comment }) => [name, comment])]
}

export async function usedTexts(): Promise<Uses> {
  const uses = new Map<string, Set<string>>()
  for (const { path, code } of readSources()) {
    for (const text of markedTexts(code)) add(uses, text, homeOf(path))
  }
  for (const text of await contractTexts()) add(uses, text, contractHome)
  return uses
}

/** The catalog of a text: that of the contract, of the one folder that uses it, or the shared one. */
export function catalogOf(homes: ReadonlySet<string>): string {
  if (homes.has(contractHome)) return contractHome
  const [only] = homes
  return homes.size === 1 && only !== undefined ? only : sharedHome
}

export interface Entry {
  readonly catalog: string
  readonly text: string
  readonly translation: string
}

export function readEntries(language: string): Entry[] {
  if (!existsSync(messages)) return []
  return readdirSync(messages)
    .map((catalog) => ({ catalog, file: join(messages, catalog, `${language}.po`) }))
    .filter(({ file }) => existsSync(file))
    .flatMap(({ catalog, file }) =>
      PO.parse(readFileSync(file, 'utf8')).items.map(({ msgid, msgstr }) => ({
        catalog,
        text: msgid,
        translation: msgstr[0] ?? '',
      })),
    )
}

/** What the catalogs should hold: every used text in its home, with the translation it has anywhere. */
export function arrange(uses: Uses, entries: readonly Entry[]): Entry[] {
  const known = new Map<string, string>()
  for (const { text, translation } of entries) if (translation !== '' || !known.has(text)) known.set(text, translation)
  return [...uses]
    .map(([text, homes]) => ({ catalog: catalogOf(homes), text, translation: known.get(text) ?? '' }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
}

const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`

const printCatalog = (language: string, entries: readonly Entry[]): string =>
  [
    `msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n`,
    ...entries.map(({ text, translation }) => `msgid ${quote(text)}\nmsgstr ${quote(translation)}\n`),
  ].join('\n')

/** Writes what changed and says which catalogs those are; with `chosen` no others. */
export function writeCatalogs(language: string, entries: readonly Entry[], chosen: ReadonlySet<string> = new Set()) {
  const isChosen = (catalog: string): boolean => chosen.size === 0 || chosen.has(catalog)
  const catalogs = Map.groupBy(entries, ({ catalog }) => catalog)
  const files = new Map(
    [...catalogs]
      .filter(([catalog]) => isChosen(catalog))
      .map(([catalog, own]) => [join(messages, catalog, `${language}.po`), own]),
  )
  const written: string[] = []
  for (const [file, own] of files) {
    const content = printCatalog(language, own)
    if (existsSync(file) && readFileSync(file, 'utf8') === content) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    written.push(relative(messages, file))
  }
  for (const file of globSync(`*/${language}.po`, { cwd: messages }).map((path) => join(messages, path))) {
    if (files.has(file) || !isChosen(basename(dirname(file)))) continue
    rmSync(file)
    written.push(relative(messages, file))
  }
  return written
}
