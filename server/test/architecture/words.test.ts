// Messages use plain words, and what a comment cites can be opened in the repository.

import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const root = new URL('../../../', import.meta.url)
const sources = new URL('server/src/', root)

/** Folders of server/src that do not follow the rules yet. The list may only get shorter. */
const notYet: readonly string[] = []

/** Phrases that an administrator would not write, with what to write instead. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\b(?:some|no|any)body\b|\bwhoever\b/i, 'a user, no one, or the role'],
  [/\b(?:himself|herself)\b/i, 'them, or the noun again'],
  [/\bstands?\b(?! for\b)/i, 'is, appears, is listed'],
  [/\b(?:is|are|was|were) told\b|\btells\b/i, 'reports, shows'],
  [/\b(?<!there )(?:is|are) none\b(?! of\b)/i, 'is not a valid ...'],
  [/\bis no (?!longer\b|more\b|such\b|route\b|room\b|reason\b|one\b)(?<!there is no )/i, 'is not a ...'],
  [/\bof (?:its|their|our) own\b/i, 'own, separate'],
  [/\bputs? (?:\w+ ){0,3}back\b/i, 'revert, restore'],
  [/\bcame to nothing\b/i, 'failed'],
  [/\bin vain\b/i, 'timed out waiting for ...'],
  [/\bnot as (?:it|they) must be\b/i, 'is invalid'],
  [/\bnot well\b/i, 'failed its health check'],
  [/\bstrangers?\b/i, 'unauthenticated clients'],
  [/\bis too much\b/i, 'unexpected ...'],
  [/\bmeanwhile\b/i, 'since'],
  [/\bdoes not hold\b/i, 'is invalid'],
  [/\bbits behind\b/i, 'host bits set'],
  [/\bfor good\b/i, 'permanently'],
  [/\bneeds? you\b/i, 'needs attention'],
  [/\bfinish to\b/i, 'finish checking'],
  [/\bthe way to it\b/i, 'the connection to it'],
  [/\bon trial\b/i, 'on probation'],
]

/** Plain in a comment or in the name of a test, where there is room for a whole sentence. */
const onlyInMessages: readonly string[] = ['reports, shows', 'own, separate', 'is invalid', 'unexpected ...']
const spoken = phrases.filter(([, instead]) => !onlyInMessages.includes(instead))

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*)/.test(line)
const quoted = /'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`/g

interface Line {
  readonly file: string
  readonly number: number
  readonly text: string
}

const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/stand-ins/')
const isExempt = (file: string): boolean => notYet.some((folder) => file.startsWith(folder))

function readLines(files: readonly string[]): Line[] {
  return files.flatMap((file) =>
    readFileSync(new URL(file, sources), 'utf8')
      .split('\n')
      .map((text, index) => ({ file, number: index + 1, text })),
  )
}

const allFiles = globSync('**/*.ts', { cwd: sources })
  .sort()
  .filter((file) => !isTest(file))
const covered = readLines(allFiles.filter((file) => !isExempt(file)))
const exempt = allFiles.filter(isExempt).map((file) => readFileSync(new URL(file, sources), 'utf8'))

/** Texts in a line of code that are sentences or parts of one. */
const messagesIn = (line: string): string[] =>
  [...line.matchAll(quoted)].map((found) => found[1] ?? found[2] ?? found[3] ?? '').filter((text) => /\w \S/.test(text))

/** Stand-ins are called so, and what stands for something else does. */
const withoutStandIns = (text: string): string => text.replace(/\bstand(?:s|ing)? in for\b|\bstand-ins?\b/gi, '')

const commentIn = (line: string): string =>
  withoutStandIns(/^\s*(?:\/\/|\/\*|\*)(.*)/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1] ?? '')

const nameIn = (line: string): string =>
  withoutStandIns(/\b(?:it|test|describe)\(\s*(['`])(.*?)\1,/.exec(line)?.[2] ?? '')

const contextLength = 10

/** `isKnown` gets each phrase with a few characters around it, and excuses it. */
const faultsOf = (text: string, isKnown: (context: string) => boolean = () => false): string[] =>
  phrases.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text)
    if (!found) return []
    const context = text.slice(Math.max(0, found.index - contextLength), found.index + found[0].length + contextLength)
    return isKnown(context) ? [] : [`"${found[0]}" in "${text}": write ${instead}`]
  })

/** Every text under `summary` or `description` of the document. */
function describedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && (key === 'summary' || key === 'description') ? [inner] : describedIn(inner),
  )
}

/** `2` is the section "## 2. ...", `2.4` a subsection, or the fourth entry of a numbered list in it. */
function sectionsOf(path: string): Set<string> {
  const sections = new Set<string>()
  let section = ''
  for (const line of readFileSync(new URL(path, root), 'utf8').split('\n')) {
    const [, heading] = /^#{2,3} (\d+(?:\.\d+)*)\.? /.exec(line) ?? []
    const [, entry] = /^(\d+)\. /.exec(line) ?? []
    if (heading !== undefined) section = heading
    if (heading !== undefined) sections.add(heading)
    if (entry !== undefined && section !== '') sections.add(`${section}.${entry}`)
  }
  return sections
}

const decisions = readdirSync(new URL('docs/decisions/', root)).map((name) => Number(name.slice(0, 4)))
const citation = /(?:[\w.-]+\/)*[\w-]+\.md\b/g
const numbersBehind = /^(?: (?:and )?\d+(?:\.\d+)*,?)*/

function citationFaults(text: string): string[] {
  const faults = [...text.matchAll(/\bdecision (\d+)/g)]
    .filter((found) => !decisions.includes(Number(found[1])))
    .map((found) => `${found[0]} does not exist`)
  if (/\brequirements? \d|\bthe seed\b|\(seed\b/.test(text)) faults.push('cite a section of docs/behaviour/ instead')
  for (const found of text.matchAll(citation)) {
    const [path] = found
    if (!existsSync(new URL(path, root)) && !existsSync(new URL(`docs/${path}`, root))) {
      faults.push(`${path} is not in the repository`)
      continue
    }
    if (!path.startsWith('docs/behaviour/')) continue
    const numbers = numbersBehind.exec(text.slice(found.index + path.length))?.[0].match(/\d+(?:\.\d+)*/g) ?? []
    const sections = sectionsOf(path)
    faults.push(
      ...numbers.filter((number) => !sections.has(number)).map((number) => `${path} has no section ${number}`),
    )
  }
  return faults
}

const report = (lines: readonly Line[], faultsIn: (text: string) => readonly string[]): string[] =>
  lines.flatMap(({ file, number, text }) => faultsIn(text).map((fault) => `${file}:${number}: ${fault}`))

describe('plain English', () => {
  it('recognizes phrases to replace and leaves plain ones alone', () => {
    assert.equal(faultsOf('The field "a" stands twice.').length, 1)
    assert.equal(faultsOf('"x" is no protocol.').length, 1)
    assert.equal(faultsOf('The change is put back now.').length, 1)
    assert.deepEqual(faultsOf('There is no VPN access rule with the id 7.'), [])
    assert.deepEqual(faultsOf('The session is no longer valid.'), [])
  })

  it('is used in messages', () => {
    const code = covered.filter(({ text }) => !isComment(text))
    assert.deepEqual(
      report(code, (text) => messagesIn(text).flatMap((message) => faultsOf(message))),
      [],
    )
  })

  it('is used in the texts of the console', () => {
    const catalogs = globSync('*/ru.po', { cwd: new URL('web/src/messages/', root) })
    assert.notEqual(catalogs.length, 0)
    const texts = catalogs.flatMap((catalog) =>
      [...readFileSync(new URL(`web/src/messages/${catalog}`, root), 'utf8').matchAll(/^msgid "(.*)"$/gm)].map(
        ([, text = '']) => text,
      ),
    )
    assert.deepEqual(
      texts.flatMap((text) => faultsOf(text)),
      [],
    )
  })

  it('is used in comments and in names of tests', () => {
    const files = globSync('{server,web,bench,scripts}/**/*.{ts,tsx,mjs,css}', { cwd: root }).filter(
      (file) => !/node_modules|\/dist|architecture\/words\.test\.ts$/.test(file),
    )
    const found = files.flatMap((file) =>
      readFileSync(new URL(file, root), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          [commentIn(line), nameIn(line)].flatMap((text) =>
            spoken.flatMap(([pattern, instead]) =>
              pattern.test(text) ? [`${file}:${index + 1}: ${text.trim()}: write ${instead}`] : [],
            ),
          ),
        ),
    )
    assert.ok(files.length > 2_000)
    assert.deepEqual(found, [])
  })

  it('is used in the summaries and descriptions of the API', () => {
    const document: unknown = JSON.parse(readFileSync(new URL('docs/openapi.json', root), 'utf8'))
    const isExemptText = (context: string): boolean => exempt.some((source) => source.includes(context))
    assert.deepEqual(
      [...new Set(describedIn(document))].flatMap((text) => faultsOf(text, isExemptText)),
      [],
    )
  })
})

describe('citations in comments', () => {
  it('are recognized when they cannot be opened', () => {
    assert.deepEqual(citationFaults('Limits (docs/behaviour/security.md 33 and 36).'), [])
    assert.deepEqual(citationFaults('Limits (docs/behaviour/security.md 33 and 999).'), [
      'docs/behaviour/security.md has no section 999',
    ])
    assert.deepEqual(citationFaults('As in missing-file.md.'), ['missing-file.md is not in the repository'])
    assert.deepEqual(citationFaults('See decision 9999.'), ['decision 9999 does not exist'])
  })

  it('name files and sections of the repository', () => {
    const comments = covered.filter(({ text }) => isComment(text) || text.includes(' // '))
    assert.deepEqual(report(comments, citationFaults), [])
  })

  it('name files of the sources where they are now', () => {
    const path = /(?<![\w/.@-])((?:[a-z][\w-]*\/)+[a-z][\w.-]*\.tsx?)\b/g
    const places = (file: string): URL[] => [sources, root, new URL('server/', root), new URL(file, sources)]
    const missing = covered
      .filter(({ text }) => isComment(text))
      .flatMap(({ file, number, text }) =>
        [...text.matchAll(path)]
          .map(([, name = '']) => name)
          .filter((name) => !places(file).some((place) => existsSync(new URL(name, place))))
          .map((name) => `${file}:${number}: ${name}`),
      )
    assert.deepEqual(missing, [])
    // Folders of an earlier tree.
    assert.deepEqual(
      covered.filter(({ text }) => isComment(text) && /(?<![\w/.])(?:runtime|system)\/(?![a-z]+-)/.test(text)),
      [],
    )
  })

  it('cover folders that exist', () => {
    for (const folder of notYet) assert.ok(existsSync(new URL(folder, sources)), folder)
  })
})
