// Reads an archive of rules into a folder: the rules that can be used, one a line, where each came from, and what was left out. Run by
// the worker, which may take its time and ends with its memory.

import { createReadStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { counted } from '../../../core/contract/counted.ts'
import { noteOf, weakeningFault } from '../../../domain/signatures/refused.ts'
import { parseRule, type Rule } from '../../../domain/signatures/rule.ts'
import { type ContentSink, readArchive } from '../../../domain/web-filter/categories/list-archive.ts'
import { ListsRefused } from '../../../domain/web-filter/categories/refused.ts'
import { say } from '../../../shared/said.ts'
import type { Fault } from './checker.ts'
import { maxRefusals, type Refusal, readRefusals, refusalsFile, refusalText, writeWhole } from './refusals.ts'
import { isZip, readZip } from './zip.ts'

export interface ArchiveReport {
  readonly files: number
  readonly rules: number
  readonly disabled: number
  readonly failedCount: number
  /** The first of them; all are in the file of refusals. */
  readonly failed: readonly Refusal[]
  readonly notes: readonly string[]
}

export const rulesFile = 'rules.rules'
export const classificationFile = 'classification.config'
const originsFile = 'origins.json'

const maxFiles = 10_000
const maxUnpackedBytes = 256 * 1024 * 1024
const maxClassificationBytes = 1024 * 1024
const maxLines = 2_000_000
export const maxArchiveRules = 100_000
/** What Suricata reads as one line. */
const maxRuleBytes = 8_192
const maxShown = 100

interface Origins {
  readonly files: readonly string[]
  /** Of each line of the rules: the file, the line in it, and the sid. */
  readonly lines: readonly (readonly [file: number, line: number, sid: number])[]
}

interface Found {
  readonly rev: number
  readonly text: string
  readonly file: number
  readonly line: number
}

/** Rejects with ListsRefused, whose message is a sentence, when there is nothing to use. */
export async function readRuleArchive(path: string, folder: string, name: string): Promise<ArchiveReport> {
  const collection = new Collection()
  await readInto(path, collection, name)
  const { rules, files } = collection
  if (rules.size === 0) throw collection.nothing()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const origins: Origins = { files, lines: [...rules].map(([sid, { file, line }]) => [file, line, sid]) }
  await writeWhole(join(folder, originsFile), JSON.stringify(origins))
  await writeWhole(join(folder, classificationFile), collection.classification)
  await writeWhole(join(folder, refusalsFile), refusalText(collection.failed))
  await writeWhole(join(folder, rulesFile), [...rules.values()].map(({ text }) => `${text}\n`).join(''))
  return collection.report()
}

/** Takes the lines that the engine refuses out of the rules; gives the report that follows, with no rule when none is left. */
export async function leaveOut(
  folder: string,
  report: ArchiveReport,
  faults: readonly Fault[],
): Promise<ArchiveReport> {
  const origins = JSON.parse(await readFile(join(folder, originsFile), 'utf8')) as Origins
  const texts = (await readFile(join(folder, rulesFile), 'utf8')).split('\n').slice(0, -1)
  const refused = new Map(faults.map(({ line, message }) => [line, message]))
  const failed: Refusal[] = []
  for (const [line, reason] of refused) {
    const [file, at, sid] = origins.lines[line - 1] ?? []
    // A fault of no line is one of the whole: nothing can be said about its rules.
    if (file === undefined || at === undefined || sid === undefined) throw new ListsRefused(reason)
    failed.push({ file: origins.files[file] ?? '', line: at, sid, reason })
  }
  const isKept = (_: unknown, index: number): boolean => !refused.has(index + 1)
  const kept = texts.filter(isKept)
  const { refusals } = await readRefusals(join(folder, refusalsFile), 0, report.failedCount)
  await writeWhole(join(folder, refusalsFile), refusalText([...refusals, ...failed]))
  await writeWhole(join(folder, rulesFile), kept.map((text) => `${text}\n`).join(''))
  await writeWhole(join(folder, originsFile), JSON.stringify({ ...origins, lines: origins.lines.filter(isKept) }))
  const shown = [...report.failed, ...failed].slice(0, maxShown)
  return { ...report, rules: kept.length, failed: shown, failedCount: report.failedCount + failed.length }
}

async function readInto(path: string, collection: Collection, name: string): Promise<void> {
  const start = await firstBytes(path)
  const isTar = start.subarray(257, 262).toString('latin1') === 'ustar'
  const opened = (entry: string): ContentSink | null => collection.open(entry)
  if (isZip(start)) {
    await readZip(await readFile(path), opened, { maxEntries: maxFiles, maxBytes: maxUnpackedBytes })
  } else if (isTar || (start[0] === 0x1f && start[1] === 0x8b)) {
    await readArchive(path, opened, { maxBytes: maxUnpackedBytes })
  } else {
    const sink = collection.open(name.endsWith('.rules') ? basename(name) : `${basename(name)}.rules`)
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) sink?.write(chunk as Buffer)
    sink?.end()
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: 511 })) parts.push(chunk as Buffer)
  return Buffer.concat(parts)
}

class Collection {
  readonly rules = new Map<number, Found>()
  readonly files: string[] = []
  classification = ''
  #entries = 0
  #lines = 0
  #disabled = 0
  readonly failed: Refusal[] = []
  readonly #notes = new Map<string, number>()
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })

  /** Of a path in an archive only the last part counts: it names a file in messages, and nothing else. */
  open(path: string): ContentSink | null {
    if (++this.#entries > maxFiles) throw refused(say`it has too many files`)
    const name = basename(path)
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
      .slice(0, 100)
    if (name === classificationFile) return this.#openClassification()
    if (!name.endsWith('.rules') || name.startsWith('.')) return null
    const file = this.files.push(name) - 1
    let pending = ''
    let first = 0
    let number = 0
    const lines = readLines((bytes) => {
      number++
      if (++this.#lines > maxLines) throw refused(say`it has too many lines`)
      if (pending === '') first = number
      const line = this.#decode(bytes)
      if (typeof line !== 'string') {
        pending = ''
        this.#leaveOut(file, first, 0, line.fault)
      } else if (line.endsWith('\\') && !line.startsWith('#') && pending.length <= maxRuleBytes) {
        pending += `${line.slice(0, -1)} `
      } else {
        const whole = pending + line
        pending = ''
        this.#take(file, first, whole)
      }
    })
    const end = (): void => {
      lines.end()
      if (pending !== '') this.#leaveOut(file, first, 0, say`The file ends inside a rule.`)
    }
    return { ...lines, end }
  }

  report(): ArchiveReport {
    return {
      files: this.files.length,
      rules: this.rules.size,
      disabled: this.#disabled,
      failedCount: this.failed.length,
      failed: this.failed.slice(0, maxShown),
      notes: [...this.#notes].map(([note, count]) => say`${counted(count, 'rule')}: ${note}`),
    }
  }

  /** Why there is nothing to use. */
  nothing(): ListsRefused {
    const [first] = this.failed
    if (!first) return refused(say`no file in it has a rule`)
    const { file, line, reason } = first
    return new ListsRefused(
      say`The archive cannot be used: it has no rule that can be used. ${file}, line ${line}: ${reason}`,
    )
  }

  #decode(bytes: Buffer | null): string | { fault: string } {
    if (bytes === null) return { fault: tooLong }
    if (bytes.includes(0)) return { fault: say`The line has a NUL character.` }
    try {
      return this.#decoder.decode(bytes).trim()
    } catch {
      return { fault: say`The line is not UTF-8 text.` }
    }
  }

  #take(file: number, line: number, text: string): void {
    if (text === '') return
    if (text.startsWith('#')) {
      if (isDisabledRule(text)) this.#disabled++
      return
    }
    const parsed = parseRule(text, 'advanced')
    if (Buffer.byteLength(text) >= maxRuleBytes) this.#leaveOut(file, line, 0, tooLong)
    else if ('fault' in parsed) this.#leaveOut(file, line, 0, parsed.fault)
    else this.#judge(file, line, parsed.rule)
  }

  #judge(file: number, line: number, rule: Rule): void {
    const { sid } = rule.signature
    const fault = weakeningFault(rule)
    if (fault === null) this.#add(sid, { rev: rule.rev, text: rule.text, file, line })
    else this.#leaveOut(file, line, sid, fault)
  }

  #add(sid: number, found: Found): void {
    const known = this.rules.get(sid)
    const loser = known && known.rev >= found.rev ? found : known
    if (loser)
      this.#leaveOut(loser.file, loser.line, sid, say`The sid ${sid} is used twice; the newest revision is used.`)
    if (loser === found) return
    if (!known && this.rules.size >= maxArchiveRules)
      throw refused(`it has more than ${maxArchiveRules.toLocaleString('en')} rules`)
    this.rules.set(sid, found)
    const note = noteOf(found.text)
    if (note !== null) this.#notes.set(note, (this.#notes.get(note) ?? 0) + 1)
  }

  #leaveOut(file: number, line: number, sid: number, reason: string): void {
    if (this.failed.length >= maxRefusals)
      throw refused(`it has more than ${maxRefusals.toLocaleString('en')} rules that cannot be used`)
    this.failed.push({ file: this.files[file] ?? '', line, sid, reason })
  }

  #openClassification(): ContentSink {
    const parts: Buffer[] = []
    let size = 0
    return {
      write: (bytes) => {
        size += bytes.length
        if (size > maxClassificationBytes) throw refused(say`its classification.config is too large`)
        parts.push(Buffer.from(bytes))
      },
      end: () => {
        this.classification = Buffer.concat(parts).toString('utf8')
      },
    }
  }
}

const refused = (why: string): ListsRefused => new ListsRefused(say`The archive cannot be used: ${why}.`)

const tooLong = say`The rule has more than ${maxRuleBytes} characters.`

const actionWords = new Set(['alert', 'drop', 'pass', 'reject', 'rejectsrc', 'rejectdst', 'rejectboth'])

/** Rule sets switch rules off with a # before them. */
function isDisabledRule(text: string): boolean {
  const words = text
    .replace(/^[#\s]+/, '')
    .slice(0, 20)
    .split(' ', 1)
  return actionWords.has(words[0] ?? '') && text.includes('sid:') && text.endsWith(')')
}

/** Calls with the bytes of each line; null for one that is too long, of which nothing is kept. */
function readLines(onLine: (bytes: Buffer | null) => void): ContentSink {
  let parts: Buffer[] = []
  let size = 0
  const add = (bytes: Buffer): void => {
    size += bytes.length
    // What was read of the line is given free; the rest is only counted.
    if (size > maxRuleBytes) parts = []
    else if (bytes.length > 0) parts.push(Buffer.from(bytes))
  }
  const endLine = (): void => {
    const line = size > maxRuleBytes ? null : Buffer.concat(parts)
    parts = []
    size = 0
    onLine(line)
  }
  return {
    write: (bytes) => {
      let from = 0
      for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, from)) {
        add(bytes.subarray(from, at))
        endLine()
        from = at + 1
      }
      add(bytes.subarray(from))
    },
    end: () => {
      if (size > 0) endLine()
    },
  }
}
