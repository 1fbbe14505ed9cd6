// Makes the file of rules for the inspection engine: texts of signatures come in, one after another, and copies for the channels
// in use go out. Runs in a worker; no more than a piece of the file is in memory.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ChannelContent,
  createLongestLists,
  createSignaturePrinter,
  type DeniedApplication,
  type LeftOut,
  ownRules,
  testRules,
} from '../../../domain/signatures/channel-rules.ts'
import { parseRule } from '../../../domain/signatures/rule.ts'
import { syncFolder } from '../../../shared/files/durable-file.ts'

export interface CompileInput {
  /** Where the file goes. */
  readonly folder: string
  /** Names in the folder that must stay. */
  readonly kept: readonly string[]
  /** Texts of signatures, one in a line. */
  readonly texts: Uint8Array
  readonly channels: readonly ChannelContent[]
  /** Those that a channel denies. */
  readonly applications: readonly DeniedApplication[]
  /** Bytes that the file may take. */
  readonly mostBytes: number
}

export interface Compiled {
  readonly sha256: string
  readonly generation: string
  /** Signatures that are in the file, without their copies. */
  readonly signatures: number
  /** Lines of the file: copies, and rules of ours. */
  readonly rules: number
  /** The first of them. */
  readonly leftOut: readonly LeftOut[]
  readonly leftOutCount: number
}

/** Changes with the form of the rules, so that the same input gets another generation. */
const form = 2
const pieceCharacters = 256 * 1024
const mostLeftOut = 100
/** The group of the folder may read it: that of the engine. */
const fileMode = 0o640

export const rulesName = (sha256: string): string => `${sha256}.rules`

/** Rejects with `too large` when the rules take more than `mostBytes`. */
export async function compileRules(input: CompileInput): Promise<Compiled> {
  const { folder, channels, applications } = input
  const generation = generationOf(input)
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o750 })
  const staged = join(folder, 'arriving')
  rmSync(staged, { force: true })
  const hash = createHash('sha256')
  const leftOut: LeftOut[] = []
  let leftOutCount = 0
  let signatures = 0
  let rules = 0
  {
    await using file = await open(staged, 'wx', fileMode)
    await file.chmod(fileMode)
    let bytes = 0
    const write = async (text: string): Promise<void> => {
      const piece = Buffer.from(text)
      bytes += piece.length
      if (bytes > input.mostBytes) throw new Error('the rules take more room than the disk has for them')
      for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) rules++
      hash.update(piece)
      await file.writeFile(piece)
    }
    let pending = ''
    for (const line of ownRules(channels, applications, generation)) pending += line
    const lists = createLongestLists()
    const print = createSignaturePrinter(channels, generation, lists)
    for (const text of linesOf(input.texts)) {
      const parsed = parseRule(text, 'custom')
      if ('fault' in parsed) continue
      const part = print(parsed.rule)
      if (part.leftOut) {
        leftOutCount++
        if (leftOut.length < mostLeftOut) leftOut.push(part.leftOut)
      } else if (part.text !== '') signatures++
      pending += part.text
      if (pending.length < pieceCharacters) continue
      await write(pending)
      pending = ''
    }
    for (const line of testRules(channels, applications, generation, lists)) pending += line
    await write(pending)
    await file.sync()
  }
  const sha256 = hash.digest('hex')
  await rename(staged, join(folder, rulesName(sha256)))
  syncFolder(folder)
  removeOthers(folder, [...input.kept, rulesName(sha256)])
  return { sha256, generation, signatures, rules, leftOut, leftOutCount }
}

/** Over everything that the rules are made of. */
function generationOf({ texts, channels, applications }: CompileInput): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([form, channels, applications]))
    .update('\n')
  return hash.update(texts).digest('hex').slice(0, 8)
}

/** The text of all lines at once would need their memory twice. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let from = 0; from < buffer.length; ) {
    const end = buffer.indexOf(0x0a, from)
    const to = end < 0 ? buffer.length : end
    if (to > from) yield buffer.toString('utf8', from, to)
    from = to + 1
  }
}

function removeOthers(folder: string, kept: readonly string[]): void {
  for (const name of readdirSync(folder))
    if (!kept.includes(name) && /^[0-9a-f]{64}\.rules$/.test(name)) rmSync(join(folder, name), { force: true })
}
